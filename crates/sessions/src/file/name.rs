//! The names of session files, parsed from the right: both ids and dates contain hyphens.

use crate::file::moment::Moment;
use std::fmt;
use wire::ids::key_of;

/// A link's position in the chain of its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Position {
    /// The preparation.
    Prep,
    /// A subtask, starting at 1.
    Subtask(u32),
    /// The tests.
    Tests,
}

impl Position {
    /// The position for a word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "prep" => Some(Self::Prep),
            "tests" => Some(Self::Tests),
            _ => {
                let number = word.strip_prefix("subtask-")?;
                let plain = number.bytes().all(|b| b.is_ascii_digit()) && !number.starts_with('0');
                number.parse().ok().filter(|_| plain).map(Self::Subtask)
            }
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prep => f.write_str("prep"),
            Self::Subtask(number) => write!(f, "subtask-{number}"),
            Self::Tests => f.write_str("tests"),
        }
    }
}

/// The name of a session file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The task's id in a form that is safe in a file name.
    pub task: String,
    /// Its position in the chain.
    pub position: Position,
    /// The day, `2026-01-31`.
    pub date: String,
}

impl Name {
    /// A name for a link; makes the id safe as a file name.
    pub fn new(task: &str, position: Position, date: &str) -> Self {
        Self { task: key_of(task), position, date: date.to_owned() }
    }

    /// Parses a file name, with or without `.json`.
    pub fn parse(file: &str) -> Option<Self> {
        let stem = file.strip_suffix(".json").unwrap_or(file);
        let (head, date) = stem.split_at_checked(stem.len().checked_sub(10)?)?;
        let head = head.strip_suffix('-').filter(|_| Moment::is_date(date))?;
        let (task, position) = match head.strip_prefix("task-") {
            Some(rest) => (rest.strip_suffix("-prep")?, Position::Prep),
            None => execution(head.strip_prefix("execution-")?)?,
        };
        (!task.is_empty()).then(|| Self { task: task.to_owned(), position, date: date.to_owned() })
    }

    /// The file's name.
    pub fn file(&self) -> String {
        let kind = if self.position == Position::Prep { "task" } else { "execution" };
        format!("{kind}-{}-{}-{}.json", self.task, self.position, self.date)
    }
}

fn execution(head: &str) -> Option<(&str, Position)> {
    if let Some(task) = head.strip_suffix("-tests") {
        return Some((task, Position::Tests));
    }
    let (rest, number) = head.rsplit_once('-')?;
    let task = rest.strip_suffix("-subtask")?;
    Some((task, Position::parse(&format!("subtask-{number}"))?))
}

#[cfg(test)]
mod tests {
    use super::{Name, Position};

    #[test]
    fn names_are_read_from_the_right_and_written_back() {
        let cases = [
            ("task-x-prep-2026-02-15.json", "x", Position::Prep),
            ("task-repomap-core-ywk.3-prep-2026-02-15.json", "repomap-core-ywk.3", Position::Prep),
            ("execution-a-b-subtask-12-2026-02-15.json", "a-b", Position::Subtask(12)),
            ("execution-a-subtask-1-subtask-2-2026-02-15.json", "a-subtask-1", Position::Subtask(2)),
            ("execution-2026-02-14-tests-2026-02-15.json", "2026-02-14", Position::Tests),
            ("task-task-prep-prep-2026-02-15.json", "task-prep", Position::Prep),
        ];
        for (file, task, position) in cases {
            let name = Name::parse(file).unwrap();
            assert_eq!((name.task.as_str(), name.position), (task, position), "{file}");
            assert_eq!(name.file(), file);
        }
    }

    #[test]
    fn other_names_are_none() {
        for file in [
            "task-x-prep-2026-02-31.json",
            "task--prep-2026-02-15.json",
            "task-x-2026-02-15.json",
            "execution-x-subtask-2026-02-15.json",
            "execution-x-subtask-0-2026-02-15.json",
            "execution-x-subtask-01-2026-02-15.json",
            "decompose-76q-2026-03-11.json",
            "x-prep.json",
            "é-2026-02-15",
            "",
        ] {
            assert_eq!(Name::parse(file), None, "{file}");
        }
    }

    #[test]
    fn a_name_never_leaves_its_folder() {
        let name = Name::new("../../etc", Position::Prep, "2026-02-15").file();
        assert!(!name.contains('/') && !name.contains(".."), "{name}");
        assert!(Name::parse(&name).is_some());
    }
}
