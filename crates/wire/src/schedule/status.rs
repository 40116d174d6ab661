//! `status/1`: the state of a plan, and the reason why each waiting task waits.

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
    /// The strategy that decided, and where it comes from.
    pub strategy: String,
    /// How many tasks there are.
    pub total: u64,
    /// How many are in which state; they add up to the total.
    pub states: BTreeMap<String, u64>,
    /// How many ticks stand on which level of evidence.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: BTreeMap<String, u64>,
    /// What would be handed out now.
    pub ready: Vec<TaskId>,
    /// What a live process is working on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub running: Vec<TaskId>,
    /// What is for a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub human: Vec<TaskId>,
    /// What has used up its attempts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exhausted: Vec<TaskId>,
    /// What was done and asks for something else now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reopened: Vec<TaskId>,
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
    /// The tasks that it waits for, with nothing in between.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<TaskId>,
    /// From a task that it waits for down to the one that is at the root of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<TaskId>,
    /// What is the matter with the last of that chain, or with the task itself.
    pub cause: String,
}
