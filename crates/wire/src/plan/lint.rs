//! `lint/1`: errors in cards, in the workflows that name them, and in the commands they rely on.

use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "lint/1";

/// Everything that was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LintDoc {
    /// Always `lint/1`.
    pub schema: String,
    /// How many cards were looked at.
    pub cards: u64,
    /// How many rows they have.
    pub rows: u64,
    /// What was found.
    pub findings: Vec<Finding>,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It cannot work.
    #[default]
    Error,
    /// It may not do what was meant.
    Warning,
}

/// One thing that is wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A stable kebab-case word.
    pub code: String,
    /// The card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
    /// The row as `type:pattern`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<String>,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in that file, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// A sentence for people.
    pub message: String,
}
