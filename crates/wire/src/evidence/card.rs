//! `card/1`: the actions of one attempt, compared with one card.

use crate::order::Card;
use crate::{RunId, TaskId};
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "card/1";

/// One attempt compared with one card.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CardDoc {
    /// Always `card/1`.
    pub schema: String,
    /// The plan's path as seen from the root; empty where the task is of no plan.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub plan: String,
    /// The task.
    pub task: TaskId,
    /// The run.
    pub run: RunId,
    /// The attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// What the card said.
    pub card: Card,
}
