//! `rounds/1`: the whole schedule of a plan, if nothing fails.

use crate::TaskId;
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "rounds/1";

/// The whole schedule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoundsDoc {
    /// Always `rounds/1`.
    pub schema: String,
    /// The plan's path as seen from the root.
    pub plan: String,
    /// How many tasks are left.
    pub tasks: u64,
    /// The most that run together.
    pub max_parallel: u64,
    /// The longest chain.
    pub critical_path: Vec<TaskId>,
    /// What runs together, round by round.
    pub rounds: Vec<Vec<TaskId>>,
}
