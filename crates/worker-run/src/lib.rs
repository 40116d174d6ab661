//! `worker-run`: run the agent within bounds; what did it do and claim?
//!
//! The input is orders with a prompt, the output the same orders with `worker`. Invariants: the start is recorded
//! before the worker starts; its result is saved before the line is written; all its processes have ended before the
//! order proceeds; in a shared tree no order proceeds while a worker of the round runs, and with separate worktrees
//! orders proceed as they finish. The worker's statements are recorded; none of them decides anything.

mod acp;
mod adapters;
mod answer;
mod args;
mod attempt;
mod dry_run;
mod flow;
mod guard;
mod isolate;
pub mod outside;
mod round;
mod shell;

use crate::adapters::adapter;
use crate::adapters::reading::ClientOutput;
use crate::args::Args;
use crate::isolate::Isolate;
use toolkit::cli::tool;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::order::Outcome;

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

/// The meaning of a client's output and exit code: the outcome, with the client's own reason if it is not done. A
/// client that was refused a tool and still `changed` something is done. `None` for an unknown client.
pub fn classify(
    client: &str,
    stdout: &str,
    stderr: &str,
    exit: Option<i32>,
    changed: bool,
) -> Option<(Outcome, String)> {
    let said = ClientOutput { stdout, stderr, exit, signal: None };
    let reading = (adapter::named(client)?.read)(&said);
    Some(match reading.fault {
        Some(fault) => (fault.outcome, fault.message),
        None if !reading.denied.is_empty() && !changed => (Outcome::Denied, reading.denied.join(", ")),
        None => (Outcome::Done, String::new()),
    })
}

pub(crate) const STAGE: &str = "worker-run";

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    if args.shared && args.isolate == Isolate::None {
        return Err(Fail::usage("'--shared' needs '--isolate worktree': each task has a tree of its own"));
    }
    match args.isolate {
        _ if args.drive_acp => acp::drive(args, out),
        _ if args.preflight => dry_run::preflight(args),
        _ if args.worker_dry_run => dry_run::print(args, out),
        Isolate::None => round::carry(args, out),
        Isolate::Worktree => flow::carry(args, out),
    }
}
