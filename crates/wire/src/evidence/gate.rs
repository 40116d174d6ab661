//! `gate/1`: one check that was run, with its full result.
//!
//! It has every field of the older `gate_run.v1` record under its own name, so that readers of that record can read
//! this one, and on a fault the whole line fault contract.

use crate::{TreeHash, is_false};
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "gate/1";

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It ran and what was expected is true.
    Pass,
    /// It ran and what was expected is not true.
    Fail,
    /// It gave no verdict; `stop_reason` says why.
    Fault,
}

/// Why a child stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It ended by itself.
    Exited,
    /// A signal ended it.
    Signalled,
    /// The wall clock ran out.
    Timeout,
    /// It was silent for too long.
    Stall,
    /// A program or setting that it needs is not there.
    EnvMissing,
    /// It ended by itself and left processes behind, which were ended; `status` is that of the command.
    Leak,
    /// The tree was not the same before and after.
    TreeMoved,
    /// We were told to stop.
    Interrupted,
    /// It acts on more than the tree, and was not allowed to run.
    Acts,
    /// What happened cannot be told.
    Ambiguous,
}

/// One check that was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gate {
    /// Always `gate/1`.
    pub schema: String,
    /// Always `gate_run.v1`, for readers of the older record.
    pub schema_version: String,
    /// The bead or task it belongs to; `adhoc` where there is none.
    pub bead_id: String,
    /// When the run began.
    pub run_timestamp: String,
    /// `bead_id=… run_timestamp=…`.
    pub run_signature: String,
    /// The gate's own id.
    pub gate_id: String,
    /// The verdict.
    pub status: Status,
    /// The child's exit code; null where it did not exit by itself.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// The signal that ended the child.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Wall-clock seconds.
    pub elapsed_seconds: f64,
    /// The exact command line, quoted for a shell.
    pub invocation: String,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// What was expected, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// What was measured, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<String>,
    /// SHA-256 of the output, of as much of it as is kept; empty where nothing is kept.
    pub output_sha256: String,
    /// How many bytes were printed.
    pub output_bytes: u64,
    /// Where the output was kept, relative to the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// Whether log and digest hold less than all of it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// The last lines, secrets masked; none for a pass.
    #[serde(default)]
    pub last_output_lines: Vec<String>,
    /// How to run it again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repro_hints: Vec<String>,
    /// The tree before it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_before: Option<TreeHash>,
    /// The tree after it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_after: Option<TreeHash>,
    /// How often it was run.
    pub attempts: u32,
    /// Whether it both failed and passed on the same tree.
    #[serde(default, skip_serializing_if = "is_false")]
    pub flaky: bool,
    /// Processes that outlived the command and were ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaked: Option<u32>,
    /// The fix that was run after a failure, before the check ran again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Whether a secret is missing: no Fitter and no retry mends that.
    #[serde(default, skip_serializing_if = "is_false")]
    pub needs_secret: bool,
}
