//! `checkbox begin`: marks the tasks of the orders as begun, before a worker starts.
//!
//! It adds nothing to an order, and leaves a plan without such a mark as it is. It skips a task that has changed
//! since it was handed out: the next stage reports why.

use crate::plan_file::PlanFile;
use crate::tick::issue_tracker;
use dialects::write::{self, Change};
use ledger::recorder::Recorder;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::root::{Home, inside};
use toolkit::stream::stage::order_of;
use wire::{OrderLine, State};

/// Marks the task of one order.
pub(crate) fn mark(desk: &Recorder, line: &OrderLine) -> Result<(), Fail> {
    let order = order_of(line)?;
    if order.halt.is_some() || order.plan.path == "-" || dialects::row(&order.plan.dialect).open_or_done {
        return Ok(());
    }
    let root = Path::new(&order.plan.root);
    let home = Home::of(root)?;
    let path = inside(root, &order.plan.path)?;
    let mut file = PlanFile::lock(&home, &path, Some(&order.plan.dialect))?;
    let task = file.field.handed_out(&order);
    let Some(task) = task.filter(|task| task.state != State::InProgress && write::begins(&file.field)) else {
        return Ok(());
    };
    let now = desk.clock.now();
    let change = Change { task: &task, state: State::InProgress, criteria: &[], now: &now, reason: "" };
    let edits = write::edits(&file.field, &change)?;
    if issue_tracker::owns(&file.field) {
        issue_tracker::tell(&file.field, &change)?;
    } else {
        file.set(&edits)?;
    }
    Ok(())
}
