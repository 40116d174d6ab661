//! `failure/1`: one error as one line of JSON on stderr.

use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "failure/1";

/// What went wrong, for programs: match on `code`, never on `message`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Failure {
    /// Always `failure/1`.
    pub schema: String,
    /// The tool that failed.
    pub tool: String,
    /// A stable kebab-case word.
    pub code: String,
    /// The exit status that goes with it.
    pub exit: u8,
    /// The same for people: lowercase, the fact first.
    pub message: String,
    /// The file concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in that file, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}
