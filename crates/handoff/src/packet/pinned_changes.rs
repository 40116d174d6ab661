//! Detects changes to pinned files since the first attempt.

use crate::args::Args;
use crate::task_text::TaskText;
use dialects::PlanSnapshot;
use ledger::pins::{self, PINS_TOUCHED};
use ledger::recorder::Recorder;
use repo::tree::Tree;
use serde_json::json;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::lock;
use toolkit::files::root::{Home, has_git, inside};
use wire::punch::{Punch, SourceKind, Trust, Type};
use wire::{Order, Plan, RunId, State};

/// Whether a box that a worker ticked is still ticked.
fn is_ticked_still(record: &Punch, plan: &Plan) -> bool {
    let boxes = record.data.pointer("/detail/boxes").and_then(|boxes| boxes.as_array());
    boxes.into_iter().flatten().filter_map(|id| id.as_str()).any(|id| {
        let note =
            id.strip_prefix("note:").and_then(|at| plan.notes.get(at.parse::<usize>().ok()?.checked_sub(1)?));
        let task = plan.tasks.iter().find(|task| task.id.as_str() == id);
        note.is_some_and(|note| note.checked) || task.is_some_and(|task| task.state == State::Completed)
    })
}

/// A change to the plan's text that no person has accepted.
fn of_plan(records: &[Punch], path: &str, plan: &Plan, blanked: &str) -> Option<(String, RunId)> {
    let who = |record: &Punch| match record.data.pointer("/detail/by").and_then(|by| by.as_str()) {
        Some(by) => by.to_owned(),
        None => format!("task '{}'", record.task.as_ref().map(ToString::to_string).unwrap_or_default()),
    };
    if let Some((record, before)) = pins::touched_plan(records, path)
        && (before != blanked || is_ticked_still(record, plan))
    {
        return Some((format!("the plan, by the worker of {}", who(record)), record.run.clone()));
    }
    let record = pins::open_since(records, path, blanked)?;
    Some((format!("the plan, while the worker of {} ran", who(record)), record.run.clone()))
}

/// What differs from the tree that the last child or check left, where the orchestrator must not touch the work: only
/// a child may edit.
fn between_children(records: &[Punch], order: &Order, approval: bool) -> Result<Option<String>, Fail> {
    let root = Path::new(&order.plan.root);
    // A new preparation is written before its inspection.
    if !approval || order.resume.is_some() || order.task.is_inspection() || !has_git(root) {
        return Ok(None);
    }
    let mine = records.iter().rev().filter(|record| record.plan == order.plan.path);
    let last = mine
        .into_iter()
        .find(|record| record.tree.is_some() || record.kind == Type::Override && record.key == pins::ACCEPT);
    // An attempt that was begun and not ended left the tree in any state.
    let Some(last) = last.filter(|last| last.kind != Type::AttemptBegin) else { return Ok(None) };
    let Some(seen) = &last.tree else { return Ok(None) };
    let ground = &PlanSnapshot::of(&order.plan)?.ground;
    let now = Tree::now(&Home::of(root)?, ground)?;
    Ok(now.filter(|now| now.hash != *seen).map(|_| {
        let after = last.task.as_ref().map_or_else(String::new, |task| format!(" since '{task}'"));
        format!("files of the project{after}, between two children")
    }))
}

/// Why the order must not proceed; `None` if nothing changed or a person accepted the change, on record.
pub(crate) fn refuse(
    args: &Args,
    desk: &Recorder,
    order: &Order,
    sheet: &TaskText,
    approval: bool,
) -> Result<Option<String>, Fail> {
    let ledger = desk.ledger(order)?;
    let plan = &order.plan.path;
    let records = ledger.read_of(plan)?;
    let root = Path::new(&order.plan.root);
    let changed = match pins::pinned(&records, plan) {
        Some(pinned) => repo::pins::changed_since(root, &pinned)?,
        None => Vec::new(),
    };
    // The change, and whether it happened in this run.
    let in_this_run =
        records.iter().any(|p| p.kind == Type::Halt && p.run == order.run && p.key == PINS_TOUCHED);
    let mut changed: Vec<(String, bool)> =
        changed.into_iter().map(|what| (what.to_owned(), in_this_run)).collect();
    let is_other = |pinned: &wire::Fingerprint| *pinned != order.task.fingerprint;
    if !order.task.is_inspection()
        && pins::pinned_fingerprint(&records, plan, &order.task.id).is_some_and(is_other)
    {
        changed.push((format!("task '{}'", order.task.id), false));
    }
    if of_plan(&records, plan, &sheet.plan, &sheet.blanked).is_some() {
        // A stage may have changed the plan after we read it, or be between its record and its write.
        let (home, path) = (Home::of(root)?, inside(root, plan)?);
        let _lock = lock::of_plan(&home, &path, crate::STAGE)?;
        let field = PlanSnapshot::of(&order.plan)?;
        let what = of_plan(&ledger.read_of(plan)?, plan, &field.plan, &field.blanked());
        changed.extend(what.map(|(what, run)| (what, run == order.run)));
    }
    if let Some(files) = between_children(&records, order, approval)? {
        changed.push((files, false));
    }
    if changed.is_empty() {
        return Ok(None);
    }
    // A person accepts the state at the start of the run.
    if let Some((what, _)) = changed.iter().find(|(_, in_this_run)| *in_this_run)
        && args.accept_change.is_some()
    {
        return Ok(Some(format!(
            "changed by a worker or a check of this run: {what}; undo it, or say --accept-change REASON to the next run"
        )));
    }
    let changed: Vec<String> = changed.into_iter().map(|(what, _)| what).collect();
    let Some(reason) = &args.accept_change else {
        let what = changed.join(", ");
        return Ok(Some(format!(
            "changed since the first attempt: {what}; undo it, or --accept-change REASON"
        )));
    };
    let mut entry = desk.entry(order, Type::Override, pins::ACCEPT);
    entry.source = SourceKind::Human;
    entry.trust = Trust::Typed;
    entry.data = json!({ "reason": reason, "changed": changed, "pins": repo::pins::now(root)? });
    ledger.append(entry)?;
    Ok(None)
}
