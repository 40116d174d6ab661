//! The stages of a session, in order.

use std::fmt;

/// A stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The task, and its interpretations.
    ProblemDefinition,
    /// The known facts.
    Research,
    /// The possible approaches.
    Analysis,
    /// Their comparison.
    Synthesis,
    /// The decision.
    Conclusion,
}

/// Every stage.
pub const STAGES: [Stage; 5] =
    [Stage::ProblemDefinition, Stage::Research, Stage::Analysis, Stage::Synthesis, Stage::Conclusion];

impl Stage {
    /// The stage as session files write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ProblemDefinition => "Problem Definition",
            Self::Research => "Research",
            Self::Analysis => "Analysis",
            Self::Synthesis => "Synthesis",
            Self::Conclusion => "Conclusion",
        }
    }

    /// The stage with a name, ignoring case; also accepts `problem-definition`, for the shell.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.trim();
        STAGES.into_iter().find(|stage| same(name, stage.name()))
    }

    /// All names, for messages.
    pub fn names() -> String {
        STAGES.map(Self::name).join(", ")
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn same(given: &str, name: &str) -> bool {
    given.len() == name.len()
        && given.bytes().zip(name.bytes()).all(|(given, name)| {
            given.eq_ignore_ascii_case(&name) || (name == b' ' && matches!(given, b'-' | b'_'))
        })
}

#[cfg(test)]
mod tests {
    use super::{STAGES, Stage};

    #[test]
    fn a_stage_is_known_by_its_name_in_any_case() {
        for stage in STAGES {
            assert_eq!(Stage::of(&stage.name().to_uppercase()), Some(stage));
        }
        assert_eq!(Stage::of("problem-definition"), Some(Stage::ProblemDefinition));
        assert_eq!(Stage::of("Conclusions"), None);
        assert_eq!(Stage::of(""), None);
    }
}
