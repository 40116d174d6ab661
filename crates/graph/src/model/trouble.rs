//! Why tasks do not form a graph: all errors in their names, at once.

use std::error::Error;
use std::fmt;

/// All errors; at least one of the lists is not empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trouble {
    /// Ids of more than one task, in order of their first use.
    pub duplicates: Vec<Duplicate>,
    /// Dependencies that name no task, in document order.
    pub unknown: Vec<Unknown>,
}

/// An id of more than one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The id.
    pub id: String,
    /// Every task that has it.
    pub nodes: Vec<u32>,
}

/// A dependency that names no task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// The task that depends on it.
    pub node: u32,
    /// That task's id.
    pub id: String,
    /// The unknown name.
    pub dependency: String,
}

impl Trouble {
    pub(crate) fn is_empty(&self) -> bool {
        self.duplicates.is_empty() && self.unknown.is_empty()
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        for Duplicate { id, nodes } in &self.duplicates {
            write!(f, "{gap}{} tasks have the id {id:?}", nodes.len())?;
            gap = "; ";
        }
        for Unknown { id, dependency, .. } in &self.unknown {
            write!(f, "{gap}{id:?} depends on {dependency:?}, which is no task")?;
            gap = "; ";
        }
        Ok(())
    }
}

impl Error for Trouble {}

#[cfg(test)]
mod tests {
    use super::{Duplicate, Trouble, Unknown};

    #[test]
    fn all_troubles_are_told_in_one_line() {
        let trouble = Trouble {
            duplicates: vec![Duplicate { id: "1".into(), nodes: vec![0, 3] }],
            unknown: vec![Unknown { node: 1, id: "2".into(), dependency: "x\ny".into() }],
        };
        assert_eq!(
            trouble.to_string(),
            r#"2 tasks have the id "1"; "2" depends on "x\ny", which is no task"#
        );
    }
}
