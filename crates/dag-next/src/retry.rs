//! `--retry`: a person gives tasks all their attempts again, on record.

use crate::choose::pick;
use crate::plan::PlanView;
use ledger::task_history::RETRY;
use ledger::{Entry, Ledger};
use serde_json::json;
use std::path::Path;
use toolkit::cli::clock::Clock;
use toolkit::files::root::Home;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::punch::{SourceKind, Trust, Type};
use wire::{RunId, TaskId};

/// Records the decision for the named tasks, or for every open task that has failed, and prints their ids.
pub(crate) fn give(
    ids: &[String],
    sheet: &PlanView<'_>,
    run: &RunId,
    clock: &Clock,
    out: &mut Output,
) -> Result<Exit, Fail> {
    let records = crate::records(sheet)?;
    let standings = crate::standings(sheet, &records, None);
    for id in ids.iter().filter(|id| !id.is_empty()) {
        pick::only(sheet, Some(id))?;
    }
    let is_named = |id: &str| ids.iter().any(|named| named == id);
    let is_every = ids.iter().any(String::is_empty);
    let has_failed =
        |id: &str| standings.get(&TaskId::from(id)).is_some_and(|s| s.spent > 0 || s.halt.is_some());
    let mut entries = Vec::new();
    for task in sheet.tasks.iter().filter(|task| !task.state.is_settled()) {
        if is_named(&task.id) || is_every && has_failed(&task.id) {
            entries.push(Entry {
                plan: sheet.source.path.clone(),
                task: Some((&*task.id.0).into()),
                fingerprint: Some((&*task.fingerprint.0).into()),
                source: SourceKind::Human,
                trust: Trust::Typed,
                data: json!({ "reason": "asked for with --retry" }),
                ..Entry::new(run.clone(), Type::Override, RETRY, clock.now())
            });
        }
    }
    let given: Vec<TaskId> = entries.iter().filter_map(|entry| entry.task.clone()).collect();
    if !entries.is_empty() {
        Ledger::new(Home::of(Path::new(&sheet.source.root))?).append_all(entries)?;
    }
    for id in given {
        out.shown(&format!("{id}\n"))?;
    }
    Ok(Exit::Ok)
}
