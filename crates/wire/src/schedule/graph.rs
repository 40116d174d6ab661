//! `graph/1`: a plan's tasks as nodes, edges and rounds.

use crate::{State, TaskId, is_false};
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "graph/1";

/// A plan's tasks as nodes, edges and rounds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphDoc {
    /// Always `graph/1`.
    pub schema: String,
    /// The plan's own title.
    pub title: String,
    /// The tasks, in the order of the document.
    pub nodes: Vec<NodeDoc>,
    /// From a task to one that waits for it.
    pub edges: Vec<EdgeDoc>,
    /// What could run together if nothing failed, round by round.
    pub rounds: Vec<Vec<TaskId>>,
    /// The longest chain.
    pub critical_path: Vec<TaskId>,
}

/// One task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeDoc {
    /// The task.
    pub id: TaskId,
    /// What it is called.
    pub title: String,
    /// Where it stands.
    pub state: State,
    /// Whether it is on the longest chain.
    #[serde(default, skip_serializing_if = "is_false")]
    pub critical: bool,
}

/// One dependency.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EdgeDoc {
    /// The task that comes first.
    pub from: TaskId,
    /// The task that waits for it.
    pub to: TaskId,
}
