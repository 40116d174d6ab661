//! `checkbox`: tick it, on proof, changing nothing else.
//!
//! In go orders, out come the same orders with `tick`, and in the plan file the box is ticked. Always true: a
//! box is ticked only on proof that is derived here again from ledger, plan, configuration and tree; an order
//! alone ticks nothing; exactly the bytes of the boxes change; a criterion that failed or was not run stays
//! open; ids are matched whole; what a person decides is on record before it is in the plan.

mod adapt;
mod added;
mod args;
mod begin;
mod by_hand;
mod deed;
mod goals;
mod issue_tracker;
mod landed;
mod list;
mod plan_file;
mod regression;
mod tick;

use args::Args;
use tick::Ticker;
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

pub(crate) const STAGE: &str = "checkbox";

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    if args.list {
        return list::print(args, out);
    }
    if args.goals {
        return goals::settle(args, out);
    }
    if args.untick_on_fail {
        return regression::reopen(args, out);
    }
    if let Some(deed) = deed::of(args) {
        return by_hand::carry_out(args, &deed, out);
    }
    let desk = Desk::new(STAGE, &args.run)?;
    if args.begin {
        return carry(args.file.as_deref(), out, |line| begin::mark(&desk, line));
    }
    let mut ticker = Ticker::new(args, &desk);
    carry(args.file.as_deref(), out, |line| ticker.tick(line))
}
