//! Dependencies that name no task as they are written.
//!
//! `IMPL-3.*` means every task with that beginning; an id in another case or with other zeros means the one task that it
//! can mean. What is left blocks the task: it is named, and the rest of the plan goes on.

use crate::read::validate;
use crate::{Plan, row};
use std::collections::{HashMap, HashSet};
use wire::plan::{Diagnostic, Severity};
use wire::{State, TaskId};

/// The member of a blocked task that lists what it waits for in vain.
pub(crate) const MISSING: &str = "missing_dependencies";

/// Resolves the dependencies of all tasks; those that name nothing are reported.
pub(crate) fn resolve(plan: &mut Plan, found: &mut Vec<Diagnostic>) {
    let ids: HashSet<TaskId> = plan.tasks.iter().map(|task| task.id.clone()).collect();
    if plan.tasks.iter().flat_map(|task| &task.depends_on).all(|id| ids.contains(id)) {
        return;
    }
    let order: Vec<TaskId> = plan.tasks.iter().map(|task| task.id.clone()).collect();
    let mut spelled: HashMap<String, Option<TaskId>> = HashMap::new();
    for id in &order {
        // An id that two tasks share in this spelling means neither.
        spelled
            .entry(simple(id.as_str()))
            .and_modify(|other| *other = None)
            .or_insert_with(|| Some(id.clone()));
    }
    let closed = row(&plan.source.dialect).closed_graph;
    for task in &mut plan.tasks {
        let mut to: Vec<TaskId> = Vec::with_capacity(task.depends_on.len());
        let mut missing: Vec<TaskId> = Vec::new();
        for id in std::mem::take(&mut task.depends_on) {
            if ids.contains(&id) {
                to.push(id);
            } else if let Some(prefix) = id.as_str().strip_suffix('*') {
                let below =
                    order.iter().filter(|other| other.as_str().starts_with(prefix) && **other != task.id);
                let before = to.len();
                to.extend(below.cloned());
                missing.extend((to.len() == before).then_some(id));
            } else if let Some(Some(other)) = spelled.get(&simple(id.as_str())) {
                to.push(other.clone());
            } else {
                missing.push(id);
            }
        }
        let mut seen = HashSet::new();
        to.retain(|id| seen.insert(id.clone()));
        task.depends_on = to;
        for id in &missing {
            let message = format!("task '{}' depends on '{id}', which is no task", task.id);
            let mut diagnostic = validate::at(task, "dangling-dependency", message);
            if !closed {
                diagnostic.severity = Severity::Warning;
                diagnostic.message.push_str(if task.state.is_settled() {
                    " of this plan"
                } else {
                    " of this plan: it is blocked until the name is corrected or removed"
                });
            }
            found.push(diagnostic);
        }
        if closed {
            task.depends_on.extend(missing);
        } else if !missing.is_empty() {
            task.extra.insert(MISSING.to_owned(), missing.iter().map(TaskId::to_string).collect());
            if !task.state.is_settled() {
                task.state = State::Blocked;
            }
        }
    }
}

/// An id without case, zeros before numbers, and a sign before it.
pub(crate) fn simple(id: &str) -> String {
    let mut out = String::with_capacity(id.len());
    let mut number = false;
    let mut chars = id.trim_start_matches(['#', '@']).chars().peekable();
    while let Some(c) = chars.next() {
        let zero = c == '0' && !number && chars.peek().is_some_and(char::is_ascii_digit);
        if !zero {
            number = c.is_ascii_digit();
            out.extend(c.to_lowercase());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::simple;

    #[test]
    fn ids_are_compared_without_case_and_zeros() {
        assert_eq!(simple("TASK-091"), simple("task-91"));
        assert_eq!(simple("#22"), simple("022"));
        assert_ne!(simple("1.10"), simple("1.1"));
        assert_ne!(simple("100"), simple("1"));
        assert_eq!(simple("0"), "0");
    }
}
