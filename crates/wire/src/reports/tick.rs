//! `tick/1`: a manual change of a box, or its state.

use crate::{Level, State, TaskId};
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "tick/1";

/// What was done to a box by hand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TickDoc {
    /// Always `tick/1`.
    pub schema: String,
    /// The plan's path as seen from the root.
    pub plan: String,
    /// The task.
    pub task: TaskId,
    /// Its title.
    pub title: String,
    /// Where it stands now.
    pub state: State,
    /// Whether the plan file changed.
    pub changed: bool,
    /// The criterion that was ticked, or whose failure opened the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<String>,
    /// The line of its box or of its name, counted from 1, where tasks are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The level of evidence that the tick stands on, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The commit that says so, where the history was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}
