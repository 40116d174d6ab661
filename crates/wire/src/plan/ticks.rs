//! `ticks/1`: what our own stages have ticked in a plan since it was printed.

use crate::TaskId;
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "ticks/1";

/// The tasks of a plan that were ticked since the last line of the stream; nothing else in its files has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ticks {
    /// Always `ticks/1`.
    pub schema: String,
    /// The digest of the plan as it is now, as `source.sha256` of `plan/1` has it.
    pub sha256: String,
    /// The tasks, completed now.
    pub tasks: Vec<TaskId>,
}
