//! The history of a task in `report/1`: its attempts and the checks that were run.

use crate::TreeHash;
use crate::order::{Claim, Halt, Tokens};
use crate::plan::suggestion::Origin;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One attempt at a task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Attempt {
    /// Which attempt it was, counted from 1.
    pub number: u32,
    /// Its run.
    pub run: String,
    /// The worker.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub worker: String,
    /// The machine it ran on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// The tree of its own that it worked in, as seen from the root.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub worktree: String,
    /// The machine that took its result over, from a run that was gone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub taken_over_by: String,
    /// When the worker began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_at: Option<String>,
    /// When the worker had ended; absent while it runs, or where it was never seen to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// Milliseconds that the worker took.
    pub worker_ms: u64,
    /// Milliseconds that the checks took.
    pub gate_ms: u64,
    /// How it came out.
    pub result: Came,
    /// What the worker said of its own work.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// What really happened to the worker.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub outcome: String,
    /// In the worker's own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The model that did it, as its client or it itself reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether that is the model that was asked for: `same`, `other` or `unknown`; none if no model was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_match: Option<String>,
    /// The mode that it ran in, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// What the worker says about tests.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub tests: Value,
    /// What the worker claims about the criteria.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// Claimed as passed, measured as failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub false_claims: Vec<String>,
    /// The checks that were run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Ran>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halt: Option<Halt>,
    /// The prompt that the worker was given, as seen from the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// What the worker printed, as seen from the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// Files that changed meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_files: Vec<String>,
    /// The tree that the worker found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_before: Option<TreeHash>,
    /// The tree that it left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_after: Option<TreeHash>,
    /// What it cost in dollars, where `[prices]` or the worker's own record says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The tokens that it used, where the worker's own record says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
}

/// How an attempt came out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Came {
    /// The worker has not ended, or its end is not on record.
    #[default]
    Open,
    /// The worker has ended; nothing is decided.
    Ended,
    /// A stage said no.
    Halted,
    /// The box was ticked.
    Ticked,
}

/// One check that was run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ran {
    /// The criterion or gate.
    pub id: String,
    /// `pass`, `fail` or `fault`.
    pub status: String,
    /// When it began.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
    /// Wall-clock milliseconds.
    pub ms: u64,
    /// The command.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// What was expected, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// What was measured, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<String>,
    /// Whether something is missing that the check needs, so that there is no verdict.
    #[serde(default, skip_serializing_if = "crate::is_false")]
    pub env_missing: bool,
    /// The last lines of its output; none for a pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<String>,
    /// Where the output was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// The tree that it ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeHash>,
    /// The same gate before the work; a criterion has it in its `checks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Before>,
}

/// What another worker said about a change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Review {
    /// The reviewer.
    pub worker: String,
    /// Whether it agrees that the change does what the task asks for.
    pub agree: bool,
    /// Why.
    pub reasons: Vec<String>,
    /// The places that it names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
}

/// One criterion with the last that was measured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    /// The criterion's id.
    pub id: String,
    /// Its category.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// As written.
    pub text: String,
    /// `pass`, `fail`, `fault`, `skip`, `manual`, `decided` by a person, or `open` where nothing was measured.
    pub status: String,
    /// What was measured, or why nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<String>,
    /// The command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The same check before the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Before>,
    /// Where it comes from, if `checkbox adopt` wrote it into the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// A check before the work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Before {
    /// `pass`, `fail` or `fault`.
    pub status: String,
    /// What was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<String>,
    /// The last lines of its output; none for a pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<String>,
    /// What it ran on: the tree before the first attempt, or that with this task's test files, or the merged base.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub on: String,
    /// The hash of that tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeHash>,
}
