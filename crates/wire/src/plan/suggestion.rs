//! `suggestion/1`: a check that a task could have, where it comes from, and what a trial of it showed.

use crate::order::PlanRef;
use crate::plan::Clause;
use crate::{Fingerprint, Level, TaskId};
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "suggestion/1";

/// A check for a task that has none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Suggestion {
    /// Always `suggestion/1`.
    pub schema: String,
    /// The plan.
    pub plan: PlanRef,
    /// The task.
    pub task: TaskId,
    /// What the task is called.
    pub title: String,
    /// The task's fingerprint: a suggestion for a task that has changed since is not adopted.
    pub fingerprint: Fingerprint,
    /// The check in the grammar of plantools-checks(7), as it would be written into the plan.
    pub check: String,
    /// Its command.
    pub command: String,
    /// The results that the command must have; none means exit 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clauses: Vec<Clause>,
    /// What it looks at.
    pub kind: Kind,
    /// Where it comes from.
    pub origin: Origin,
    /// Why this check fits the task.
    pub reason: String,
    /// How sure it is that the work of the task makes this check true.
    pub sure: Sure,
    /// The paths that the task names; a trial puts empty files there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// What a trial showed; absent where none was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<Trial>,
    /// Whether it was written into the plan; absent without a decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopted: Option<bool>,
}

/// What a suggested check looks at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A test file that the task makes, run by the project's test runner.
    Test,
    /// A name that the task puts into a file.
    Name,
    /// A file or folder that the task makes.
    File,
    /// A file that the task removes.
    Removed,
    /// A command that the task names.
    Command,
    /// The legal form of a check that is unclear as it is written.
    #[default]
    Rewrite,
}

/// Where a suggestion comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Derived from plan and repository.
    #[default]
    Suggested,
    /// Proposed by an agent.
    Proposed,
}

/// How sure a suggestion is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Sure {
    /// A guess.
    #[default]
    Low,
    /// The task names it, and the repository fits.
    Medium,
    /// The task says so itself.
    High,
}

/// What a trial of a suggested check showed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trial {
    /// Whether it may be adopted.
    pub fit: bool,
    /// Why not: a stable kebab-case word; empty where it is fit.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// A sentence for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// Whether it only shows that something exists: it passes with empty files at the task's paths.
    #[serde(default, skip_serializing_if = "crate::is_false")]
    pub existence_only: bool,
    /// The level that a task with this check alone can reach: `proved`, or `passes` where the result before the work says
    /// nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The last lines of its output now.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}
