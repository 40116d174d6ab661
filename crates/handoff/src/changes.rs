//! Whether something that was pinned has changed since the first attempt.

use crate::args::Args;
use crate::sheet::Sheet;
use dialects::Field;
use serde_json::json;
use std::path::Path;
use toolkit::pins::{self, PINS_TOUCHED, Pins};
use toolkit::root::{Home, inside};
use toolkit::stage::Desk;
use toolkit::{Fail, lock};
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

/// What happened to the plan's text that nobody has accepted.
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

/// Why the order must not go on; `None` if nothing changed or the change was accepted, on record.
pub(crate) fn refuse(args: &Args, desk: &Desk, order: &Order, sheet: &Sheet) -> Result<Option<String>, Fail> {
    let ledger = desk.ledger(order)?;
    let plan = &order.plan.path;
    let records = ledger.read_of(plan)?;
    let now = Pins::now(Path::new(&order.plan.root))?;
    let pinned = pins::pinned(&records, plan).unwrap_or_else(|| now.clone());
    // What changed, and whether that was in this run.
    let in_this_run =
        records.iter().any(|p| p.kind == Type::Halt && p.run == order.run && p.key == PINS_TOUCHED);
    let mut changed: Vec<(String, bool)> =
        now.changed_since(&pinned).into_iter().map(|what| (what.to_owned(), in_this_run)).collect();
    if pins::pinned_fingerprint(&records, plan, &order.task.id)
        .is_some_and(|fp| *fp != order.task.fingerprint)
    {
        changed.push((format!("task '{}'", order.task.id), false));
    }
    if of_plan(&records, plan, &sheet.plan, &sheet.blanked).is_some() {
        // A stage may have changed the plan after we read it, or be between its record and the plan.
        let root = Path::new(&order.plan.root);
        let (home, path) = (Home::of(root)?, inside(root, plan)?);
        let _lock = lock::of_plan(&home, &path, crate::STAGE)?;
        let field = Field::of(&order.plan)?;
        let what = of_plan(&ledger.read_of(plan)?, plan, &field.plan, &field.blanked());
        changed.extend(what.map(|(what, run)| (what, run == order.run)));
    }
    if changed.is_empty() {
        return Ok(None);
    }
    // What a person accepts is what was there when the run was started.
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
    entry.data = json!({ "reason": reason, "changed": changed, "pins": now });
    ledger.append(entry)?;
    Ok(None)
}
