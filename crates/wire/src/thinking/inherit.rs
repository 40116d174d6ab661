//! `inherit/1`: what a task would inherit from its dependencies.

use crate::{Extra, State, TaskId};
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "inherit/1";

/// What a task would inherit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Inherit {
    /// Always `inherit/1`.
    pub schema: String,
    /// The plan's path as seen from the root.
    pub plan: String,
    /// The task.
    pub task: TaskId,
    /// What each task left that it waits for, directly or not, in the order of the plan.
    pub from: Vec<Legacy>,
}

/// What one task left.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Legacy {
    /// The task.
    pub task: TaskId,
    /// Where it stands.
    pub state: State,
    /// The values that it gave.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub outputs: Extra,
    /// Values that it declares and has not given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What its workers found out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learnings: Vec<String>,
    /// What they found and did not resolve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<String>,
    /// What they decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    /// The summary of the work, where the dialect has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}
