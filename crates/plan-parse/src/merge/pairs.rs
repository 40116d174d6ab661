//! Which task of one version is which of another.

use std::collections::HashMap;
use wire::{Plan, Task};

/// For each task of one plan its counterpart in another.
///
/// Some dialects count their tasks, so that an id moves on when a task is added before it: the same id with the same title comes
/// first, then a title that is there once, then the id alone.
#[derive(Debug)]
pub(crate) struct Pairs(Vec<Option<usize>>);

impl Pairs {
    /// The pairs from `from` to `to`.
    pub(crate) fn of(from: &Plan, to: &Plan) -> Self {
        let mut found = vec![None; from.tasks.len()];
        let mut taken = vec![false; to.tasks.len()];
        let ids: HashMap<&str, usize> = indexed(to, |task| task.id.as_str());
        let (titles, own) = (once(to), once(from));
        let mut pair = |key: &dyn Fn(usize, &Task) -> Option<usize>| {
            for (at, task) in from.tasks.iter().enumerate() {
                let other = key(at, task).filter(|other| found[at].is_none() && !taken[*other]);
                if let Some(other) = other {
                    found[at] = Some(other);
                    taken[other] = true;
                }
            }
        };
        pair(&|_, task| ids.get(task.id.as_str()).copied().filter(|at| to.tasks[*at].title == task.title));
        pair(&|at, task| {
            let is_only = own.get(task.title.as_str()) == Some(&at);
            titles.get(task.title.as_str()).copied().filter(|_| is_only)
        });
        pair(&|_, task| ids.get(task.id.as_str()).copied());
        Self(found)
    }

    /// The counterpart of a task.
    pub(crate) fn to(&self, task: usize) -> Option<usize> {
        self.0.get(task).copied().flatten()
    }
}

fn indexed<'p>(plan: &'p Plan, key: fn(&'p Task) -> &'p str) -> HashMap<&'p str, usize> {
    plan.tasks.iter().enumerate().map(|(at, task)| (key(task), at)).collect()
}

/// The titles that one task alone has.
pub(crate) fn once(plan: &Plan) -> HashMap<&str, usize> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    plan.tasks.iter().for_each(|task| *count.entry(&task.title).or_default() += 1);
    let mut titles = indexed(plan, |task| &task.title);
    titles.retain(|title, _| count.get(title) == Some(&1));
    titles
}

/// A task as messages name it.
pub(crate) fn name(task: &Task) -> String {
    format!("task {} '{}'", task.id, task.title)
}
