//! A plain list of boxes, nested or not, read as tasks.

use crate::Plan;
use crate::deps::strategy;
use crate::lists::below_tasks;
use crate::lists::items::{self, Ids};
use crate::lists::status_tables;
use markdown::Outline;
use wire::plan::Model;

/// Reads every box as a task, in list order.
pub(crate) fn read(outline: &Outline) -> Plan {
    let entries = items::entries(outline, |_, _| true);
    let mut plan = Plan { title: markdown::outline::title(outline), ..Plan::default() };
    plan.strategy = Some(strategy::unstated(Model::Sequential));
    plan.tasks = items::tasks(outline, &entries, Ids::Lenient, &mut plan.diagnostics);
    below_tasks::read(outline, &entries, &mut plan);
    items::seal(outline, &entries, &mut plan);
    items::hidden(outline, &mut plan.diagnostics);
    status_tables::unread(outline, &mut plan);
    plan
}
