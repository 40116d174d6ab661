//! The tasks that a statement of dependencies names: `T1, T2`, `01–03`, `Task 3`, `all`; a remark in parentheses does not
//! count.

use crate::named::Named;
use crate::numbered;
use crate::plan_md::{id, item, requires};
use std::collections::HashSet;
use wire::{Task, TaskId};

/// The ids of a plan, and how they are written.
pub(crate) struct Needs {
    known: Named,
    shapes: HashSet<String>,
}

/// What a text names.
#[derive(Default)]
pub(crate) struct Found {
    /// Tasks; one that does not exist but is written like the others is among them, so that it is reported.
    pub(crate) tasks: Vec<TaskId>,
    /// What is no task of this plan.
    pub(crate) others: Vec<String>,
}

impl Needs {
    pub(crate) fn new(tasks: &[Task]) -> Self {
        Self { known: Named::new(tasks), shapes: tasks.iter().map(|task| shape(task.id.as_str())).collect() }
    }

    /// What the task at `index` waits for; `own` knows names that mean something else there.
    pub(crate) fn of(&self, index: usize, text: &str, own: impl Fn(&str) -> Option<TaskId>) -> Found {
        let mut found = Found::default();
        for piece in requires::pieces(text) {
            let piece = piece.trim_matches(['`', '*', '_', ' ', '[', ']', '.']);
            if item::is_none(piece) {
                continue;
            }
            let rest = id::without_keyword(piece).1.trim_start_matches('#');
            let first = rest.split([' ', '\t', '`', '*']).next().unwrap_or_default();
            let before = found.tasks.len();
            if let Some(own) = own(first) {
                found.tasks.push(own);
            } else if matches!(first.to_lowercase().as_str(), "all" | "every" | "everything") {
                found.tasks.extend(self.known.before(index).iter().cloned());
            } else {
                // A word that is written like the ids of this plan can only be one of them; a number may be anything.
                let is_id = |word: &str| self.shapes.contains(&shape(word)) && !numbered::is_number(word);
                self.known.add(first, is_id, &mut found.tasks);
            }
            if found.tasks.len() == before {
                found.others.push(piece.to_owned());
            }
        }
        found
    }
}

/// How an id is written: its letters, with every number as one `0`.
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
