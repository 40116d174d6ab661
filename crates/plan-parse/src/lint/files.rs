//! Rules about files that tasks declare.

use super::{Finding, LintContext};
use std::collections::BTreeMap;
use wire::Task;
use wire::plan::Model;

/// Files written by two tasks that may run at the same time.
pub(crate) fn shared(ground: &LintContext) -> Vec<Finding> {
    // Sequential tasks cannot conflict.
    if ground.plan.strategy.as_ref().is_none_or(|strategy| strategy.model == Model::Sequential) {
        return Vec::new();
    }
    let mut writers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, task) in ground.plan.tasks.iter().enumerate() {
        for path in written(task) {
            let list = writers.entry(path).or_default();
            if list.last() != Some(&index) {
                list.push(index);
            }
        }
    }
    let mut found = Vec::new();
    for (path, writers) in writers {
        for pair in writers.windows(2) {
            let [one, other] = *pair else { continue };
            let ordered =
                ground.waits(other, one).unwrap_or(true) || ground.waits(one, other).unwrap_or(true);
            let tasks = &ground.plan.tasks;
            if let (false, Some(first), Some(second)) = (ordered, tasks.get(one), tasks.get(other)) {
                let message = format!(
                    "tasks '{}' and '{}' both write '{path}' and do not wait for each other",
                    first.id, second.id
                );
                found.push(Finding::of(second, message));
            }
        }
    }
    found
}

/// The files that a task writes, as far as it names them individually.
fn written(task: &Task) -> impl Iterator<Item = &str> {
    let declared = task.files.iter().filter(|file| file.action != "read").map(|file| file.path.as_str());
    let committed =
        task.commit.iter().filter(|commit| commit.with.is_empty()).flat_map(|commit| &commit.files);
    let one =
        |path: &&str| !path.contains(['*', '?', '{', ' ']) && !path.ends_with('/') && path.contains('.');
    declared.chain(committed.map(String::as_str)).filter(one).map(|path| path.trim_start_matches("./"))
}
