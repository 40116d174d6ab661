//! `report/1`: where a plan stands and what happened.

use crate::order::Halt;
use crate::{Answer, State, TaskId, is_false};
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "report/1";

/// Where a plan stands and what happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// Always `report/1`.
    pub schema: String,
    /// The plan's path as seen from the root.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub plan: String,
    /// The plan's own title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// What comes next, where the report closes a round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// The tasks: of the round, or of the whole plan.
    pub tasks: Vec<Line>,
    /// Files that were changed by workers or commits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What earlier tasks found out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learnings: Vec<String>,
    /// What was found and not resolved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<String>,
    /// What is still open, one sentence each; empty means that nothing is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
}

/// One task of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line {
    /// The task.
    pub id: TaskId,
    /// What it is called.
    pub title: String,
    /// Where it stands in the plan.
    pub state: State,
    /// How it is known.
    pub proof: Proof,
    /// How many attempts were made.
    pub attempts: u32,
    /// Criteria of the plan.
    pub criteria: u32,
    /// Criteria that passed.
    pub passed: u32,
    /// Criteria that are left to a person.
    pub manual: u32,
    /// The commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Claimed as passed, measured as failed, over all attempts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub false_claims: Vec<String>,
    /// Why it is not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halt: Option<Halt>,
    /// Whether the task was carried out in this round.
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_round: bool,
}

/// How it is known that a task is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// It is not.
    #[default]
    None,
    /// By checks that ran.
    Verified,
    /// A person said so, on record.
    Overridden,
    /// The box is ticked, and nobody knows why.
    Unverified,
}
