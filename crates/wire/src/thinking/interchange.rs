//! `interchange/1`: another tool's session, reduced to what a thinking session needs.

use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "interchange/1";

/// Another tool's session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interchange {
    /// Always `interchange/1`.
    pub schema: String,
    /// Where it comes from.
    #[serde(default)]
    pub source: Origin,
    /// What was thought or said, in order.
    pub entries: Vec<Entry>,
}

/// Where a session comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Origin {
    /// The tool that kept it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub client: String,
    /// Its own name for the session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// The file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
}

/// Something that was thought or said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Entry {
    /// The words.
    pub text: String,
    /// One of the five stages; without one it is read as Analysis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// When, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Principles that it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub axioms: Vec<String>,
    /// Assumptions that it challenges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
}
