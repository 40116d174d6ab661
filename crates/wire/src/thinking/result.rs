//! `result/1`: a child's Markdown answer, as data.

use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "result/1";

/// What a child says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultDoc {
    /// Always `result/1`.
    pub schema: String,
    /// `return` for `## Status` …, `subtask` for `## Subtask Result`.
    pub shape: String,
    /// `SUCCESS`, `ERROR` or `PARTIAL`; absent where it says none of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// In its own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// A word for programs, where it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// Whether trying again is worth it, as far as the child knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_recommended: Option<bool>,
    /// What should be different then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_hint: Option<String>,
    /// Files with what was done to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deliverables: Vec<Deliverable>,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// What it claims about the success criteria.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Claimed>,
    /// What it claims about the quality gates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Claimed>,
    /// The model that it reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_model_reported: Option<String>,
    /// The mode that it reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_mode_reported: Option<String>,
    /// `same`, `other` or `unknown`, beside the model that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_match: Option<String>,
    /// Files it says it made.
    #[serde(default)]
    pub files_created: Vec<String>,
    /// Files it says it changed.
    #[serde(default)]
    pub files_modified: Vec<String>,
    /// What it left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limitations: Vec<String>,
    /// What is missing or does not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// A file with what was done to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Deliverable {
    /// The file.
    pub path: String,
    /// What was done to it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// One claim about a criterion or a gate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claimed {
    /// The criterion or gate.
    pub name: String,
    /// `PASS`, `FAIL` or another word as written.
    pub status: String,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
}
