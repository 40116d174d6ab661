//! `commit-run`: commit exactly what the plan says.
//!
//! In go orders, out come the same orders with `commit`, and in the repository one commit for each row of the
//! plan's commit strategy. Always true: only files that the row names are committed; what else a user changed
//! or staged is the same before and after; the message is the plan's own, with trailers that say which task of
//! which run it was; nothing is committed twice. With `--land` the work of a task's own tree comes into the main tree,
//! and what is not proved there is taken back.

mod args;
mod clean;
mod commit;
mod guard;
mod history;
mod land;
mod leftover;
mod owed;
mod push;
mod rebuild;
mod settle;
mod turn;

use args::Args;
use leftover::Kind;
use push::Push;
use std::collections::BTreeSet;
use std::path::Path;
use toolkit::output::Output;
use toolkit::stage::{Desk, carry, order_of};
use toolkit::{Exit, Fail, tool};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
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
    if args.rebuild_state {
        return rebuild::print(args, out);
    }
    if args.land {
        let desk = Desk::new(land::STAGE, &args.run)?;
        let mut roots = BTreeSet::new();
        let exit = carry(args.file.as_deref(), out, |line| {
            land::order(args, &desk, line)?;
            roots.insert(order_of(line)?.plan.root);
            Ok(())
        })?;
        roots.iter().try_for_each(|root| turn::see_off(Path::new(root)))?;
        return Ok(exit);
    }
    let push = Push::new(args)?;
    let exit = if args.pending {
        owed::pending(args, out)?
    } else if args.residual {
        leftover::commit(args, Kind::Residual, out)?
    } else if args.bookkeeping {
        leftover::commit(args, Kind::Bookkeeping, out)?
    } else {
        let desk = Desk::new(STAGE, &args.run)?;
        return stage(args, &desk, out);
    };
    push.after()?;
    Ok(exit)
}

/// Carries the orders; the branches of those that were committed are pushed when all are through.
fn stage(args: &Args, desk: &Desk, out: &mut Output) -> Result<Exit, Fail> {
    let mut roots: Vec<Push> = Vec::new();
    let exit = carry(args.file.as_deref(), out, |line| {
        let root = order_of(line)?.plan.root;
        if args.push && !roots.iter().any(|push| push.is_at(Path::new(&root))) {
            roots.push(Push::at(Path::new(&root))?);
        }
        settle::order(args, desk, line)?;
        turn::settle(line)
    })?;
    roots.iter().try_for_each(Push::after)?;
    Ok(exit)
}
