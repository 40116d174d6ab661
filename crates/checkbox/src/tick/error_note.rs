//! The error of a failed attempt, in the plan: where the dialect has a place for it, the task stays in progress with the
//! reason on its line, until it is ticked or cleared.

use crate::plan_file::PlanFile;
use dialects::write::{self, Change};
use ledger::recorder::Recorder;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::root::{Home, inside};
use wire::order::Halt;
use wire::{Order, State};

/// Writes the note of a halted order; a halt that says nothing about the work leaves none.
pub(crate) fn write(desk: &Recorder, order: &Order, halt: &Halt) -> Result<(), Fail> {
    if !halt.counts || order.plan.path == "-" || !dialects::row(&order.plan.dialect).notes_errors {
        return Ok(());
    }
    let root = Path::new(&order.plan.root);
    let path = inside(root, &order.plan.path)?;
    let mut file = PlanFile::lock(&Home::of(root)?, &path, Some(&order.plan.dialect), None)?;
    let task = file.field.handed_out(order).filter(|task| !task.state.is_settled());
    let Some(task) = task.filter(|task| task.mark.is_some()) else { return Ok(()) };
    let now = desk.clock.now();
    let reason = format!("{}{} (attempt {})", write::ERROR, halt.message, order.attempt);
    let change = Change { task: &task, state: State::InProgress, criteria: &[], now: &now, reason: &reason };
    let edits = write::edits(&file.field, &change)?;
    if !edits.is_empty() {
        file.set(&edits)?;
    }
    Ok(())
}
