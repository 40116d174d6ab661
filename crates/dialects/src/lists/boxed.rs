//! A plain list of boxes, nested or not, read as tasks.

use crate::Plan;
use crate::criteria::notes;
use crate::deps::strategy;
use crate::lists::below_tasks;
use crate::lists::items::{self, Entry, Ids};
use crate::lists::{groups, numbered, status_tables};
use crate::sections::{Role, Sections};
use markdown::Outline;
use std::collections::HashSet;
use wire::plan::Model;
use wire::{TaskId, ids};

/// Reads the boxes that are tasks by the role of their section, in list order.
pub(crate) fn read(outline: &Outline) -> Plan {
    let roles = Sections::new(outline).items();
    let is_task = tasks(outline, &roles);
    let (plan, _) = with(outline, &roles, |index| is_task.get(index) == Some(&true));
    plan
}

/// Reads every box as a task.
pub(crate) fn read_all(outline: &Outline) -> Plan {
    let roles = Sections::new(outline).items();
    with(outline, &roles, |_| true).0
}

/// Whether each item is a task: its section holds tasks, or nothing says what it holds. Where no such box is left, boxes
/// of sections that may hold tasks count too.
pub(crate) fn tasks(outline: &Outline, roles: &[(Role, &str)]) -> Vec<bool> {
    let boxed =
        |index: usize| outline.items.get(index).is_some_and(|item| item.mark.is_some() && !item.quoted);
    let surely: Vec<bool> = roles
        .iter()
        .enumerate()
        .map(|(index, (role, _))| boxed(index) && matches!(role, Role::Tasks | Role::Open))
        .collect();
    if surely.contains(&true) {
        return surely;
    }
    let may = |role: &Role| !matches!(role, Role::Criteria | Role::Legend | Role::Examples);
    roles.iter().enumerate().map(|(index, (role, _))| boxed(index) && may(role)).collect()
}

/// Gives tasks the ids that `own` finds.
fn rename(outline: &Outline, entries: &[Entry], own: &dyn Fn(&str) -> Option<String>, plan: &mut Plan) {
    let names: Vec<Option<String>> = entries.iter().map(|entry| own(outline.str(entry.line))).collect();
    if names.iter().all(Option::is_none) {
        return;
    }
    let mut given = HashSet::new();
    for (at, name) in names.iter().enumerate() {
        // Of several boxes with one id the first has it.
        let Some(name) = name.as_deref().filter(|name| given.insert(*name)) else { continue };
        if plan.tasks.get(at).is_some_and(|task| task.id.as_str() != name) {
            make_room(plan, name);
        }
        if let Some(task) = plan.tasks.get_mut(at) {
            task.key = ids::key_of(name);
            task.id = TaskId::from(name);
        }
    }
    let ids: Vec<TaskId> = plan.tasks.iter().map(|task| task.id.clone()).collect();
    for (task, entry) in plan.tasks.iter_mut().zip(entries) {
        task.parent = entry.parent.and_then(|parent| ids.get(parent).cloned());
    }
}

/// A position that is the id of another task makes room for it.
pub(crate) fn make_room(plan: &mut Plan, id: &str) {
    if let Some(other) = plan.tasks.iter_mut().find(|task| task.id.as_str() == id) {
        let free = format!("i{id}");
        other.key = ids::key_of(&free);
        other.id = TaskId(free);
    }
}

/// Whether a plan has boxes that are work by their section.
pub(crate) fn has_work(outline: &Outline, sections: &Sections) -> bool {
    let roles = sections.items();
    let mut boxes = outline.items.iter().zip(&roles).filter(|(item, _)| item.mark.is_some() && !item.quoted);
    boxes.any(|(_, (role, _))| matches!(role, Role::Tasks | Role::Open))
}

/// Reads the boxes that `is_task` accepts, by the index of their item; any other box is a criterion where it
/// stands inside a task, else a note.
pub(crate) fn with(
    outline: &Outline,
    roles: &[(Role, &str)],
    is_task: impl Fn(usize) -> bool,
) -> (Plan, Vec<Entry>) {
    let (mut plan, entries) = with_ids(outline, roles, is_task, &|_| None);
    // Fingerprints cover the dependencies.
    if groups::read(outline, &Sections::new(outline), &entries, &mut plan) {
        items::seal(outline, &entries, &mut plan);
    }
    (plan, entries)
}

/// The same, where `own` finds ids that only the dialect knows.
pub(crate) fn with_ids(
    outline: &Outline,
    roles: &[(Role, &str)],
    is_task: impl Fn(usize) -> bool,
    own: &dyn Fn(&str) -> Option<String>,
) -> (Plan, Vec<Entry>) {
    let entries = items::entries(outline, |index, _, _| is_task(index));
    let mut plan = Plan { title: markdown::outline::title(outline), ..Plan::default() };
    plan.strategy = Some(strategy::unstated(Model::Sequential));
    plan.tasks = items::tasks(outline, &entries, Ids::Lenient, &mut plan.diagnostics);
    rename(outline, &entries, own, &mut plan);
    items::repeated(outline, &entries, own, &mut plan);
    for (task, entry) in plan.tasks.iter_mut().zip(&entries) {
        numbered::boxes_below(outline, entry, task);
    }
    below_tasks::read(outline, &entries, &mut plan);
    items::seal(outline, &entries, &mut plan);
    let legends = outline.items.iter().zip(roles).filter(|(_, (role, _))| *role == Role::Legend);
    let legends: Vec<usize> = legends.map(|(item, _)| item.at.start).collect();
    let inside = |at: usize| {
        let next = entries.partition_point(|entry| entry.at.start <= at);
        next.checked_sub(1).and_then(|last| entries.get(last)).is_some_and(|entry| at < entry.at.end)
    };
    // An entry inside another begins later and ends earlier, so look at the outermost as well.
    let tops: Vec<&Entry> = entries.iter().filter(|entry| entry.parent.is_none()).collect();
    let held = |at: usize| {
        let next = tops.partition_point(|entry| entry.at.start <= at);
        let top = next.checked_sub(1).and_then(|last| tops.get(last));
        inside(at) || top.is_some_and(|entry| at < entry.at.end) || legends.binary_search(&at).is_ok()
    };
    notes::outside(outline, held, &mut plan);
    items::hidden(outline, &mut plan.diagnostics);
    status_tables::unread(outline, &mut plan);
    (plan, entries)
}
