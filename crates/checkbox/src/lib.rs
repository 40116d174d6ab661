//! `checkbox`: tick it, on proof, changing nothing else.
//!
//! In go orders, out come the same orders with `tick`, and in the plan file the box is ticked. Always true: a
//! box is ticked only on proof that is derived here again from ledger, plan, configuration and tree; an order
//! alone ticks nothing; exactly the bytes of the boxes change; a criterion that failed or was not run stays
//! open; ids are matched whole.

mod args;
mod by_hand;
mod plan_file;
mod tick;

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

pub(crate) const STAGE: &str = "checkbox";

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    if args.list {
        return by_hand::list(args, out);
    }
    if let Some(id) = args.tick.as_ref().or(args.untick.as_ref()) {
        return by_hand::change(args, id, out);
    }
    let desk = Desk::new(STAGE, &args.run)?;
    carry(args.file.as_deref(), out, |line| tick::tick(args, &desk, line))
}
