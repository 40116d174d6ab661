//! Conditions of commits and rules of what not to do, with the rule of checks: a text that is not understood is asked
//! about, never dropped.

/// When a commit is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitCondition {
    /// Once the task is done, which is so when a commit is due: `always`, `if tests pass`.
    Always,
    /// Only if there is something to commit: `if any change`.
    IfChanged,
    /// Only if this command exits 0: a command in backquotes.
    Command(String),
    /// Not understood: a person is asked.
    Asked(String),
}

/// When a commit is made, by the text of its condition.
pub fn commit(text: &str) -> CommitCondition {
    CommitCondition::Asked(text.to_owned())
}

/// A rule of what not to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MustNot {
    /// These paths or patterns must not change.
    Change(Vec<String>),
    /// Only these paths or patterns may change.
    ChangeOnly(Vec<String>),
    /// For the worker and for a person; no path is named.
    Prose,
    /// It names a path or a pattern, and what is said about it is not understood.
    Asked(String),
}

/// What a rule of what not to do means.
pub fn must_not(text: &str) -> MustNot {
    MustNot::Asked(text.to_owned())
}
