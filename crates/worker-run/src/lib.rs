//! `worker-run`: run the agent within bounds; what did it do and claim?
//!
//! In go orders with a prompt, out come the same orders with `worker`. Always true: the start is on record
//! before the worker starts, its result is saved before the line is written, the whole tree of its processes
//! has ended before the order goes on, and in a shared tree no order goes on while a worker of the round runs; with
//! a tree for each they go on as they finish.
//! What the worker says is written down; none of it decides anything.

mod adapter;
mod adapters;
mod answer;
mod args;
mod attempt;
mod baseline;
mod begin;
mod breaker;
mod carried;
mod choose;
mod claim;
mod contain;
mod declared;
mod dry;
mod elsewhere;
mod ending;
mod fault;
mod flow;
mod isolate;
mod job;
mod neighbours;
mod outcome;
pub mod outside;
mod reading;
mod roll;
mod round;
mod sandbox;
mod shell;
mod steps;
mod survivors;
mod watch;

use args::Args;
use isolate::Isolate;
use reading::Said;
use toolkit::output::Output;
use toolkit::{Exit, Fail, tool};
use wire::order::Outcome;

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

/// What a client's output and exit code mean: the outcome, with the client's own reason where it is not done. A client
/// that was refused a tool and still `changed` something is done. `None` for a client that nobody knows.
pub fn classify(
    client: &str,
    stdout: &str,
    stderr: &str,
    exit: Option<i32>,
    changed: bool,
) -> Option<(Outcome, String)> {
    let said = Said { stdout, stderr, exit, signal: None };
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
        _ if args.worker_dry_run => dry::print(args, out),
        Isolate::None => round::carry(args, out),
        Isolate::Worktree => flow::carry(args, out),
    }
}
