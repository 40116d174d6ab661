//! `facts/1`: what a program that conducts a run needs to know about a plan.

use crate::TaskId;
use crate::plan::Diagnostic;
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "facts/1";

/// Facts about a plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Facts {
    /// Always `facts/1`.
    pub schema: String,
    /// The dialect that the plan is written in.
    pub dialect: String,
    /// The profile that carries it out.
    pub profile: String,
    /// The top folder of its repository.
    pub root: String,
    /// Where the plan is, as seen from the root.
    pub path: String,
    /// Whether it states that tasks run in parallel.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
    /// Whether its tasks run one after the other: the plan says so, or its dialect does where the plan says nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sequential: bool,
    /// How many tasks it has.
    pub tasks: u64,
    /// Open tasks without a check that can be run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchecked: Vec<TaskId>,
    /// The models and agents that open tasks name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Files that open tasks name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Programs that the checks of open tasks start by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<String>,
    /// What a reader should know about the plan's text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
}
