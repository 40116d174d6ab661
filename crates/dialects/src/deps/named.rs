//! Tasks that a text names: `T012, T013`, `1.1-1.3`, `Task 2 and 3`.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use wire::{Task, TaskId};

/// The id of each task: its own id if it is unique, otherwise its position.
pub(crate) fn ids(own: &[Option<&str>]) -> Vec<String> {
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for id in own.iter().flatten() {
        *uses.entry(id).or_default() += 1;
    }
    let id = |(index, own): (usize, Option<&str>)| {
        let place = (index + 1).to_string();
        match own {
            Some(id) if uses.get(id) == Some(&1) => id.to_owned(),
            // The position is the id of another task: add a prefix.
            _ if uses.contains_key(place.as_str()) => format!("i{place}"),
            _ => place,
        }
    };
    own.iter().copied().enumerate().map(id).collect()
}

/// The ids of a plan in document order.
pub(crate) struct Named {
    order: Vec<TaskId>,
    place: HashMap<TaskId, usize>,
    /// How many edges ranges may still add; a range beyond that stays a name and is reported.
    left: Cell<usize>,
}

const MOST: usize = 1_000_000;

impl Named {
    /// The ids of these tasks.
    pub(crate) fn new(tasks: &[Task]) -> Self {
        let order: Vec<TaskId> = tasks.iter().map(|task| task.id.clone()).collect();
        let place = order.iter().enumerate().map(|(place, id)| (id.clone(), place)).collect();
        Self { order, place, left: Cell::new(MOST) }
    }

    /// The tasks before the one at `index`.
    pub(crate) fn before(&self, index: usize) -> &[TaskId] {
        self.order.get(..index).unwrap_or(&self.order)
    }

    /// Adds every task that `text` names to `to`. Also adds words that `is_id` accepts but that are not tasks:
    /// validation reports them.
    pub(crate) fn add(&self, text: &str, is_id: impl Fn(&str) -> bool, to: &mut Vec<TaskId>) {
        let mut seen: HashSet<TaskId> = to.iter().cloned().collect();
        let mut push = |id: TaskId| {
            if seen.insert(id.clone()) {
                to.push(id);
            }
        };
        let apart = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '–'));
        for word in text.split(apart) {
            let word = word.trim_matches(['.', '-', '_', '–']);
            if self.place.contains_key(&TaskId::from(word)) || !word.contains(['-', '–']) {
                if self.place.contains_key(&TaskId::from(word)) || is_id(word) {
                    push(TaskId::from(word));
                }
                continue;
            }
            match self.range(word) {
                Some(range) => range.iter().for_each(|id| push(id.clone())),
                None if is_id(word) => push(TaskId::from(word)),
                None => {}
            }
        }
    }

    /// `T012-T018` and `T012-018`, both ends included.
    fn range(&self, word: &str) -> Option<&[TaskId]> {
        let (first, last) = word.split_once(['-', '–'])?;
        let from = *self.place.get(&TaskId::from(first))?;
        let letters = first.bytes().take_while(u8::is_ascii_alphabetic).count();
        let full = TaskId(format!("{}{last}", first.get(..letters).unwrap_or_default()));
        let to = *self.place.get(&TaskId::from(last)).or_else(|| self.place.get(&full))?;
        let range = self.order.get(from..=to)?;
        self.left.set(self.left.get().checked_sub(range.len())?);
        Some(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_are_understood() {
        let task = |id: &str| Task { id: TaskId::from(id), ..Task::default() };
        let named = Named::new(&["T001", "T002", "T003", "T004"].map(task));
        let found = |text: &str| {
            let mut to = Vec::new();
            named.add(text, |word| word.starts_with('T') && word.len() > 3, &mut to);
            to.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found("T001, T003."), "T001 T003");
        assert_eq!(found("T002-T004"), "T002 T003 T004");
        assert_eq!(found("T001–003 and all that"), "T001 T002 T003");
        assert_eq!(found("T001, T009"), "T001 T009");
    }
}
