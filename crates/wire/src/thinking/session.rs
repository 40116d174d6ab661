//! `session/1`: a thinking session on one page.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of this contract.
pub const SCHEMA: &str = "session/1";

/// What a thinking session holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    /// Always `session/1`.
    pub schema: String,
    /// The file it was read from.
    pub path: String,
    /// `v1`, `v2`, `jsonl` or `interchange`.
    pub format: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// How many thoughts there are.
    pub thoughts: u64,
    /// How many of each stage.
    pub stage_counts: BTreeMap<String, u64>,
    /// The stage of the last thought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_stage: Option<String>,
    /// Whether a Conclusion was reached.
    pub complete: bool,
    /// How far it got.
    pub completion: Completion,
    /// The branches, in the order of their first use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<Branch>,
    /// How many thoughts revise another.
    #[serde(default)]
    pub revisions: u64,
    /// The most used tags, at most five.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub top_tags: Vec<TagCount>,
    /// What was chosen, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approach: Option<Approach>,
    /// What must be true in the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub success_criteria: Vec<String>,
    /// What may go wrong, and what is done about it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<Risk>,
    /// What is odd about the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Every thought in the order of its number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<Moment>,
}

/// How far a session got.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Completion {
    /// Whether every stage has a thought.
    pub all_stages: bool,
    /// Thoughts of the main line, as a part of those that were foreseen.
    pub percent: f64,
}

/// A branch of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Branch {
    /// Its name.
    pub id: String,
    /// The thought that it leaves from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// How many thoughts it has.
    pub thoughts: u64,
}

/// A tag with its count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TagCount {
    /// The tag.
    pub tag: String,
    /// How many thoughts have it.
    pub count: u64,
}

/// What was chosen, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Approach {
    /// What was chosen.
    pub approach: String,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rationale: String,
}

/// What may go wrong, and what is done about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Risk {
    /// What may go wrong.
    pub risk: String,
    /// What is done about it; empty where nothing is said.
    pub mitigation: String,
}

/// One thought in the timeline.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moment {
    /// Its number.
    pub number: u64,
    /// Its stage, as written.
    pub stage: String,
    /// Whether it revises another.
    #[serde(default, skip_serializing_if = "crate::is_false")]
    pub revision: bool,
    /// Its branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}
