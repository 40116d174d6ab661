//! `gate-run`: is it true? It runs the checks itself.
//!
//! In go orders, out come the same orders with `verdict`; or in goes one command, out comes one `gate/1`.
//! Always true: the commands are those of the plan and the configuration, never of the worker; each has its
//! own shell, process group and budget; an answer comes back in time; "nothing ran" is not a pass; a check
//! whose tree moved meanwhile gives no verdict.

mod alone;
mod args;
mod category;
mod check;
mod judge;
mod verdict;

use args::Args;
use toolkit::output::Output;
use toolkit::stage::{Desk, carry};
use toolkit::{Exit, Fail, tool};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>()
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

pub(crate) const STAGE: &str = "gate-run";

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    if !args.command.is_empty() {
        return alone::command(args, out);
    }
    if let Some(moment) = &args.when {
        return alone::set(args, moment, out);
    }
    let desk = Desk::new(STAGE, &args.run)?;
    carry(args.file.as_deref(), out, |line| verdict::judge(args, &desk, line))
}
