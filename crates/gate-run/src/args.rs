//! The command line of `gate-run`.

use crate::run::budget::{self, BudgetArgs};
use crate::run::logs::KeepArgs;
use config::ConfigArgs;
use config::tokens::pair;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::schemas::{END, GATE, ORDER, PROOF, RESTORATION, SUGGESTION};

/// Run the plan's checks and say whether they are true
///
/// With orders on standard input it runs the criteria of the plan for each. With `-- COMMAND` it runs one
/// command and prints one `gate/1`: exit 0 pass, 1 fail, 3 no verdict. With `--when`, `--gate` or `--all` it runs
/// gates of the configuration.
#[derive(Debug, clap::Parser)]
#[command(name = "gate-run", version, before_help = MOST_USED, subcommand_required = false)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) question: Option<Question>,
    /// Orders; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) set: SetArgs,
    #[command(flatten)]
    pub(crate) alone: AloneArgs,
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
    /// Name of the bead or task that gates and commands belong to; a command with one is recorded
    #[arg(long, value_name = "ID", global = true, hide_short_help = true)]
    pub(crate) bead_id: Option<String>,
    /// When the run began, shared by all gates of a batch (default: now)
    #[arg(long, value_name = "TIME", global = true, hide_short_help = true)]
    pub(crate) run_timestamp: Option<String>,
    /// Where to run a command; for gates, the folder whose configuration it is
    #[arg(long, value_name = "DIR", default_value = ".", global = true, hide_short_help = true)]
    pub(crate) cwd: PathBuf,
    /// Let a task pass that is unproved; recorded with the reason
    #[arg(long, value_name = "REASON", hide_short_help = true, value_parser = toolkit::files::redact::typed)]
    pub(crate) accept_unproved: Option<String>,
    /// Run each task's own checks before its first attempt; for orders, before worker-run
    #[arg(long, conflicts_with_all = ["command", "when", "gate", "all", "hook", "plan"], hide_short_help = true)]
    pub(crate) before: bool,
    /// Let checks run that act (deploy, publish, migrate, …); recorded with the reason
    #[arg(long, value_name = "REASON", hide_short_help = true, value_parser = toolkit::files::redact::typed)]
    pub(crate) allow_acts: Option<String>,
    /// Let tasks pass whose unclear checks a person judges; recorded with the reason
    #[arg(long, value_name = "REASON", hide_short_help = true, value_parser = toolkit::files::redact::typed)]
    pub(crate) unclear_note: Option<String>,
    /// Answer an agent's hook, whose JSON is on standard input
    ///
    /// The hook is `PostToolUse`, `Stop`, `SubagentStop`, `TaskCompleted` or `TeammateIdle`.
    #[arg(long, conflicts_with_all = ["command", "when", "gate", "all"], hide_short_help = true)]
    pub(crate) hook: bool,
    /// The agent whose work a hook verifies, without the name of its plugin
    #[arg(long, value_name = "NAME", default_value = "worker", requires = "hook", hide_short_help = true)]
    pub(crate) agent: String,
    /// With --hook, judge only the task that a session has taken from 'orchestrate mcp'; let all else pass
    #[arg(long, requires = "hook", conflicts_with = "plan", hide_short_help = true)]
    pub(crate) taken: bool,
    /// The plan: with `--when end`, the checks that it sets for the whole run too; with `--when recheck`, only those of its
    /// ticked tasks; with `--hook`, its criteria run instead of those that the worker reports
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["file", "command", "gate", "all"], hide_short_help = true)]
    pub(crate) plan: Option<PathBuf>,
    /// Run only the checks of ticked tasks whose evidence in the history does not fit, see 'punch attest'
    #[arg(
        long,
        value_name = "PLAN",
        conflicts_with_all = ["file", "command", "when", "gate", "all", "hook", "before", "plan"],
        hide_short_help = true
    )]
    pub(crate) stale: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) show: ShowArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
    /// One command to run, with its arguments
    #[arg(last = true, value_name = "COMMAND", conflicts_with_all = ["file", "when", "gate", "all", "profile"])]
    pub(crate) command: Vec<OsString>,
}

/// What is asked most; help shows it first, and the manual has it among its examples.
const MOST_USED: &str = concat!(
    "  gate-run --timeout-seconds 60 -- git diff --check  one command, within bounds\n",
    "  gate-run --when end                                the gates of plantools.toml\n",
    "  gate-run worked.ndjson | run-report                the checks of these orders"
);

/// What people see.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ShowArgs {
    /// Show the output of checks on stderr while they run, secrets masked
    #[arg(long, hide_short_help = true)]
    pub(crate) pass_through: bool,
    /// Say nothing on stderr while all is well
    #[arg(long, conflicts_with = "pass_through", hide_short_help = true)]
    pub(crate) json_only: bool,
    /// Say on a terminal that a check is still running, each time so much time has passed; 0 is never
    #[arg(long, value_name = "SECONDS", value_parser = budget::seconds, default_value = "20", hide_short_help = true)]
    pub(crate) heartbeat_seconds: Duration,
    /// Indent the JSON of answers for people
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) pretty: bool,
}

/// Which gates of the configuration, and how.
#[derive(Debug, Default, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct SetArgs {
    /// Run the gates of task, test, phase, end or manual
    #[arg(
        long, value_name = "MOMENT", value_parser = ["task", "test", "phase", "end", "manual", "recheck"],
        hide_possible_values = true, conflicts_with = "file"
    )]
    pub(crate) when: Option<String>,
    /// Run this gate of the configuration; may be given again
    ///
    /// The name of a composite stands for its gates.
    #[arg(long, value_name = "ID", conflicts_with = "file")]
    pub(crate) gate: Vec<String>,
    /// Run every gate of the configuration but the manual ones
    #[arg(long, conflicts_with_all = ["file", "when", "gate"])]
    pub(crate) all: bool,
    /// Check that every gate of the configuration could run, its tokens and its Python, and run none
    #[arg(long, hide_short_help = true, conflicts_with_all = ["file", "when", "gate", "all"])]
    pub(crate) preflight: bool,
    /// Budgets to use, by the name that the configuration gives them
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(crate) profile: Option<String>,
    /// Stop at the first gate that does not pass
    #[arg(long, hide_short_help = true)]
    pub(crate) fail_fast: bool,
    /// With `--when recheck`, also run what has passed on this very tree: its cause may be outside of the tree
    #[arg(long, requires = "when", hide_short_help = true)]
    pub(crate) again: bool,
    /// How many gates may run at the same time; those with the same lock never do
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64), hide_short_help = true)]
    pub(crate) jobs: u32,
    /// The value of a `{{TOKEN}}` in the configuration; may be given again
    #[arg(long, value_name = "TOKEN=VALUE", value_parser = pair, global = true, hide_short_help = true)]
    pub(crate) set: Vec<(String, String)>,
    /// The commit that built-in checks compare with
    #[arg(long, value_name = "COMMIT", default_value = "HEAD", hide_short_help = true)]
    pub(crate) base: String,
}

/// Flags for one command.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct AloneArgs {
    /// Name of the gate, with `-- COMMAND`
    #[arg(long, value_name = "ID", default_value = "adhoc", hide_short_help = true)]
    pub(crate) gate_id: String,
    /// A variable for the command, with `-- COMMAND`; may be given again
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, hide_short_help = true)]
    pub(crate) env: Vec<(String, String)>,
    /// What must come: `fail` is for tests that are written first, and takes only a test that ran and failed
    #[arg(long, value_name = "WHAT", value_parser = ["pass", "fail"], default_value = "pass", hide_short_help = true)]
    pub(crate) expect: String,
    /// How often to run a check again that failed; one that passes then is flaky
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(crate) retries: Option<u32>,
}

/// What to ask besides.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Question {
    /// Say from the ledger whether these gates have passed
    ///
    /// Each must have a pass that is not stale.
    Proof {
        /// The gates, separated by commas
        #[arg(long, value_name = "ID,…", value_delimiter = ',', required = true)]
        require: Vec<String>,
        #[command(flatten)]
        config: ConfigArgs,
    },
    /// Try suggested checks: they must be false until the work is done
    ///
    /// Each `suggestion/1` goes on with its `trial`. Nothing runs in the main tree: a check runs in a scratch worktree as
    /// the tree is now, where it must fail, and in one with an unrelated edit, an empty commit and empty files at the
    /// paths of the task, where it must fail too. One that only the empty files make true is marked `existence_only`.
    Try {
        /// The suggestions of 'plan-parse --suggest'; '-' or none is standard input
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        #[command(flatten)]
        budget: BudgetArgs,
        #[command(flatten)]
        config: ConfigArgs,
    },
    /// Run the checks of a task as they are now, and record nothing
    ///
    /// It prints a `gate/1` for each, and answers 0, 1 or 3 as for one command. A check that acts does not run.
    Task {
        /// The task
        #[arg(value_name = "ID")]
        id: String,
        /// The plan
        #[arg(value_name = "PLAN")]
        plan: PathBuf,
        #[command(flatten)]
        budget: BudgetArgs,
        #[command(flatten)]
        config: ConfigArgs,
    },
    /// Run one check of a plan on the tree of a commit
    ///
    /// It runs in a scratch worktree that is removed afterwards, and nothing is recorded. A check that acts does not run.
    At {
        /// The check, like '4:1'
        #[arg(value_name = "ID:N")]
        check: String,
        /// The plan
        #[arg(value_name = "PLAN")]
        plan: PathBuf,
        /// The commit (default: the tree as it is now)
        #[arg(long, value_name = "COMMIT")]
        commit: Option<String>,
        #[command(flatten)]
        budget: BudgetArgs,
        #[command(flatten)]
        config: ConfigArgs,
    },
    /// Run a gate again after a fault, as a Restoration Contract asks
    Restore {
        /// The Restoration Contract; '-' or none is standard input
        #[arg(value_name = "CONTRACT")]
        contract: Option<PathBuf>,
        #[command(flatten)]
        config: ConfigArgs,
    },
}

impl Args {
    /// The bead's name; `adhoc` where none was given.
    pub(crate) fn bead(&self) -> String {
        self.bead_id.clone().unwrap_or_else(|| "adhoc".to_owned())
    }

    /// When the run began.
    pub(crate) fn started(&self) -> Result<String, Fail> {
        Ok(match &self.run_timestamp {
            Some(time) => time.clone(),
            None => self.run.clock()?.now(),
        })
    }
}

impl Tool for Args {
    const ABOUT: About = About {
        name: "gate-run",
        schemas: &[ORDER, END, GATE, PROOF, RESTORATION, SUGGESTION],
        effects: Effects::Some,
    };

    fn manners(&self) -> &Manners {
        &self.manners
    }

    fn run(self, out: &mut Output) -> Result<Exit, Fail> {
        crate::run(&self, out)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        crate::command().debug_assert();
    }
}
