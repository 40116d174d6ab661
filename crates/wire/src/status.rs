//! `status/1`: where a plan stands, and what each waiting task waits for.

use crate::{Answer, TaskId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of this contract.
pub const SCHEMA: &str = "status/1";

/// Where a plan stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StatusDoc {
    /// Always `status/1`.
    pub schema: String,
    /// The plan's path as seen from the root.
    pub plan: String,
    /// What comes next.
    pub answer: Answer,
    /// How many tasks there are.
    pub total: u64,
    /// How many are in which state.
    pub states: BTreeMap<String, u64>,
    /// What would be handed out now.
    pub ready: Vec<TaskId>,
    /// Every task that is neither done nor handed out.
    pub waiting: Vec<Waiting>,
}

/// A task that waits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waiting {
    /// The task.
    pub id: TaskId,
    /// What it is called.
    pub title: String,
    /// The tasks that it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<TaskId>,
    /// Why it is held back although it waits for no other task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<String>,
}
