//! The command line of `worker-run`.

use crate::isolate::Isolate;
use crate::isolate::pid_namespace::Contain;
use config::ConfigArgs;
use std::ffi::OsString;
use std::path::PathBuf;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::tool::{About, Effects, Manners, Tool};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::schemas::{END, ORDER};

/// Run the agent within bounds and record what it did and claims
///
/// There is no default worker: name one with --worker, in plantools.toml, or give a command after `--`.
/// The command gets the prompt on standard input and answers on standard output; the last JSON block wins.
#[derive(Debug, clap::Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(name = "worker-run", version, before_help = MOST_USED)]
pub(crate) struct Args {
    /// Orders; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Use this worker; a wrong name lists those that exist
    ///
    /// It is shell (the task's own `sh` blocks), claude, codex, opencode, kilo, gemini, goose, cline, aider, one of
    /// plantools.toml, the path of a program (`./agent`), which is run like COMMAND, or `acp:COMMAND` for an agent that speaks
    /// the Agent Client Protocol.
    #[arg(long, value_name = "NAME")]
    pub(crate) worker: Option<String>,
    /// How many workers may run at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: u32,
    /// How many seconds a worker may take
    #[arg(long, value_name = "S")]
    pub(crate) timeout_seconds: Option<u64>,
    /// How many seconds a worker may be silent
    #[arg(long, value_name = "S")]
    pub(crate) stall_seconds: Option<u64>,
    /// How long a worker has to end after it was asked to
    #[arg(long, value_name = "SECONDS", default_value_t = 10, hide_short_help = true)]
    pub(crate) grace_seconds: u64,
    /// Give each order a tree of its own and hand it on as it finishes; `commit-run land` brings it in
    #[arg(long, value_name = "HOW", value_enum, default_value_t, hide_short_help = true)]
    pub(crate) isolate: Isolate,
    /// Other runs carry out the same plan: claim each task, renew the claim while it is under way, and take no task that
    /// another run has claimed
    #[arg(long, hide_short_help = true)]
    pub(crate) shared: bool,
    /// For how long a task is claimed at a time (default: as configured, else 120)
    #[arg(long, value_name = "SECONDS", requires = "shared", hide_short_help = true,
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) lease: Option<u64>,
    /// Give the worker a PID namespace of its own
    #[arg(long, value_name = "HOW", value_enum, default_value_t, hide_short_help = true)]
    pub(crate) contain: Contain,
    /// Let the worker write nothing but its tree
    ///
    /// And what its client keeps, and private temporary files; the ledger, and git's configuration and hooks, are out of
    /// its reach. Needs bubblewrap.
    #[arg(long, hide_short_help = true)]
    pub(crate) sandbox: bool,
    /// Print the exact command lines and start nothing
    ///
    /// Nothing is recorded.
    #[arg(long)]
    pub(crate) worker_dry_run: bool,
    /// Read a plan instead of orders, and check that every open task has a worker; start nothing
    ///
    /// FILE is a `plan/1` document, as plan-parse prints it.
    #[arg(long, conflicts_with = "worker_dry_run")]
    pub(crate) preflight: bool,
    /// With --preflight: refuse a worker that does not report this of its use
    #[arg(long, value_name = "WHAT", value_enum, requires = "preflight", hide_short_help = true)]
    pub(crate) reports: Vec<Use>,
    /// Drive COMMAND, which speaks the Agent Client Protocol: the process of an attempt
    #[arg(long, hide = true, requires = "command")]
    pub(crate) drive_acp: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) manners: Manners,
    /// The worker's command, with its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// What a worker may report of its use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Use {
    /// What it cost in dollars; [prices] in plantools.toml gives it too, for a worker that reports tokens
    Cost,
    /// Tokens, input and output
    Tokens,
}

/// What is asked most; help shows it first, and the manual has it among its examples.
const MOST_USED: &str = concat!(
    "  worker-run --worker shell ready.ndjson > worked.ndjson   the plan's sh blocks\n",
    "  worker-run --worker shell --worker-dry-run ready.ndjson  what would be started\n",
    "  worker-run ready.ndjson -- sh worker.sh > worked.ndjson  a program of yours"
);

impl Tool for Args {
    const ABOUT: About = About { name: "worker-run", schemas: &[ORDER, END], effects: Effects::Some };

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
