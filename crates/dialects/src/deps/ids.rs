//! Task ids: how plans write them, and which task a written id means.
//!
//! An id is a name: `1` never means `10`. The lookup tries the exact spelling, then ignores case, because references
//! write `Final` as `todo-final`.

use std::collections::HashMap;
use wire::Task;
use wire::plan::Kind;

/// The ids of a plan's tasks.
pub(crate) struct Ids {
    exact: HashMap<String, usize>,
    lower: HashMap<String, usize>,
    /// The only verification task, which some renderers number but still call `todo-final`.
    last_verification: Option<usize>,
}

impl Ids {
    pub(crate) fn new(tasks: &[Task]) -> Self {
        let mut exact = HashMap::with_capacity(tasks.len());
        let mut lower = HashMap::new();
        for (index, task) in tasks.iter().enumerate() {
            exact.entry(task.id.0.clone()).or_insert(index);
            // Lowercase does not change a number.
            if is_number(&task.id.0) {
                continue;
            }
            let small = task.id.0.to_lowercase();
            if small != task.id.0 {
                lower.entry(small).or_insert(index);
            }
        }
        let mut verifying = tasks.iter().enumerate().filter(|(_, task)| task.kind == Kind::Verification);
        let last_verification = match (verifying.next(), verifying.next()) {
            (Some((index, _)), None) if index + 1 == tasks.len() => Some(index),
            _ => None,
        };
        Self { exact, lower, last_verification }
    }

    /// The task with this id.
    pub(crate) fn get(&self, id: &str) -> Option<usize> {
        let small = id.to_lowercase();
        self.exact
            .get(id)
            .or_else(|| self.lower.get(&small))
            .or_else(|| self.exact.get(&small))
            .copied()
            .or_else(|| self.last_verification.filter(|_| small == "final"))
            // Tables write task 3 as `T3`.
            .or_else(|| self.exact.get(small.strip_prefix('t').filter(|number| is_number(number))?).copied())
    }

    /// The task that a text begins with, and the rest of the text.
    pub(crate) fn named<'t>(&self, text: &'t str) -> Option<(usize, &'t str)> {
        let text = text.trim_matches(['*', '`', ' ', '[', ']']);
        let (_, rest) = without_keyword(text);
        let word = word(rest);
        let mut id = word;
        loop {
            if let Some(index) = self.get(id) {
                return Some((index, rest.get(id.len()..).unwrap_or_default()));
            }
            // `1.config_path`: a value name follows the id.
            id = id.get(..id.rfind('.')?)?;
        }
    }
}

/// The text without a leading `TODO` or `Task`, if something follows it.
pub(crate) fn without_keyword(text: &str) -> (bool, &str) {
    let text = text.trim_start_matches(['*', '_', '`', ' ', '\t']);
    for word in ["todos", "tasks", "todo", "task"] {
        let Some(head) = text.get(..word.len()) else { continue };
        let rest = text.get(word.len()..).unwrap_or_default();
        if !head.eq_ignore_ascii_case(word) {
            continue;
        }
        let after = rest.trim_start_matches([' ', '\t', '#']);
        if after.len() < rest.len() {
            return (true, after);
        }
        if let Some(after) = rest.strip_prefix(['-', '_']) {
            return (true, after.trim_start());
        }
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            return (true, rest);
        }
    }
    (false, text)
}

/// Whether a text consists of digits only.
pub(crate) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The characters of an id at the beginning of a text.
pub(crate) fn word(text: &str) -> &str {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '/')))
        .unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// The text after the separator between id and title: a colon, or a dash with a blank before it.
pub(crate) fn after_separator(text: &str) -> Option<&str> {
    let rest = text.trim_start();
    if let Some(title) = rest.strip_prefix([':', '：']) {
        return Some(title);
    }
    if rest.len() == text.len() {
        return None;
    }
    ["—", "–", "-"].iter().find_map(|dash| rest.strip_prefix(dash)).filter(|title| title.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> Ids {
        let tasks: Vec<_> = names.iter().map(|id| Task { id: (*id).into(), ..Task::default() }).collect();
        Ids::new(&tasks)
    }

    #[test]
    fn ids_are_names_and_not_numbers() {
        let ids = ids(&["1", "10", "2a", "Final", "P0-2b", "1.a"]);
        assert_eq!(ids.get("1"), Some(0));
        assert_eq!(ids.get("10"), Some(1));
        assert_eq!(ids.get("100"), None);
        assert_eq!(ids.named("todo-final"), Some((3, "")));
        assert_eq!(ids.named("`todo-1.config_path`"), Some((0, ".config_path")));
        assert_eq!(ids.named("todo-1.a.x"), Some((5, ".x")));
        assert_eq!(ids.named("P0-2b outputs"), Some((4, " outputs")));
        assert_eq!(ids.named("TODO 3"), None);
    }
}
