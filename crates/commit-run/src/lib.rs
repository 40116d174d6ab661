//! `commit-run`: commit exactly the files that the plan names.
//!
//! In go orders, out come the same orders with `commit`, and in the repository one commit for each row of the
//! plan's commit strategy. Always true: only files that the row names are committed; what else a user changed
//! or staged is the same before and after; the message is the plan's own, with trailers that say which task of
//! which run it was; nothing is committed twice. `commit-run land` brings the work of a task's own tree into the main
//! tree, and what is not proved there is taken back.

mod args;
mod check_clean;
mod commit;
mod condition;
mod history;
mod job;
mod land;
mod pending;
mod push;
mod rebuild_state;
mod residual;
mod revert;
mod settle;
mod start;

use crate::args::Args;
use crate::job::{Job, PlanCommit};
use crate::land::turn;
use crate::push::Push;
use config::ConfigArgs;
use dialects::context::files::Shelf;
use dialects::context::journal;
use ledger::recorder::Recorder;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::tool;
use toolkit::stream::output::Output;
use toolkit::stream::stage::{carry, carry_rounds, order_of};
use toolkit::{Exit, Fail};
use wire::order::PlanRef;
use wire::{OrderLine, TaskId};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

pub(crate) const STAGE: &str = "commit-run";

fn run(job: &Job, run: &RunArgs, out: &mut Output) -> Result<Exit, Fail> {
    match job {
        Job::Orders { file, push, config } => {
            let desk = Recorder::new(STAGE, run)?;
            commit_orders(file.as_deref(), *push, config, &desk, out)
        }
        Job::Land { file, config } => {
            let desk = Recorder::new(land::STAGE, run)?;
            land_orders(file.as_deref(), config, &desk, out)
        }
        Job::Pending(args) => and_push(args, || pending::pending(args, run, out)),
        Job::LeftOver(kind, args) => and_push(args, || residual::commit(*kind, args, run, out)),
        Job::CheckClean { path, resume } => check_clean::check(path.as_deref(), *resume, out),
        Job::Start { plan } => start::print(plan, out),
        Job::Revert(args) => revert::revert(args, run, out),
        Job::RebuildState { plan, pretty } => rebuild_state::print(plan.as_deref(), *pretty, out),
    }
}

/// Carries the orders. Each commit is pushed when it is made; a push that fails is reported at the end of the round.
fn commit_orders(
    file: Option<&Path>,
    push: bool,
    config: &ConfigArgs,
    desk: &Recorder,
    out: &mut Output,
) -> Result<Exit, Fail> {
    // The last push, if it failed: one that succeeds takes the earlier commits along.
    let unpushed: RefCell<Option<(PlanRef, TaskId, Fail)>> = RefCell::default();
    let commit = |line: &mut OrderLine| {
        let order = order_of(line)?;
        let before = if push { Some(Push::at(Path::new(&order.plan.root))?) } else { None };
        settle::order(config, desk, line)?;
        turn::settle(line)?;
        match before.map(|before| before.after()) {
            Some(Ok(true)) => drop(unpushed.take()),
            Some(Err(fail)) => drop(unpushed.replace(Some((order.plan, order.task.id, fail)))),
            Some(Ok(false)) | None => {}
        }
        Ok(())
    };
    let told = || {
        let Some((plan, task, fail)) = unpushed.take() else { return Ok(()) };
        let issue = [fail.message.clone()];
        Shelf::of(&plan)?.edit("issues.md", |text| journal::add(text, &task, &issue, "- [ ] "))?;
        Err(fail)
    };
    let exit = carry_rounds(file, out, commit, told)?;
    // A file of orders may have no end.
    told()?;
    Ok(exit)
}

/// Lands the orders one at a time, and waits for the last landing to be settled.
fn land_orders(
    file: Option<&Path>,
    config: &ConfigArgs,
    desk: &Recorder,
    out: &mut Output,
) -> Result<Exit, Fail> {
    let mut roots = BTreeSet::new();
    let exit = carry(file, out, |line| {
        land::order(config, desk, line)?;
        roots.insert(order_of(line)?.plan.root);
        Ok(())
    })?;
    roots.iter().try_for_each(|root| turn::see_off(Path::new(root)))?;
    Ok(exit)
}

/// Commits for a plan, then pushes its branch if that was asked for and HEAD has moved.
fn and_push(args: &PlanCommit, commit: impl FnOnce() -> Result<Exit, Fail>) -> Result<Exit, Fail> {
    let push = Push::of(args)?;
    let exit = commit()?;
    push.after().map(|_| exit)
}
