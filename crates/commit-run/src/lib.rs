//! `commit-run`: commit exactly what the plan says.
//!
//! In go orders, out come the same orders with `commit`, and in the repository one commit for each row of the
//! plan's commit strategy. Always true: only files that the row names are committed; what else a user changed
//! or staged is the same before and after; the message is the plan's own, with trailers that say which task of
//! which run it was; nothing is committed twice.

mod args;
mod clean;
mod commit;
mod owed;
mod residual;
mod settle;

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

pub(crate) const STAGE: &str = "commit-run";

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    if args.check_clean {
        return clean::check(args, out);
    }
    if args.pending {
        return owed::pending(args, out);
    }
    if args.residual {
        return residual::commit(args, out);
    }
    let desk = Desk::new(STAGE, &args.run)?;
    carry(args.file.as_deref(), out, |line| settle::order(args, &desk, line))
}
