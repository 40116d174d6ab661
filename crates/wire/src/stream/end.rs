//! `end/1`: the last line of a stream of orders.

use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "end/1";

/// What the stream's first stage says about the plan as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Work was handed out.
    More,
    /// Every task is done.
    Done,
    /// What is left is blocked, failed or waits for a person.
    Stuck,
    /// Nothing may run now; something is running or must wait.
    Wait,
}

/// Closes a stream, so that a stage that died upstream cannot look like success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct End {
    /// Always `end/1`.
    pub schema: String,
    /// What comes next.
    pub answer: Answer,
    /// How many orders were handed out before this line.
    pub orders: u64,
    /// The exit code of the round, where `run-report --each` says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<u8>,
    /// Whether the only task that is left is the approval of a person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approval: bool,
}

impl End {
    /// The closing line for a stream of `orders` lines.
    pub fn new(answer: Answer, orders: u64) -> Self {
        Self { schema: SCHEMA.to_owned(), answer, orders, exit: None, approval: false }
    }
}
