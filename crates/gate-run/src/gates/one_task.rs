//! Runs the checks of one task as they are now and records nothing: what is missing before the work is handed in.
//!
//! These are the checks that the pipe runs after the work. One that acts does not run, and has no verdict here.

use crate::args::Args;
use crate::gates::catalog::Catalog;
use crate::gates::configured::Bench;
use crate::gates::one_command;
use crate::order::before;
use crate::run::budget::{Budget, BudgetArgs};
use crate::run::check::Check;
use crate::run::outcome;
use crate::run::progress::Progress;
use config::{ConfigArgs, GateRule};
use dialects::PlanSnapshot;
use ledger::{proof, unclear};
use std::path::Path;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::gate::StopReason;
use wire::order::PlanRef;
use wire::{Task, TaskId};

/// Prints a `gate/1` for each check of the task.
pub(crate) fn run(
    args: &Args,
    id: &str,
    plan: &Path,
    budget: &BudgetArgs,
    config: &ConfigArgs,
    out: &mut Output,
) -> Result<Exit, Fail> {
    let root = root::find(plan)?;
    let catalog = Catalog::load(config, &root)?;
    let (task, dialect) = task(plan, &root, id)?;
    let profile = catalog.config.profile(&dialect)?;
    let home = Home::of(&root)?;
    let watch = Progress::alone(args);
    let bench = Bench::new(args, &catalog, &home, &watch)?;
    let limits = |gate: Option<&GateRule>| Budget::of(budget, None, &catalog.config, gate);
    let mut checks = Vec::new();
    for criterion in task.criteria.iter().filter(|one| one.skip.is_none()) {
        let check = Check::of_criterion(criterion, limits(None));
        if criterion.holds().is_some() {
            checks.push((check, Some(outcome::fault(StopReason::Ambiguous, &unclear::words(criterion)))));
        } else if criterion.runnable {
            checks.push((check, None));
        }
    }
    for gate in catalog.config.gates.iter().filter(|gate| proof::is_for(&task, gate, &profile)) {
        let gate = catalog.resolved(gate, &args.set.set)?;
        let check = Check::of_gate(&gate, limits(Some(&gate)));
        // A fix would change the work that is being looked at.
        checks.push((Check { id: proof::gate_key(&gate.id), fix: None, ..check }, None));
    }
    let mut statuses = Vec::new();
    for (check, no_verdict) in checks {
        let acts = before::acting(&check);
        let acts = acts.map(|what| outcome::fault(StopReason::Acts, &before::not_allowed(&check.id, &what)));
        let interrupted =
            || watch.is_over().then(|| outcome::fault(StopReason::Interrupted, "was not begun"));
        let gate = match no_verdict.or(acts).or_else(interrupted) {
            Some(known) => bench.runner.document(&check, &known, None, Vec::new(), None),
            None => bench.one(&check, 0)?,
        };
        statuses.push(gate.status);
        one_command::say(args, &gate);
        out.document(&gate, args.show.pretty)?;
    }
    if statuses.is_empty() {
        let message = format!("task {id} has no check that can be run: add \"Verify: `COMMAND`\" below it");
        return Err(Fail::new(Exit::NoVerdict, "no-check", message).in_file(plan));
    }
    Ok(one_command::exit_of(statuses.into_iter()))
}

/// The task with its own file, if it has one, and the dialect of its plan.
fn task(plan: &Path, root: &Path, id: &str) -> Result<(Task, String), Fail> {
    let unknown = || Fail::data("unknown-task", format!("the plan has no task '{id}'")).in_file(plan);
    let snapshot = PlanSnapshot::at(plan, root, None)?;
    let dialect = snapshot.plan.source.dialect.clone();
    let find =
        |snapshot: &PlanSnapshot| snapshot.plan.tasks.iter().find(|task| task.id.as_str() == id).cloned();
    let found = find(&snapshot).ok_or_else(unknown)?;
    if found.detail.is_none() {
        return Ok((found, dialect));
    }
    let path = snapshot.plan.source.path.clone();
    let reference =
        PlanRef { path, root: root.display().to_string(), dialect: dialect.clone(), ..PlanRef::default() };
    let whole = PlanSnapshot::with_task(&reference, &TaskId(id.to_owned()))?;
    Ok((find(&whole).ok_or_else(unknown)?, dialect))
}
