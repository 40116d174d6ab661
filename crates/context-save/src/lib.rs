//! `context-save`: what must the next tasks know?
//!
//! In go orders, out come the same orders with `context`, and beside the plan the files that later tasks read:
//! `outputs.json`, `learnings.md`, `issues.md`, `decisions.md`, `audit.md`, and for a session the summaries. Always true:
//! only work that was not refused is saved; a halt leaves its entry in `issues.md`; two writers never lose each other's
//! values; saving the same order again changes nothing.

mod args;
mod audit;
mod complete;
mod inherit;
mod outputs;
mod repair;
mod save;
mod session;
mod snapshot;
mod summary;

use args::Args;
use toolkit::output::Output;
use toolkit::stage::{Desk, carry};
use toolkit::{Exit, Fail, tool};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

pub(crate) const STAGE: &str = "context-save";

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    if let Some(task) = &args.show {
        return inherit::show(args, task, out);
    }
    if args.snapshot {
        return snapshot::command(args, out);
    }
    if let Some(session) = &args.repair {
        return repair::command(args, session, out);
    }
    if let Some(session) = &args.complete {
        return complete::command(args, session, out);
    }
    let desk = Desk::new(STAGE, &args.run)?;
    carry(args.file.as_deref(), out, |line| save::order(&desk, line))
}
