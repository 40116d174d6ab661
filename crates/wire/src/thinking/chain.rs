//! `chain/1`, `resume/1` and `link/1`: the sessions of a task as the links of a chain.

use crate::digest::Sealed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the contract of a whole chain.
pub const SCHEMA: &str = "chain/1";
/// The name of the contract of where to go on.
pub const RESUME: &str = "resume/1";
/// The name of the contract of one link that was written.
pub const LINK: &str = "link/1";

/// The chain of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainDoc {
    /// Always `chain/1`.
    pub schema: String,
    /// The folder of the sessions.
    pub dir: String,
    /// The task.
    pub task: String,
    /// Whether the chain is whole.
    pub ok: bool,
    /// Its links, from the preparation on.
    pub links: Vec<ChainLink>,
    /// What is wrong, each with the link that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ChainProblem>,
}

/// One link of a chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainLink {
    /// `prep`, `subtask-N` or `tests`.
    pub link: String,
    /// The file.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// The date in its name.
    pub date: String,
    /// How many thoughts it has.
    pub thoughts: u64,
    /// How many of them are its own.
    pub added: u64,
    /// The link before it, as it says itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Sealed>,
    /// How it is held to the link before it: `digest`, or `thoughts` where it names no parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_by: Option<String>,
}

/// What is wrong with a chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainProblem {
    /// The link that it is about.
    pub link: String,
    /// `missing-link`, `doubled-link`, `forked-link`, `edited-link`, `foreign-link` or `unreadable-link`.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}

/// Where to go on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResumeDoc {
    /// Always `resume/1`.
    pub schema: String,
    /// The task.
    pub task: String,
    /// The last link that is whole; absent where even the preparation is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<ChainLink>,
    /// What comes next: `prep`, `subtask-N`, `tests` or `done`.
    pub next: String,
    /// How many subtasks the preparation foresees, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtasks: Option<u64>,
    /// What is wrong behind the last whole link.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ChainProblem>,
}

/// One link that was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LinkDoc {
    /// Always `link/1`.
    pub schema: String,
    /// The file.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// `v1` or `v2`.
    pub format: String,
    /// How many thoughts it has.
    pub thoughts: u64,
    /// How many of each stage.
    pub stage_counts: BTreeMap<String, u64>,
    /// Its place in the chain; absent for a file that is no link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<Link>,
}

/// What a link says about its own place; stands as `chain` in the session file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Link {
    /// The task.
    pub task: String,
    /// `prep`, `subtask-N` or `tests`.
    pub link: String,
    /// The link before it: its file name in the same folder, and its digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Sealed>,
    /// Its own thoughts, so that an edit shows even where no other link follows.
    pub seal: Seal,
}

/// The thoughts of a link as one digest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Seal {
    /// How many there are.
    pub thoughts: u64,
    /// SHA-256 of the thoughts without white space between their parts, each closed by a newline.
    pub sha256: String,
}
