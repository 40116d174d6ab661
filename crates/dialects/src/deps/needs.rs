//! The tasks named in a dependency statement: `T1, T2`, `01–03`, `Task 3`, `all`; remarks in parentheses are ignored.

use crate::deps::named::Named;
use crate::deps::{dangling, ids, requires};
use crate::fields::item_text;
use crate::lists::numbered;
use std::collections::{HashMap, HashSet};
use wire::{Task, TaskId};

/// The ids of a plan, and their shapes.
pub(crate) struct Needs {
    known: Named,
    /// The ids without case and zeros.
    simple: HashMap<String, TaskId>,
    shapes: HashSet<String>,
    /// The ids in the order of the plan.
    all: Vec<TaskId>,
}

/// The tasks and other names in a text.
#[derive(Default)]
pub(crate) struct NamedTasks {
    /// Tasks. An unknown id with the shape of the others is included, so that it is reported.
    pub(crate) tasks: Vec<TaskId>,
    /// Names that are not tasks of this plan.
    pub(crate) others: Vec<String>,
}

impl Needs {
    pub(crate) fn new(tasks: &[Task]) -> Self {
        Self {
            known: Named::new(tasks),
            simple: tasks.iter().map(|task| (dangling::simple(task.id.as_str()), task.id.clone())).collect(),
            shapes: tasks.iter().map(|task| shape(task.id.as_str())).collect(),
            all: tasks.iter().map(|task| task.id.clone()).collect(),
        }
    }

    /// The tasks whose ids begin with a name and a separator: `P0` is `P0-1` and `P0-2`.
    fn below(&self, name: &str) -> impl Iterator<Item = TaskId> {
        let begins = move |id: &&TaskId| {
            let rest = id.as_str().strip_prefix(name).filter(|_| !name.is_empty());
            rest.is_some_and(|rest| rest.starts_with(['-', '.', '_']))
        };
        self.all.iter().filter(begins).cloned()
    }

    /// The dependencies of the task at `index`; `own` resolves names with a special meaning there.
    pub(crate) fn of(&self, index: usize, text: &str, own: impl Fn(&str) -> Option<TaskId>) -> NamedTasks {
        let mut found = NamedTasks::default();
        for piece in requires::pieces(text) {
            let piece = piece.trim_matches(['`', '*', '_', ' ', '[', ']', '.']);
            if item_text::is_none(piece) {
                continue;
            }
            // An id may begin with a word such as `TASK`.
            let whole = piece.split([' ', '\t', '`', '*']).next().unwrap_or_default();
            if let Some(id) =
                self.simple.get(&dangling::simple(whole)).filter(|_| !numbered::is_number(whole))
            {
                found.tasks.push(id.clone());
                continue;
            }
            let rest = ids::without_keyword(piece).1.trim_start_matches('#');
            let first = rest.split([' ', '\t', '`', '*']).next().unwrap_or_default();
            let before = found.tasks.len();
            if let Some(own) = own(first) {
                found.tasks.push(own);
            } else if matches!(first.to_lowercase().as_str(), "all" | "every" | "everything") {
                found.tasks.extend(self.known.before(index).iter().cloned());
            } else {
                // A word with the shape of this plan's ids can only be an id; a number can be anything.
                let is_id = |word: &str| self.shapes.contains(&shape(word)) && !numbered::is_number(word);
                self.known.add(first, is_id, &mut found.tasks);
            }
            if found.tasks.len() == before
                && let Some(id) =
                    self.simple.get(&dangling::simple(first)).filter(|_| !numbered::is_number(first))
            {
                found.tasks.push(id.clone());
            }
            if found.tasks.len() == before && !numbered::is_number(first) {
                found.tasks.extend(self.below(first));
            }
            if found.tasks.len() == before {
                found.others.push(piece.to_owned());
            }
        }
        found
    }
}

/// The shape of an id: its letters, with every number as one `0`.
fn shape(id: &str) -> String {
    let mut shape = String::with_capacity(id.len());
    for c in id.chars() {
        let c = if c.is_ascii_digit() { '0' } else { c };
        if c != '0' || !shape.ends_with('0') {
            shape.push(c);
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::Needs;
    use wire::Task;

    #[test]
    fn groups_are_their_tasks_and_what_is_blocked_is_no_need() {
        let names = ["P0-1", "P0-2", "P1-1", "P2-1"];
        let tasks: Vec<_> = names.iter().map(|id| Task { id: (*id).into(), ..Task::default() }).collect();
        let needs = Needs::new(&tasks);
        let of = |text: &str| -> Vec<String> {
            needs.of(3, text, |_| None).tasks.iter().map(ToString::to_string).collect()
        };
        assert_eq!(of("P0"), ["P0-1", "P0-2"]);
        assert_eq!(of("P0-1 — Blocks: P2-1"), ["P0-1"]);
        assert_eq!(of("none — **Blocks**: P2-1"), Vec::<String>::new());
        assert_eq!(of("P1-1, P0"), ["P1-1", "P0-1", "P0-2"]);
    }
}
