//! `worker-run`: run the agent within bounds; what did it do and claim?
//!
//! In go orders with a prompt, out come the same orders with `worker`. Always true: the start is on record
//! before the worker starts, its result is saved before the line is written, the whole tree of its processes
//! has ended before the order goes on, and in a shared tree no order goes on while a worker of the round runs.
//! What the worker says is written down; none of it decides anything.

mod answer;
mod args;
mod attempt;
mod choose;
mod job;
mod outcome;
mod round;
mod shell;
mod watch;

use args::Args;
use toolkit::output::Output;
use toolkit::{Exit, Fail, tool};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>()
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

pub(crate) const STAGE: &str = "worker-run";

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    round::carry(args, out)
}
