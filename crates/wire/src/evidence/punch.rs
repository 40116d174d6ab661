//! `punch/1`: one line of the ledger.
//!
//! `hash` is always the last field of the line and is the SHA-256 of all bytes before `,"hash":`, so that a chain
//! can be walked without parsing and serializing JSON again.

use crate::{Data, Fingerprint, RunId, TaskId, TreeHash};
use serde::{Deserialize, Serialize};

/// The name of this contract.
pub const SCHEMA: &str = "punch/1";

/// What kind of record it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Type {
    /// A worker is about to start.
    AttemptBegin,
    /// What a run that is gone left half done is taken over, to be checked and not worked again.
    Takeover,
    /// A worker has ended and its result is saved.
    AttemptEnd,
    /// A stage said no.
    Halt,
    /// A check passed.
    GatePass,
    /// A check failed.
    GateFail,
    /// A check gave no verdict.
    GateFault,
    /// A check ran before the work: its result is in `data.gate`.
    Before,
    /// A child was started.
    ChildSpawn,
    /// A child has ended.
    ChildComplete,
    /// A step was done.
    StepComplete,
    /// A card or a phase was judged.
    Checkpoint,
    /// A review was made.
    Review,
    /// Handed on to a worker that may do more.
    Escalation,
    /// A fault was mended.
    Restoration,
    /// A box was ticked.
    Tick,
    /// A box was cleared.
    Untick,
    /// A commit was made, or nothing was there to commit.
    Commit,
    /// Something was left out, with a reason.
    Skip,
    /// Somebody decided otherwise, with a reason.
    Override,
    /// The digest of a punch file.
    Seal,
    /// The line before this one was cut off by a crash.
    Torn,
    /// A tool was called.
    ToolCall,
    /// A command was run.
    CommandExec,
    /// A tool of an MCP server was called.
    McpCall,
    /// A file differs from what it was before the attempt, as observed.
    FileChange,
    /// What was spent so far.
    CostCheckpoint,
    /// A session began, went on or ended.
    SessionLifecycle,
    /// Something was said.
    Message,
}

impl Type {
    /// Every type.
    pub const ALL: [Type; 29] = [
        Type::AttemptBegin,
        Type::Takeover,
        Type::AttemptEnd,
        Type::Halt,
        Type::GatePass,
        Type::GateFail,
        Type::GateFault,
        Type::Before,
        Type::ChildSpawn,
        Type::ChildComplete,
        Type::StepComplete,
        Type::Checkpoint,
        Type::Review,
        Type::Escalation,
        Type::Restoration,
        Type::Tick,
        Type::Untick,
        Type::Commit,
        Type::Skip,
        Type::Override,
        Type::Seal,
        Type::Torn,
        Type::ToolCall,
        Type::CommandExec,
        Type::McpCall,
        Type::FileChange,
        Type::CostCheckpoint,
        Type::SessionLifecycle,
        Type::Message,
    ];

    /// The type that a word stands for.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// The word used in JSON and in text.
    pub fn word(self) -> &'static str {
        match self {
            Type::AttemptBegin => "attempt_begin",
            Type::Takeover => "takeover",
            Type::AttemptEnd => "attempt_end",
            Type::Halt => "halt",
            Type::GatePass => "gate_pass",
            Type::GateFail => "gate_fail",
            Type::GateFault => "gate_fault",
            Type::Before => "before",
            Type::ChildSpawn => "child_spawn",
            Type::ChildComplete => "child_complete",
            Type::StepComplete => "step_complete",
            Type::Checkpoint => "checkpoint",
            Type::Review => "review",
            Type::Escalation => "escalation",
            Type::Restoration => "restoration",
            Type::Tick => "tick",
            Type::Untick => "untick",
            Type::Commit => "commit",
            Type::Skip => "skip",
            Type::Override => "override",
            Type::Seal => "seal",
            Type::Torn => "torn",
            Type::ToolCall => "tool_call",
            Type::CommandExec => "command_exec",
            Type::McpCall => "mcp_call",
            Type::FileChange => "file_change",
            Type::CostCheckpoint => "cost_checkpoint",
            Type::SessionLifecycle => "session_lifecycle",
            Type::Message => "message",
        }
    }
}

/// Who wrote it down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// `gate-run`, for a check of the plan or the configuration.
    Gate,
    /// `worker-run`.
    Supervisor,
    /// An agent's own record.
    Transcript,
    /// Git.
    Git,
    /// Another of our tools.
    Tool,
    /// What a worker says.
    Worker,
    /// What a person says.
    Human,
}

/// How much a record is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// We saw it ourselves.
    Observed,
    /// Read from a record that another program wrote.
    Projected,
    /// Somebody said so; no card row and no tick accepts it.
    Typed,
}

/// Where a record comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Source {
    /// Who wrote it down.
    pub kind: SourceKind,
    /// The file it was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Punch {
    /// Always `punch/1`.
    pub schema: String,
    /// Counted from 1 in each ledger.
    pub seq: u64,
    /// The plan's path as seen from the root.
    pub plan: String,
    /// The task, where it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The task's fingerprint when it was handed out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
    /// The attempt, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// The run.
    pub run: RunId,
    /// What kind of record it is.
    #[serde(rename = "type")]
    pub kind: Type,
    /// What it is about: a criterion, a gate, a tool, a message.
    pub key: String,
    /// When, in UTC.
    pub observed_at: String,
    /// The tree it is bound to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeHash>,
    /// Where it comes from.
    pub source: Source,
    /// How much it is worth.
    pub trust: Trust,
    /// The rest: for a stage the field that it added.
    #[serde(default, skip_serializing_if = "Data::is_null")]
    pub data: Data,
    /// Digest of what the record was derived from: a command, a transcript line, a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_hash: Option<String>,
    /// The hash of the line before; 64 zeros for the first.
    pub prev: String,
    /// The hash of this line.
    pub hash: String,
}

#[cfg(test)]
mod tests {
    use super::Type;

    #[test]
    fn words_and_types_go_both_ways() {
        for kind in Type::ALL {
            assert_eq!(Type::parse(kind.word()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.word());
        }
    }
}
