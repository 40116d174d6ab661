//! The level of evidence that a tick stands on, from the strongest to none.

use serde::{Deserialize, Serialize};

/// The evidence for a task, in the order of its strength.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// All checks of its own pass, and the work made at least one of them true.
    Proved,
    /// All checks of its own pass; the result before the work is unknown.
    Passes,
    /// No check of its own; the gates pass, the tree changed, and another worker read the change and agreed.
    Reviewed,
    /// All checks of its own pass, and all of them passed before the work.
    #[serde(alias = "already_true")]
    AlreadyTrue,
    /// No check of its own; the gates pass, and the tree changed.
    #[serde(alias = "gates_only")]
    GatesOnly,
    /// A person accepted it, with a reason on record.
    Accepted,
    /// Anything else: nothing ran, nothing changed, or there is no verdict.
    #[default]
    Unproved,
}

impl Level {
    /// Every level, the strongest first.
    pub const ALL: [Level; 7] = [
        Level::Proved,
        Level::Passes,
        Level::Reviewed,
        Level::AlreadyTrue,
        Level::GatesOnly,
        Level::Accepted,
        Level::Unproved,
    ];

    /// The word for programs: in JSON, the ledger, the configuration, cards and command lines.
    pub fn word(self) -> &'static str {
        match self {
            Level::Proved => "proved",
            Level::Passes => "passes",
            Level::Reviewed => "reviewed",
            Level::AlreadyTrue => "already-true",
            Level::GatesOnly => "gates-only",
            Level::Accepted => "accepted",
            Level::Unproved => "unproved",
        }
    }

    /// The words for people.
    pub fn shown(self) -> &'static str {
        match self {
            Level::AlreadyTrue => "already true",
            Level::GatesOnly => "gates only",
            other => other.word(),
        }
    }

    /// The level that a word stands for; `-`, `_` and a space are the same.
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.replace(['_', ' '], "-");
        Self::ALL.into_iter().find(|level| level.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::Level;

    #[test]
    fn words_and_levels_go_both_ways() {
        for level in Level::ALL {
            assert_eq!(Level::parse(level.word()), Some(level));
            assert_eq!(Level::parse(level.shown()), Some(level));
            assert_eq!(serde_json::to_value(level).unwrap(), level.word());
        }
        assert!(Level::ALL.is_sorted());
    }
}
