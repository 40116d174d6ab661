//! Whether the plan, the configuration or the tree changed since the last run: then a failed task has all its attempts again.
//!
//! The tree and the configuration at the end of the last run, as its records have them, are compared with those at the
//! start of this one. The answer is the same in every round of a run: once a record of this run tells how it began, the
//! files are not looked at any more.

use crate::plan::PlanView;
use dialects::PlanSnapshot;
use ledger::pins::{ACCEPT, Pins};
use repo::tree::Tree;
use std::collections::HashSet;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::oversize::TOO_LARGE;
use toolkit::files::root::Home;
use wire::order::PlanRef;
use wire::punch::{Punch, Type};
use wire::{RunId, TaskId, TreeHash};

/// The last line before this run, where its failures are forgiven; `None` where nothing has failed before or nothing
/// has changed.
pub(crate) fn forgiven(sheet: &PlanView<'_>, records: &[Punch], run: &RunId) -> Result<Option<u64>, Fail> {
    let standings = crate::standings(sheet, records, None);
    let has_failed = |id: &TaskId| standings.get(id).is_some_and(|standing| standing.spent > 0);
    let mut open = sheet.tasks.iter().filter(|task| !task.state.is_settled());
    if !open.any(|task| has_failed(&TaskId::from(&*task.id.0))) {
        return Ok(None);
    }
    let of_plan: Vec<&Punch> = records.iter().filter(|p| p.plan == sheet.source.path).collect();
    let began = of_plan.iter().position(|p| p.run == *run).unwrap_or(of_plan.len());
    let (before, since) = of_plan.split_at(began);
    let is_changed =
        is_config_changed(sheet, before, since, run)? || is_tree_changed(sheet, before, since, run)?;
    Ok(before.last().map(|p| p.seq).filter(|_| is_changed))
}

fn is_config_changed(
    sheet: &PlanView<'_>,
    before: &[&Punch],
    since: &[&Punch],
    run: &RunId,
) -> Result<bool, Fail> {
    let Some(then) = before.iter().rev().find_map(|p| pins_of(p)) else { return Ok(false) };
    let changed = match since.iter().filter(|p| p.run == *run).find_map(|p| pins_of(p)) {
        Some(now) => now.changed_since(&then),
        None => repo::pins::changed_since(Path::new(&sheet.source.root), &then)?,
    };
    Ok(!changed.is_empty())
}

/// What decides about checks, in the record of an attempt's start or of a change that was accepted.
fn pins_of(record: &Punch) -> Option<Pins> {
    let tells = record.kind == Type::AttemptBegin || record.kind == Type::Override && record.key == ACCEPT;
    serde_json::from_value(record.data.get("pins").filter(|_| tells)?.clone()).ok()
}

fn is_tree_changed(
    sheet: &PlanView<'_>,
    before: &[&Punch],
    since: &[&Punch],
    run: &RunId,
) -> Result<bool, Fail> {
    let elsewhere = in_worktrees(before, since);
    let tree = |p: &&Punch| tree_of(p, &elsewhere).cloned();
    let Some(then) = before.iter().rev().find_map(&tree) else { return Ok(false) };
    let now = match since.iter().filter(|p| p.run == *run).find_map(tree) {
        Some(hash) => Some(hash),
        None => tree_now(sheet)?,
    };
    Ok(now.is_some_and(|now| now != then))
}

/// An attempt: its run, task and number.
type Attempt<'p> = (&'p RunId, Option<&'p TaskId>, Option<u32>);

fn attempt_of(record: &Punch) -> Attempt<'_> {
    (&record.run, record.task.as_ref(), record.attempt)
}

/// The attempts that had a tree of their own.
fn in_worktrees<'p>(before: &[&'p Punch], since: &[&'p Punch]) -> HashSet<Attempt<'p>> {
    let begun = before.iter().chain(since).filter(|p| p.kind == Type::AttemptBegin);
    begun
        .filter(|p| p.data.get("worktree").is_some_and(|tree| !tree.is_null()))
        .map(|p| attempt_of(p))
        .collect()
}

/// The main tree as a record has it. What an attempt in a tree of its own left, and the checks there, say nothing of it;
/// a later attempt begins with what the one before it left there.
fn tree_of<'p>(record: &'p Punch, elsewhere: &HashSet<Attempt<'_>>) -> Option<&'p TreeHash> {
    let tells = match record.kind {
        Type::Tick => true,
        Type::AttemptBegin => record.attempt == Some(1) || !elsewhere.contains(&attempt_of(record)),
        Type::AttemptEnd | Type::GatePass | Type::GateFail | Type::GateFault => {
            !elsewhere.contains(&attempt_of(record))
        }
        _ => false,
    };
    record.tree.as_ref().filter(|_| tells)
}

/// The main tree as it is; `None` where there is no git, or no file of the plan.
fn tree_now(sheet: &PlanView<'_>) -> Result<Option<TreeHash>, Fail> {
    let source = &sheet.source;
    let plan = PlanRef {
        path: source.path.clone(),
        dialect: source.dialect.clone(),
        root: source.root.clone(),
        sha256: source.sha256.clone(),
    };
    // A plan that was read elsewhere has no tree here.
    let Ok(snapshot) = PlanSnapshot::of(&plan) else { return Ok(None) };
    match Tree::now(&Home::of(Path::new(&source.root))?, &snapshot.ground) {
        // worker-run names the file, and starts nothing before it is removed or ignored.
        Err(fail) if fail.code == TOO_LARGE => Ok(None),
        tree => Ok(tree?.map(|tree| tree.hash)),
    }
}
