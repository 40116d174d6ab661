//! The command line of `worker-run`.

use crate::contain::Contain;
use crate::isolate::Isolate;
use std::ffi::OsString;
use std::path::PathBuf;
use toolkit::clock::RunArgs;
use toolkit::config::ConfigArgs;
use toolkit::output::Output;
use toolkit::tool::{About, Effects, Manners, Tool};
use toolkit::{Exit, Fail};
use wire::schemas::{END, ORDER};

/// Run the agent within bounds and record what it did and claims
///
/// There is no default worker: name one with --worker, in plantools.toml, or give a command after `--`.
/// The command gets the prompt on standard input and answers on standard output; the last JSON block wins.
#[derive(Debug, clap::Parser)]
#[command(name = "worker-run", version, max_term_width = 100)]
pub(crate) struct Args {
    /// Orders; '-' or none is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Use this worker: shell (the task's own `sh` blocks), claude, codex, opencode, kilo, gemini, goose, cline,
    /// aider, or one of plantools.toml
    #[arg(long, value_name = "NAME")]
    pub(crate) worker: Option<String>,
    /// How many workers may run at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) jobs: u32,
    /// How long a worker may take
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout_seconds: Option<u64>,
    /// How long a worker may be silent
    #[arg(long, value_name = "SECONDS")]
    pub(crate) stall_seconds: Option<u64>,
    /// How long a worker has to end after it was asked to
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(crate) grace_seconds: u64,
    /// Give each order a tree of its own and hand it on as it finishes; `commit-run --land` brings it in
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) isolate: Isolate,
    /// Give the worker a PID namespace of its own
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) contain: Contain,
    /// Print the exact command line for each order, start nothing and record nothing
    #[arg(long)]
    pub(crate) worker_dry_run: bool,
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
