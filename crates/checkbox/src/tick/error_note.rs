//! The error of a failed attempt, in the plan: where the dialect has a place for it, the task stays in progress with the
//! reason on its line, or it is failed with the one who takes over, until it is ticked or cleared.

use crate::plan_file::PlanFile;
use dialects::write::{self, Change};
use ledger::recorder::Recorder;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::root::{Home, inside};
use wire::order::{Category, Halt};
use wire::{Order, State};

/// Writes the note of a halted order; a halt that says nothing about the work leaves none, unless the task itself cannot be
/// handed out.
pub(crate) fn write(desk: &Recorder, order: &Order, halt: &Halt) -> Result<(), Fail> {
    let row = dialects::row(&order.plan.dialect);
    let next = order.worker.as_ref().and_then(|worker| worker.escalates_to.as_deref());
    // The run itself writes down what it gives up. A diagnosis that mended the cause is no new failure of the step.
    let next = next.filter(|_| row.notes_escalations && halt.retry && order.mended().is_none());
    let is_refused = halt.category == Category::PlanError && !halt.retry;
    if !(halt.counts || is_refused) || order.plan.path == "-" || !(row.notes_errors || next.is_some()) {
        return Ok(());
    }
    let root = Path::new(&order.plan.root);
    let path = inside(root, &order.plan.path)?;
    let mut file = PlanFile::lock(&Home::of(root)?, &path, Some(&order.plan.dialect))?;
    let task = file.field.handed_out(order).filter(|task| !task.state.is_settled());
    let Some(task) = task.filter(|task| next.is_some() || task.mark.is_some()) else { return Ok(()) };
    let now = desk.clock.now();
    let (state, reason) = match next {
        Some(next) => (State::Failed, format!("{}{}{next}", halt.message, write::ESCALATED)),
        None => (State::InProgress, format!("{}{} (attempt {})", write::ERROR, halt.message, order.attempt)),
    };
    let change = Change { task: &task, state, criteria: &[], now: &now, reason: &reason };
    let edits = write::edits(&file.field, &change)?;
    if !edits.is_empty() {
        file.set(&edits)?;
    }
    Ok(())
}
