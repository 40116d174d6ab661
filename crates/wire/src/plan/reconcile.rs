//! `reconcile/1`: where the files of one plan disagree, and which rule decided.

use crate::TaskId;
use crate::plan::Place;
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "reconcile/1";

/// Everything that disagrees in one plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reconcile {
    /// Always `reconcile/1`.
    pub schema: String,
    /// The plan file or folder as seen from the root.
    pub path: String,
    /// How many tasks the list has.
    pub tasks: u64,
    /// How many of them are done.
    pub done: u64,
    /// Every disagreement.
    pub conflicts: Vec<Conflict>,
}

/// One disagreement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conflict {
    /// A stable kebab-case word.
    pub code: String,
    /// The task concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// What each place says.
    pub says: Vec<Saying>,
    /// Which rule decided, and what it decided.
    pub decided: String,
}

/// What one place says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Saying {
    /// The place.
    pub place: Place,
    /// What it says.
    pub what: String,
}
