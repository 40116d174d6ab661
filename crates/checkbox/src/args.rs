//! The command line of `checkbox`: arguments as typed, and how they become a [`Job`].

use crate::adopt::Adopt;
use crate::by_hand::request::{Deed, Later, Request};
use crate::fix::Taking;
use crate::job::Job;
use crate::tick::AcceptOnce;
use config::ConfigArgs;
use config::proof::Accept;
use std::path::{Path, PathBuf};
use toolkit::cli::clock::RunArgs;
use toolkit::cli::format::FormatArgs;
use toolkit::cli::old_spellings::OldSpelling;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::State;
use wire::schemas::{END, ORDER, SUGGESTION, TICK};

/// Tick the box, on evidence, changing nothing else
///
/// Without a command it is a stage of the pipe: it reads orders and ticks each task for which the ledger has
/// evidence that the project accepts. The commands work on a plan file.
#[derive(Debug, clap::Parser)]
#[command(override_usage = "checkbox [OPTIONS] [FILE] | COMMAND", name = "checkbox", version, before_help = MOST_USED)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Orders; '-' or none is standard input
    #[arg(value_name = "FILE", hide_short_help = true)]
    file: Option<PathBuf>,
    /// Add the task that the worker of a halted order found missing, one level deep and at most three for each task
    #[arg(long, hide_short_help = true)]
    adapt: bool,
    /// Let this level of evidence tick in this run: proved, passes, reviewed, already-true or gates; recorded with the reason
    #[arg(long, value_name = "LEVEL", value_parser = accept, requires = "reason", hide_short_help = true)]
    accept: Option<Accept>,
    /// Why that level is enough
    #[arg(long, value_name = "TEXT", value_parser = toolkit::files::redact::typed, requires = "accept", hide_short_help = true)]
    reason: Option<String>,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    manners: Manners,
}

/// The lines used most; help shows them first, and the manual has them among its examples.
const MOST_USED: &str = concat!(
    "  checkbox list --format text PLAN.md              the tasks and their boxes\n",
    "  checkbox tick 1 PLAN.md --reason 'done by hand'  tick a task yourself\n",
    "  checkbox checked.ndjson | run-report             tick what has evidence"
);

/// What `checkbox` does besides carrying orders.
#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the tasks of a plan with their boxes
    List {
        #[command(flatten)]
        plan: PlanArgs,
        #[command(flatten)]
        format: FormatArgs,
        /// Print only the ids of the tasks that are open, one a line
        #[arg(long, conflicts_with = "format")]
        open: bool,
    },
    /// Tick a task by hand
    Tick {
        /// The task
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        plan: PlanArgs,
        /// Do nothing if the plan has no such task
        #[arg(long)]
        if_there: bool,
        #[command(flatten)]
        hand: HandArgs,
    },
    /// Clear the mark of every task that has failed
    Retry {
        #[command(flatten)]
        plan: PlanArgs,
        #[command(flatten)]
        hand: HandArgs,
    },
    /// Clear the box of a task
    Untick {
        /// The task
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        plan: PlanArgs,
        /// A JSON object that the next worker gets to see; with 'failed' rows as a halt of gate-run has them
        #[arg(long, value_name = "FILE", hide_short_help = true)]
        evidence: Option<PathBuf>,
        #[command(flatten)]
        hand: HandArgs,
    },
    /// Mark a task as `in_progress`, `blocked`, `skipped` or `failed`
    State {
        /// The task and its state, like '2=skipped'
        #[arg(value_name = "ID=STATE", value_parser = state)]
        state: (String, State),
        #[command(flatten)]
        plan: PlanArgs,
        #[command(flatten)]
        hand: HandArgs,
    },
    /// Tick the box of a criterion by hand, or defer the criterion
    Criterion {
        /// The criterion, like '3:2', or 'note:1' if it belongs to no task
        #[arg(value_name = "ID:N")]
        id: String,
        #[command(flatten)]
        plan: PlanArgs,
        /// Leave the box open; the plan may be complete without it
        #[arg(long)]
        defer: bool,
        #[command(flatten)]
        hand: HandArgs,
    },
    /// Add a task after another
    Add {
        /// The task that the new one follows
        #[arg(value_name = "ID")]
        after: String,
        #[command(flatten)]
        plan: PlanArgs,
        /// The title of the new task
        #[arg(long, value_name = "TEXT")]
        title: String,
        /// A file with the text of the new task, without its heading
        #[arg(long, value_name = "FILE")]
        body: Option<PathBuf>,
        #[command(flatten)]
        hand: HandArgs,
    },
    /// Write suggested checks below their tasks, in the dialect's form
    ///
    /// It reads the `suggestion/1` of 'gate-run try'. A check is written only if the plan, read again, has exactly this
    /// check more. Everything that is written is on record; `--undo PLAN` puts the bytes of the plan back.
    Adopt {
        /// The tried suggestions, or with '--undo' the plan; '-' or none is standard input
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Which suggestions to take: ask about each on the terminal, all that are fit, only those derived without an
        /// agent, or none
        #[arg(long, value_name = "WHICH", value_enum, default_value_t = Adopt::Ask)]
        adopt: Adopt,
        /// Take every adopted check of the plan out again
        #[arg(long, requires = "file", conflicts_with = "adopt")]
        undo: bool,
        /// Read the plan as this dialect instead of detecting it
        #[arg(long, value_name = "NAME", hide_short_help = true, requires = "undo")]
        dialect: Option<String>,
    },
    /// Mark the tasks of orders as begun; runs before worker-run
    Begin {
        /// Orders; '-' or none is standard input
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Make unclear checks clear, asking group by group
    Fix {
        #[command(flatten)]
        plan: PlanArgs,
        /// Ask nothing: make only the rewrites that the table of synonyms makes equal
        #[arg(long)]
        all: bool,
        /// Print the rewrites as a unified diff and write nothing; with --all, only the equal ones
        #[arg(long)]
        print: bool,
    },
    /// Tick the goals that have passed; exit 5 if one is still open
    Goals {
        #[command(flatten)]
        plan: PlanArgs,
    },
    /// Say whether the report that a task waits for was presented, on the files as they are now; exit 5 if not
    #[command(hide = true)]
    Presented {
        /// The task
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        plan: PlanArgs,
        /// Record that it is presented now
        #[arg(long)]
        shown_now: bool,
    },
    /// Write the plan that another file stands for, once
    ///
    /// A handoff packet stands for its todo list. Any other plan is printed as it is.
    #[command(hide = true)]
    Unfold {
        /// The packet or plan
        #[arg(value_name = "PLAN")]
        plan: PathBuf,
        /// Instead, write the runbook of the two reviews of these commits, like 'START..END'
        #[arg(long, value_name = "RANGE")]
        reviews: Option<String>,
        /// Write nothing: print the plan itself if the other is not there, and the text of the reviews
        #[arg(long)]
        dry_run: bool,
    },
    /// Write into the progress file of a runbook that it is completed, if its steps are done
    #[command(hide = true)]
    Progress {
        /// The runbook
        #[arg(value_name = "PLAN")]
        plan: PathBuf,
    },
    /// Clear the box of each task whose check has failed since its tick
    Regressions {
        #[command(flatten)]
        plan: PlanArgs,
        #[command(flatten)]
        config: ConfigArgs,
    },
}

/// Which plan, and how its documents are printed.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub(crate) struct PlanArgs {
    /// The plan
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Read the plan as this dialect instead of detecting it
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(crate) dialect: Option<String>,
    /// Indent the JSON of `tick/1`
    #[arg(long, hide_short_help = true)]
    pub(crate) pretty: bool,
}

impl PlanArgs {
    /// The plan's path; orders may come from standard input, a plan may not.
    pub(crate) fn path(&self) -> Result<&Path, Fail> {
        let path = Some(self.plan.as_path()).filter(|path| *path != Path::new("-"));
        path.ok_or_else(|| Fail::usage("name the plan file"))
    }
}

/// What every decision of a person needs.
#[derive(Debug, clap::Args)]
struct HandArgs {
    /// Why; it is recorded
    #[arg(long, value_name = "TEXT", value_parser = toolkit::files::redact::typed)]
    reason: String,
    /// Print the change as a unified diff and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// `ID=STATE`, split at the last `=`: an id may contain one.
fn state(text: &str) -> Result<(String, State), String> {
    let (id, word) = text.rsplit_once('=').ok_or("write ID=STATE")?;
    let states = [State::InProgress, State::Blocked, State::Skipped, State::Failed];
    let found = states.into_iter().find(|state| state.word() == word);
    let state = found.ok_or("the state is one of in_progress, blocked, skipped, failed")?;
    Ok((id.to_owned(), state))
}

/// The word of a level that a configuration may accept.
fn accept(text: &str) -> Result<Accept, String> {
    Accept::parse(text)
        .ok_or_else(|| format!("the level is one of {}", Accept::ALL.map(Accept::word).join(", ")))
}

impl Command {
    fn meant(self) -> Job {
        let by_hand = |plan, deed, HandArgs { reason, dry_run }| {
            Job::ByHand(Request { plan, deed, reason, dry_run, if_there: false, evidence: None })
        };
        match self {
            Self::List { plan, format, open } => Job::List { plan, text: format.is_text(), open },
            Self::Tick { id, plan, if_there, hand: HandArgs { reason, dry_run } } => {
                let deed = Deed::Stand(id, State::Completed);
                Job::ByHand(Request { plan, deed, reason, dry_run, if_there, evidence: None })
            }
            Self::Retry { plan, hand: HandArgs { reason, dry_run } } => Job::Retry { plan, reason, dry_run },
            Self::Presented { id, plan, shown_now } => Job::Presented { id, plan, record: shown_now },
            Self::Unfold { plan, reviews, dry_run } => Job::Unfold { plan, reviews, dry_run },
            Self::Progress { plan } => Job::Progress { plan },
            Self::Untick { id, plan, evidence, hand: HandArgs { reason, dry_run } } => {
                let deed = Deed::Stand(id, State::Pending);
                Job::ByHand(Request { plan, deed, reason, dry_run, if_there: false, evidence })
            }
            Self::State { state: (id, state), plan, hand } => by_hand(plan, Deed::Stand(id, state), hand),
            Self::Criterion { id, plan, defer, hand } => {
                let later = if defer { Later::Deferred } else { Later::Holds };
                by_hand(plan, Deed::Criterion(id, later), hand)
            }
            Self::Add { after, plan, title, body, hand } => {
                by_hand(plan, Deed::Add { after, title, body }, hand)
            }
            Self::Begin { file } => Job::Begin { file },
            Self::Fix { plan, all, print } => {
                let taking = match (all, print) {
                    (false, false) => Taking::Ask,
                    (true, false) => Taking::Equal,
                    (false, true) => Taking::Print,
                    (true, true) => Taking::PrintEqual,
                };
                Job::Fix { plan, taking }
            }
            Self::Adopt { file: Some(plan), undo: true, dialect, .. } => {
                Job::UndoAdopt { plan: PlanArgs { plan, dialect, pretty: false } }
            }
            Self::Adopt { file, adopt, .. } => Job::Adopt { file, adopt },
            Self::Goals { plan } => Job::Goals { plan },
            Self::Regressions { plan, config } => Job::Regressions { plan, config },
        }
    }

    fn effects(&self) -> Effects {
        match self {
            Self::List { .. }
            | Self::Unfold { dry_run: true, .. }
            | Self::Fix { print: true, .. }
            | Self::Presented { shown_now: false, .. } => Effects::None,
            Self::Tick { hand, .. }
            | Self::Untick { hand, .. }
            | Self::State { hand, .. }
            | Self::Criterion { hand, .. }
            | Self::Add { hand, .. }
                if hand.dry_run =>
            {
                Effects::None
            }
            _ => Effects::Some,
        }
    }
}

impl Args {
    /// The arguments as meant.
    fn meant(self) -> (Job, RunArgs) {
        let Self { command, file, adapt, accept, reason, config, run, .. } = self;
        let accept = accept.zip(reason).map(|(level, reason)| AcceptOnce { level, reason });
        (command.map_or(Job::Orders { file, adapt, accept, config }, Command::meant), run)
    }
}

impl Tool for Args {
    const ABOUT: About =
        About { name: "checkbox", schemas: &[END, ORDER, SUGGESTION, TICK], effects: Effects::Some };

    const OLD_SPELLINGS: &'static [OldSpelling] = &[
        OldSpelling::flag("--list", "list"),
        OldSpelling::with_value("--tick", "tick"),
        OldSpelling::with_value("--untick", "untick"),
        OldSpelling::with_value("--state", "state"),
        OldSpelling::with_value("--criterion", "criterion"),
        OldSpelling::with_value("--add", "add"),
        OldSpelling::flag("--begin", "begin"),
        OldSpelling::flag("--goals", "goals"),
        OldSpelling::flag("--untick-on-fail", "regressions"),
    ];

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn effects(&self) -> Effects {
        self.command.as_ref().map_or(Effects::Some, Command::effects)
    }

    fn run(self, out: &mut Output) -> Result<Exit, Fail> {
        let (job, run) = self.meant();
        crate::run(&job, &run, out)
    }
}

#[cfg(test)]
mod tests {
    use super::{Args, state};
    use crate::job::Job;
    use clap::Parser;
    use toolkit::cli::old_spellings::rewrite;
    use toolkit::cli::tool::Tool;
    use wire::State;

    #[test]
    fn the_command_line_is_well_formed() {
        crate::command().debug_assert();
    }

    #[test]
    fn a_state_is_split_from_its_id() {
        assert_eq!(state("P0-2b=blocked"), Ok(("P0-2b".to_owned(), State::Blocked)));
        assert_eq!(state("a=b=failed"), Ok(("a=b".to_owned(), State::Failed)));
        assert!(state("1=completed").is_err() && state("1").is_err());
    }

    #[test]
    fn an_old_spelling_means_what_the_new_one_means() {
        let table = [
            ("--list --text P", "list --text P"),
            ("--list --dialect gsd --pretty P", "list P --dialect gsd --pretty"),
            ("--tick 1 --reason r P", "tick 1 P --reason r"),
            ("--reason r --untick 1 --dry-run P", "untick 1 P --reason r --dry-run"),
            ("--state 1=failed --reason r P", "state 1=failed P --reason r"),
            ("--criterion 3:2 --defer --reason r P", "criterion 3:2 P --defer --reason r"),
            ("--add 1 --title t --body b --reason r P", "add 1 P --title t --body b --reason r"),
            ("--begin", "begin"),
            ("--begin orders", "begin orders"),
            ("--goals P", "goals P"),
            ("--untick-on-fail --config c P", "regressions P --config c"),
            ("--adapt orders", "--adapt orders"),
        ];
        for (old, new) in table {
            assert_eq!(meant(old), meant(new), "{old}");
        }
    }

    fn meant(line: &str) -> Job {
        let words = ["checkbox"].into_iter().chain(line.split(' ')).map(Into::into).collect();
        Args::try_parse_from(rewrite(Args::OLD_SPELLINGS, words)).unwrap().meant().0
    }
}
