//! `session/1`: a thinking session in one page.

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
    /// `v1`, `v2` or `jsonl`.
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
    /// Branch ids, in the order of their first use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<String>,
    /// How many thoughts revise another.
    #[serde(default)]
    pub revisions: u64,
    /// The most used tags with their counts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, u64>,
    /// What is odd about the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}
