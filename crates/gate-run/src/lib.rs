//! `gate-run`: is it true? It runs the checks itself.
//!
//! The input is orders, the output the same orders with `verdict`; or the input is one command or the gates of a
//! configuration, the output one `gate/1` each. Invariants: the commands come from the plan and the configuration,
//! and a worker's report never makes a verdict; each command has its own shell, process group and budget; an answer
//! comes in time; "nothing ran" is not a pass; a check whose tree changed meanwhile gives no verdict.

mod args;
mod at_commit;
mod builtin;
mod gates;
mod hook;
mod order;
pub mod outside;
mod restore;
mod run;
mod trial;

use crate::args::{Args, Question};
use crate::gates::catalog::{Catalog, Kind};
use crate::gates::configured;
use crate::gates::one_command;
use crate::gates::one_task;
use crate::gates::{passed, stale};
use crate::order::{before, verdict};
use crate::run::progress;
use ledger::recorder::Recorder;
use std::io::IsTerminal;
use toolkit::cli::tool;
use toolkit::files::root;
use toolkit::stream::output::Output;
use toolkit::stream::stage::carry;
use toolkit::{Exit, Fail};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

pub(crate) const STAGE: &str = "gate-run";

/// The moment at which the checks of ticked tasks run again, and nothing else.
pub(crate) const RECHECK: &str = "recheck";

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    match &args.question {
        Some(Question::Proof { require, config }) => return passed::run(args, require, config, out),
        Some(Question::Restore { contract, config }) => {
            return restore::run(args, contract.as_deref(), config, out);
        }
        Some(Question::Task { id, plan, budget, config }) => {
            return one_task::run(args, id, plan, budget, config, out);
        }
        Some(Question::Try { file, budget, config }) => {
            return trial::run(args, file.as_deref(), budget, config, out);
        }
        Some(Question::At { check, plan, commit, budget, config }) => {
            let asked = at_commit::Asked { check, plan, commit: commit.as_deref(), budget, config };
            return at_commit::run(args, &asked, out);
        }
        None => {}
    }
    if args.hook {
        return hook::run(args, out);
    }
    if let Some(plan) = &args.stale {
        return stale::run(args, plan, out);
    }
    if args.plan.is_some() && !matches!(args.set.when.as_deref(), Some("end" | RECHECK)) {
        return Err(Fail::usage("'--plan' goes with '--when end', '--when recheck' or '--hook'".to_owned()));
    }
    if args.set.preflight {
        let catalog = Catalog::load(&args.config, &root::find(&args.cwd)?)?;
        return catalog.chosen(args).map(|_| Exit::Ok);
    }
    if !args.command.is_empty() {
        return one_command::run(args, out);
    }
    if is_set(args)? {
        return configured::run(args, out);
    }
    if args.before {
        return before::run(args, out);
    }
    let desk = Recorder::new(STAGE, &args.run)?;
    let watch = progress::Progress::stage(args);
    carry(args.file.as_deref(), out, |line| {
        watch.next_order();
        verdict::judge(args, &desk, &watch, line)
    })
}

/// Whether the gates of a configuration were requested, not the checks of orders.
fn is_set(args: &Args) -> Result<bool, Fail> {
    if args.before {
        return Ok(false);
    }
    let asked = args.set.when.is_some() || args.set.all || !args.set.gate.is_empty();
    if asked || args.file.is_some() || args.config.config.is_none() {
        return Ok(asked);
    }
    // A file with only gates leaves no choice; with our own format, orders come from the pipe.
    let kind = Catalog::load(&args.config, &root::find(&args.cwd)?)?.kind;
    Ok(kind == Kind::Foreign || std::io::stdin().is_terminal())
}
