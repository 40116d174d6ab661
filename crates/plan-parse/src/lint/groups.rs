//! Rules about groups that may run together.

use super::{Finding, LintContext};

/// Members of one group that wait for each other.
pub(crate) fn dependent(ground: &LintContext) -> Vec<Finding> {
    let mut found = Vec::new();
    for group in ground.plan.strategy.iter().flat_map(|strategy| &strategy.parallel) {
        let members: Vec<usize> = group.iter().filter_map(|id| ground.task(id.as_str())).collect();
        for (number, &one) in members.iter().enumerate() {
            // One pair for each member is enough to show the error.
            let before = members.iter().enumerate().filter(|(other, _)| *other != number);
            let waits = before.map(|(_, &other)| other).find(|&other| ground.waits(one, other) == Some(true));
            let tasks = &ground.plan.tasks;
            if let (Some(task), Some(other)) = (tasks.get(one), waits.and_then(|other| tasks.get(other))) {
                let message =
                    format!("task '{}' shares a group with task '{}', which it waits for", task.id, other.id);
                found.push(Finding::of(task, message));
            }
        }
    }
    found
}
