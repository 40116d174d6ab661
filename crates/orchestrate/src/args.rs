//! The command line of `orchestrate`: arguments as typed, and how they become a [`Job`].

use crate::history::blame::Blame;
use crate::history::undo::Undo;
use crate::init::merge_driver;
use crate::init::plugins::Client;
use crate::lock::Request;
use config::prices::Amount;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::schemas::EVENT;

/// Carry a plan to its end, one round of the pipe after the other
#[derive(Debug, clap::Parser)]
#[command(
    name = "orchestrate",
    version,
    before_help = MOST_USED,
    override_usage = "orchestrate [OPTIONS] [PLAN] [-- COMMAND...]
       orchestrate init | checks | undo | blame | mcp | doctor | plans",
    args_conflicts_with_subcommands = true
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// A file or folder, the name of a plan, a task id with a preparation, or a pull request
    #[arg(value_name = "PLAN", hide_short_help = true)]
    plan: Option<PathBuf>,
    /// The plan, where the first word is the task of --retry
    #[arg(hide = true)]
    second: Option<PathBuf>,
    /// The worker, by name or path; 'shell' runs sh blocks
    #[arg(long, value_name = "NAME")]
    worker: Option<String>,
    /// How many tasks at once [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Only this task
    #[arg(long, value_name = "ID", hide_short_help = true)]
    only: Option<String>,
    /// How often a task may be tried
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_attempts: Option<u32>,
    /// Give a task all its attempts again; without an ID every open task that failed
    #[arg(
        long,
        value_name = "ID",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        hide_short_help = true
    )]
    retry: Option<String>,
    /// Push what was committed
    #[arg(long, hide_short_help = true)]
    push: bool,
    /// Print what would run next and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the pipe of the next round as a line for sh
    #[arg(long, conflicts_with = "dry_run", hide_short_help = true)]
    print_pipe: bool,
    /// Print one line of progress instead of the rounds
    #[arg(long, short, hide_short_help = true)]
    quiet: bool,
    /// Write one line of JSON for each event to a file; '-' is standard output
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    events: Option<PathBuf>,
    /// The workflow (default: by the plan's dialect)
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    profile: Option<String>,
    /// Carry the plan out in a worktree and on a branch of its own, beside the repository; again: go on there
    #[arg(long, hide_short_help = true, conflicts_with_all = ["dry_run", "print_pipe", "request", "resume_session"])]
    worktree: bool,
    /// Let other runs with --shared carry out the same plan, here or on a shared folder
    #[arg(long, hide_short_help = true)]
    shared: bool,
    /// With --shared: for how many seconds a task is claimed at a time [default: 120]
    #[arg(long, value_name = "N", hide_short_help = true)]
    lease: Option<u64>,
    /// Let workers write nothing but the tree; the ledger is out of their reach (needs bubblewrap)
    #[arg(long, hide_short_help = true)]
    sandbox: bool,
    /// The session of a workflow
    #[arg(long, value_name = "ID", hide_short_help = true)]
    resume_session: Option<String>,
    /// Go on although plan, configuration or hooks changed since the first attempt
    #[arg(long, value_name = "REASON", hide_short_help = true, value_parser = toolkit::files::redact::typed)]
    accept_change: Option<String>,
    /// Carry out tasks with unclear checks too: a person judges these; recorded with the reason
    #[arg(long, value_name = "REASON", hide_short_help = true, value_parser = toolkit::files::redact::typed)]
    unclear_note: Option<String>,
    /// Let checks run that act (deploy, publish, migrate, …); recorded with the reason
    #[arg(long, value_name = "REASON", hide_short_help = true, value_parser = toolkit::files::redact::typed)]
    allow_acts: Option<String>,
    /// Let this level of evidence tick in this run: proved, passes, reviewed, already-true or gates
    #[arg(long, value_name = "LEVEL", value_parser = level, requires = "reason", hide_short_help = true)]
    accept: Option<String>,
    /// Why the level of --accept is enough; recorded
    #[arg(long, value_name = "REASON", requires = "accept", hide_short_help = true, value_parser = toolkit::files::redact::typed)]
    reason: Option<String>,
    /// When a task is given up (default: ask on a terminal, else continue)
    #[arg(long, value_name = "WHAT", value_enum, hide_short_help = true)]
    on_halt: Option<OnHalt>,
    /// Make the commits of a workflow that waits for approval
    #[arg(long, hide_short_help = true)]
    approve: bool,
    /// Begin nothing after this time: 90, 30m, 2h
    #[arg(long, value_name = "T", value_parser = time, hide_short_help = true)]
    budget_time: Option<Duration>,
    /// Make no more attempts than this in all
    #[arg(long, value_name = "N", hide_short_help = true)]
    budget_attempts: Option<u64>,
    /// Begin nothing once the workers have cost this much
    #[arg(long, value_name = "X", value_parser = cost, hide_short_help = true)]
    budget_cost: Option<f64>,
    /// Begin nothing once the workers have used this many tokens, input and output
    #[arg(long, value_name = "N", hide_short_help = true)]
    budget_tokens: Option<u64>,
    /// Begin nothing once the runs of this day (UTC) have spent this much here: dollars as 2.50, or 300000tokens
    #[arg(long, value_name = "AMOUNT", hide_short_help = true)]
    budget_per_day: Option<Amount>,
    /// Let the run of this plan wait before its next round
    #[arg(long, group = "request", hide_short_help = true)]
    pause: bool,
    /// Let a paused run go on
    #[arg(long, group = "request", hide_short_help = true)]
    unpause: bool,
    /// Let the run of this plan end after this round
    #[arg(long, group = "request", hide_short_help = true)]
    stop: bool,
    /// Refuse a runbook that was not prepared, even one without step files
    #[arg(long, hide_short_help = true)]
    prepared: bool,
    /// Wait for another run of the same plan instead of ending with 75
    #[arg(long, hide_short_help = true)]
    wait: bool,
    /// Belong to the program that started this one: end with it, and ask nothing on its terminal
    #[arg(long, hide = true)]
    attended: bool,
    #[command(flatten)]
    manners: Manners,
    /// The worker: it gets the prompt on standard input and answers on standard output
    #[arg(last = true, value_name = "COMMAND", hide_short_help = true)]
    worker_command: Vec<OsString>,
}

/// The lines used most; help shows them first, and the manual has them among its examples.
const MOST_USED: &str = concat!(
    "  orchestrate init                       look around, write plantools.toml\n",
    "  orchestrate --dry-run PLAN.md          what would run next, with its prompt\n",
    "  orchestrate --worker shell PLAN.md     carry it out; again: go on"
);

/// Commands that are about all plans; a plan of such a name is written `./plans`.
#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Write a plantools.toml, or the plugin of a client
    Init {
        /// Print it instead
        #[arg(long)]
        dry_run: bool,
        /// Write the plugin of this client into the project instead: its tools, hooks and skill
        #[arg(
            long = "for",
            value_name = "CLIENT",
            value_enum,
            group = "installed",
            conflicts_with = "accept"
        )]
        client: Option<Client>,
        /// With '--for' or '--merge-driver', take out again what it wrote
        #[arg(long, requires = "installed")]
        undo: bool,
        /// Write this as the weakest evidence that ticks a box: proved, passes, reviewed, already-true or gates (default: ask on
        /// a terminal, else leave it to the workflow)
        #[arg(long, value_name = "LEVEL", value_parser = level)]
        accept: Option<String>,
        /// Let git merge plans by their tasks instead: rows in .gitattributes for the usual places of plans and for these
        /// patterns, and 'plan-parse merge' as the driver in this clone's configuration
        #[arg(
            long,
            value_name = "PATTERN,…",
            num_args = 0..,
            require_equals = true,
            value_delimiter = ',',
            group = "installed",
            conflicts_with = "accept"
        )]
        merge_driver: Option<Vec<String>>,
    },
    /// Find, try and add checks for the tasks that have none
    ///
    /// Suggestions come first, and need no agent. For tasks that are left, the worker that `check` below `[agents]` names
    /// is asked; it may change nothing. Every check must fail now and must not pass by an unrelated change.
    Checks {
        /// The plan
        #[arg(value_name = "PLAN")]
        plan: Option<PathBuf>,
        /// Which checks to take: ask about each on the terminal, all that are fit, only those derived without an agent, or
        /// none, which only shows the suggestions
        #[arg(long, value_name = "WHICH", value_enum, default_value_t = Adopt::Ask)]
        adopt: Adopt,
        /// Take the adopted checks out of the plan again, byte for byte
        #[arg(long, conflicts_with = "adopt")]
        undo: bool,
    },
    /// Serve a plan to an agent as tools over MCP
    ///
    /// An agent in a session of its own takes tasks, checks them and asks for ticks; it can tick nothing by itself.
    Mcp {
        /// The plan; without it each call names one, or the project has only one
        #[arg(value_name = "PLAN")]
        plan: Option<PathBuf>,
        /// Be the worker of an attempt: hand the prompt to a server, and print the answer
        #[arg(long, value_name = "SOCKET", hide = true, conflicts_with = "plan")]
        relay: Option<PathBuf>,
    },
    /// Take back what tasks did: revert their commits and open their boxes
    ///
    /// The next worker of each task reads the reason. A conflict, or a file with changes that are in no commit, is named,
    /// and nothing is changed (exit 1). Killed at any point, run it again.
    Undo {
        /// The tasks; behind them the plan, if it is not the only one
        #[arg(value_name = "ID", required = true)]
        words: Vec<String>,
        /// Why; the next worker of the task reads it, and it stands in the commit message
        #[arg(long, value_name = "TEXT", value_parser = toolkit::files::redact::typed, required_unless_present = "dry_run")]
        reason: Option<String>,
        /// Undo what depends on them as well
        #[arg(long)]
        dependents: bool,
        /// Open the boxes and leave the commits
        #[arg(long)]
        soft: bool,
        /// Say what would be undone, and change nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Find the task that broke the check of a ticked one
    ///
    /// The commits of the plan are bisected by the check, in a scratch worktree. Exit 1 if something is broken, which is
    /// named with the result before and after; 3 if it cannot be told.
    Blame {
        /// The plan
        #[arg(value_name = "PLAN")]
        plan: Option<PathBuf>,
        /// Only the check of this task
        #[arg(value_name = "ID")]
        id: Option<String>,
        /// Open the task that broke it, and carry the plan on: its worker gets the output of the check
        #[arg(long)]
        reopen: bool,
        /// The worker, by name or path
        #[arg(long, value_name = "NAME", requires = "reopen")]
        worker: Option<String>,
    },
    /// Say what is missing or wrong, and the command that fixes it
    Doctor,
    /// List the plans found, how far each is and what comes next
    Plans,
}

/// Which checks are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Adopt {
    /// Those that a person takes, one by one
    Ask,
    /// Every one that is fit
    All,
    /// Every fit one that was derived without an agent
    Suggested,
    /// None
    None,
}

impl Adopt {
    /// The word on a command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::All => "all",
            Self::Suggested => "suggested",
            Self::None => "none",
        }
    }
}

/// What happens when a task is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OnHalt {
    /// Ask on a terminal, else go on
    Ask,
    /// End the run
    Stop,
    /// Go on with what does not depend on it
    Continue,
}

/// What one call does.
#[derive(Debug)]
pub(crate) enum Job {
    Init {
        dry_run: bool,
        accept: Option<String>,
    },
    /// Set up git's merge driver for plans, or take it out.
    MergeDriver(merge_driver::Wanted),
    AddPlugin {
        client: Client,
        dry_run: bool,
    },
    RemovePlugin {
        client: Client,
        dry_run: bool,
    },
    Checks {
        plan: Option<PathBuf>,
        adopt: Adopt,
    },
    UndoChecks {
        plan: Option<PathBuf>,
    },
    Mcp(Option<PathBuf>),
    Relay(PathBuf),
    Blame(Box<Blame>),
    Undo(Undo),
    Doctor,
    Plans,
    /// Ask the run of a plan for something.
    Ask(Request, Wanted),
    DryRun(Wanted),
    PrintPipe(Wanted),
    CarryOut(Wanted),
}

/// A plan, and how it is to be carried out.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Wanted {
    pub(crate) plan: Option<PathBuf>,
    pub(crate) session: Option<String>,
    pub(crate) profile: Option<String>,
    pub(crate) worker: Option<String>,
    pub(crate) command: Vec<OsString>,
    pub(crate) jobs: u32,
    pub(crate) only: Option<String>,
    pub(crate) max_attempts: Option<u32>,
    pub(crate) budget_time: Option<Duration>,
    pub(crate) budget_attempts: Option<u64>,
    pub(crate) budget_cost: Option<f64>,
    pub(crate) budget_tokens: Option<u64>,
    pub(crate) budget_per_day: Option<Amount>,
    pub(crate) worktree: bool,
    pub(crate) shared: bool,
    pub(crate) lease: Option<u64>,
    pub(crate) sandbox: bool,
    pub(crate) accept_change: Option<String>,
    pub(crate) unclear_note: Option<String>,
    pub(crate) allow_acts: Option<String>,
    pub(crate) accept: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) on_halt: Option<OnHalt>,
    pub(crate) approve: bool,
    pub(crate) push: bool,
    pub(crate) retry: Option<String>,
    pub(crate) prepared: bool,
    pub(crate) wait: bool,
    pub(crate) quiet: bool,
    pub(crate) events: Option<PathBuf>,
}

/// `90`, `90s`, `30m` or `2h`.
fn time(text: &str) -> Result<Duration, String> {
    let bad = || "write a number with s, m or h".to_owned();
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 's')) => (&text[..at], 1),
        Some((at, 'm')) => (&text[..at], 60),
        Some((at, 'h')) => (&text[..at], 3600),
        _ => (text, 1),
    };
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let number: u64 = digits.parse().ok().filter(|_| plain).ok_or_else(bad)?;
    number.checked_mul(unit).map(Duration::from_secs).ok_or_else(bad)
}

/// A level of evidence that a project may accept.
fn level(text: &str) -> Result<String, String> {
    let known = config::proof::Accept::parse(text).map(|level| level.word().to_owned());
    known.ok_or_else(|| "write proved, passes, reviewed, already-true or gates".to_owned())
}

fn cost(text: &str) -> Result<f64, String> {
    let cost = text.parse::<f64>().ok().filter(|cost| cost.is_finite() && *cost >= 0.0);
    cost.ok_or_else(|| "not an amount".to_owned())
}

impl Args {
    /// `--retry ID PLAN` is `--retry=ID PLAN`. With one word, that is the plan.
    fn with_retried_task(mut self, typed: impl Iterator<Item = OsString>) -> Result<Self, Fail> {
        let Some(second) = self.second.take() else { return Ok(self) };
        let behind = typed.skip_while(|word| word != "--retry").nth(1).map(PathBuf::from);
        let first = self.plan.take().filter(|_| self.retry.as_deref() == Some(""));
        let (id, plan) = match (first, behind) {
            (Some(first), Some(word)) if word == first => (first, second),
            (Some(first), Some(word)) if word == second => (second, first),
            _ => {
                let message = format!("unexpected argument '{}': one plan at a time", second.display());
                return Err(Fail::usage(message));
            }
        };
        self.retry = Some(id.to_string_lossy().into_owned());
        self.plan = Some(plan);
        Ok(self)
    }

    /// The arguments as meant.
    fn meant(self) -> Job {
        match self.command {
            Some(Command::Init { dry_run, merge_driver: Some(patterns), undo, .. }) => {
                return Job::MergeDriver(merge_driver::Wanted { patterns, remove: undo, dry_run });
            }
            Some(Command::Init { client: Some(client), undo: true, dry_run, .. }) => {
                return Job::RemovePlugin { client, dry_run };
            }
            Some(Command::Init { client: Some(client), dry_run, .. }) => {
                return Job::AddPlugin { client, dry_run };
            }
            Some(Command::Init { dry_run, accept, .. }) => return Job::Init { dry_run, accept },
            Some(Command::Checks { plan, undo: true, .. }) => return Job::UndoChecks { plan },
            Some(Command::Checks { plan, adopt, .. }) => return Job::Checks { plan, adopt },
            Some(Command::Mcp { relay: Some(socket), .. }) => return Job::Relay(socket),
            Some(Command::Mcp { plan, .. }) => return Job::Mcp(plan),
            Some(Command::Undo { words, reason, dependents, soft, dry_run }) => {
                let reason = reason.unwrap_or_default();
                return Job::Undo(Undo { words, reason, dependents, soft, dry_run });
            }
            Some(Command::Blame { plan, id, reopen, worker }) => {
                let wanted = Wanted { plan, worker, jobs: 1, ..Wanted::default() };
                return Job::Blame(Box::new(Blame { id, reopen, wanted }));
            }
            Some(Command::Doctor) => return Job::Doctor,
            Some(Command::Plans) => return Job::Plans,
            None => {}
        }
        let wanted = Wanted {
            plan: self.plan,
            session: self.resume_session,
            profile: self.profile,
            worker: self.worker,
            command: self.worker_command,
            jobs: self.jobs.unwrap_or(1),
            only: self.only,
            max_attempts: self.max_attempts,
            budget_time: self.budget_time,
            budget_attempts: self.budget_attempts,
            budget_cost: self.budget_cost,
            budget_tokens: self.budget_tokens,
            budget_per_day: self.budget_per_day,
            worktree: self.worktree,
            shared: self.shared,
            lease: self.lease,
            sandbox: self.sandbox,
            accept_change: self.accept_change,
            unclear_note: self.unclear_note,
            allow_acts: self.allow_acts,
            accept: self.accept,
            reason: self.reason,
            on_halt: self.on_halt,
            approve: self.approve,
            push: self.push,
            retry: self.retry,
            prepared: self.prepared,
            wait: self.wait,
            quiet: self.quiet,
            events: self.events,
        };
        match (self.pause, self.unpause, self.stop) {
            (true, ..) => Job::Ask(Request::Pause, wanted),
            (_, true, _) => Job::Ask(Request::Unpause, wanted),
            (.., true) => Job::Ask(Request::Stop, wanted),
            _ if self.print_pipe => Job::PrintPipe(wanted),
            _ if self.dry_run => Job::DryRun(wanted),
            _ => Job::CarryOut(wanted),
        }
    }
}

impl Tool for Args {
    const ABOUT: About = About { name: "orchestrate", schemas: &[EVENT], effects: Effects::Some };

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        let only_answers = self.dry_run
            || self.print_pipe
            || matches!(
                self.command,
                Some(Command::Doctor | Command::Plans | Command::Undo { dry_run: true, .. })
            );
        if only_answers { Effects::None } else { Effects::Some }
    }

    fn run(self, out: &mut Output) -> Result<Exit, Fail> {
        // An empty command behind `--` is a mistake in a script, such as a variable that is not set.
        if self.worker_command.is_empty() && std::env::args_os().next_back().is_some_and(|last| last == "--")
        {
            return Err(Fail::usage("-- needs a command"));
        }
        if self.worker.is_some() && !self.worker_command.is_empty() {
            return Err(Fail::usage("--worker and -- COMMAND both name the worker: give one of them"));
        }
        if self.attended {
            crate::round::signals::belong_to_parent();
        }
        crate::run(self.with_retried_task(std::env::args_os())?.meant(), out)
    }
}

#[cfg(test)]
mod tests {
    use super::{Args, time};
    use clap::Parser as _;
    use std::ffi::OsString;
    use std::time::Duration;

    #[test]
    fn the_command_line_is_well_formed() {
        crate::command().debug_assert();
    }

    #[test]
    fn the_task_of_retry_may_stand_behind_a_blank() {
        let meant = |line: &[&str]| {
            let words = std::iter::once(&"orchestrate").chain(line).map(OsString::from);
            let args = Args::try_parse_from(words.clone()).map_err(|e| e.to_string())?;
            let args = args.with_retried_task(words).map_err(|e| e.to_string())?;
            Ok::<_, String>((args.retry, args.plan.map(|plan| plan.display().to_string())))
        };
        let both = Ok((Some("Step 1".to_owned()), Some("p.md".to_owned())));
        assert_eq!(meant(&["--retry", "Step 1", "p.md"]), both);
        assert_eq!(meant(&["p.md", "--jobs", "2", "--retry", "Step 1"]), both);
        assert_eq!(meant(&["--retry=Step 1", "p.md"]), both);
        assert_eq!(meant(&["--retry", "p.md"]), Ok((Some(String::new()), Some("p.md".to_owned()))));
        assert!(meant(&["a.md", "p.md"]).is_err() && meant(&["a.md", "--retry", "--push", "p.md"]).is_err());
    }

    #[test]
    fn a_time_is_a_number_with_a_unit() {
        let seconds = |text| time(text).map(|time| time.as_secs());
        assert_eq!(
            (seconds("90"), seconds("30m"), seconds("2h"), seconds("5s")),
            (Ok(90), Ok(1800), Ok(7200), Ok(5))
        );
        assert!(["", "m", "soon", "5x", "-1", "+1", "1 h"].iter().all(|text| time(text).is_err()));
        assert_eq!(time("0"), Ok(Duration::ZERO));
    }
}
