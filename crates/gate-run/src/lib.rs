//! `gate-run`: is it true? It runs the checks itself.
//!
//! In go orders, out come the same orders with `verdict`; or in goes one command, or the gates of a configuration, out
//! comes one `gate/1` each. Always true: the commands are those of the plan and the configuration, and what a worker
//! says that it ran never makes a verdict; each has its own shell, process group and budget; an answer comes back in
//! time; "nothing ran" is not a pass; a check whose tree moved meanwhile gives no verdict.

mod again;
mod alone;
mod args;
mod batch;
mod block;
mod budget;
mod builtin;
mod catalog;
mod category;
mod check;
mod claims;
mod commands_toml;
mod contract;
mod counts;
mod dependencies;
mod envelope;
mod fitter_toml;
mod guard;
mod halting;
mod hearing;
mod hook;
mod judge;
mod logs;
mod missing;
mod outcome;
pub mod outside;
mod proof;
mod records;
mod reports;
mod restore;
mod retry;
mod round;
mod runner;
mod script;
mod set;
mod step;
mod subject;
mod suppressions;
mod tokens;
mod verdict;
mod watch;

use args::{Args, Question};
use catalog::{Catalog, Kind};
use std::io::IsTerminal;
use toolkit::output::Output;
use toolkit::stage::{Desk, carry};
use toolkit::{Exit, Fail, root, tool};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

pub(crate) const STAGE: &str = "gate-run";

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    match &args.question {
        Some(Question::Proof { require, config }) => return proof::run(args, require, config, out),
        Some(Question::Restore { contract, config }) => {
            return restore::run(args, contract.as_deref(), config, out);
        }
        None => {}
    }
    if args.hook {
        return hook::run(args, out);
    }
    if args.plan.is_some() && args.set.when.as_deref() != Some("end") {
        return Err(Fail::usage("'--plan' goes with '--when end' or '--hook'".to_owned()));
    }
    if !args.command.is_empty() {
        return alone::run(args, out);
    }
    if is_set(args)? {
        return set::run(args, out);
    }
    let desk = Desk::new(STAGE, &args.run)?;
    let watch = watch::Watch::stage(args);
    carry(args.file.as_deref(), out, |line| {
        watch.next_order();
        verdict::judge(args, &desk, &watch, line)
    })
}

/// Whether the gates of a configuration were asked for, and not the checks of orders.
fn is_set(args: &Args) -> Result<bool, Fail> {
    let asked = args.set.when.is_some() || args.set.all || !args.set.gate.is_empty();
    if asked || args.file.is_some() || args.config.config.is_none() {
        return Ok(asked);
    }
    // A file that holds nothing but gates leaves no choice; with our own, orders come down the pipe.
    let kind = Catalog::load(&args.config, &root::find(&args.cwd)?)?.kind;
    Ok(kind == Kind::Foreign || std::io::stdin().is_terminal())
}
