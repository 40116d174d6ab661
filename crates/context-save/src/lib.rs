//! `context-save`: what must the next tasks know?
//!
//! In go orders, out come the same orders with `context`, and beside the plan the files that later tasks read:
//! `outputs.json`, `learnings.md`, `issues.md`, `decisions.md`, `audit.md`, and for a session the summaries. Always true:
//! only work that was not refused is saved; a halt leaves its entry in `issues.md`; two writers never lose each other's
//! values; saving the same order again changes nothing.

mod args;
mod inherit;
mod job;
mod save;
mod session;
mod summary;

use crate::args::Args;
use crate::job::Job;
use crate::session::complete;
use crate::session::repair;
use crate::session::snapshot;
use ledger::recorder::Recorder;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::tool;
use toolkit::stream::output::Output;
use toolkit::stream::stage::carry;
use toolkit::{Exit, Fail};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

pub(crate) const STAGE: &str = "context-save";

fn run(job: &Job, run: &RunArgs, out: &mut Output) -> Result<Exit, Fail> {
    match job {
        Job::Orders { file } => {
            let desk = Recorder::new(STAGE, run)?;
            carry(file.as_deref(), out, |line| save::order(&desk, line))
        }
        Job::Inherit { task, plan, pretty } => inherit::show(task, plan, *pretty, out),
        Job::Snapshot { plan } => snapshot::command(plan, run, out),
        Job::Repair { session_file, session } => repair::command(session, *session_file, run, out),
        Job::Complete { session } => complete::command(session, run, out),
    }
}
