//! One thought of a session.

use serde::Deserialize;

/// The stages of a session, in their order.
pub const STAGES: [&str; 5] = ["Problem Definition", "Research", "Analysis", "Synthesis", "Conclusion"];

/// One thought.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Thought {
    /// What was thought.
    pub thought: String,
    /// Counted from 1.
    pub thought_number: u64,
    /// How many were foreseen.
    pub total_thoughts: u64,
    /// One of [`STAGES`].
    pub stage: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whether it revises another.
    pub is_revision: bool,
    /// The branch it belongs to.
    pub branch_id: Option<String>,
}

impl Thought {
    /// The stage as it is written in the list, whatever its case here.
    pub fn known_stage(&self) -> Option<&'static str> {
        STAGES.into_iter().find(|s| s.eq_ignore_ascii_case(self.stage.trim()))
    }
}
