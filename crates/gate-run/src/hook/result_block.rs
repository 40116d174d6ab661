//! The `VERIFICATION RESULT` block, in the words of the source workflow, and the answer in the client's protocol.

use crate::hook::envelope::Event;
use serde_json::{Value, json};
use std::fmt::Write;
use wire::Level;

/// The result of a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ResultBlock {
    pub(crate) pass: u32,
    pub(crate) skip: u32,
    /// Each as `id:category:command`.
    pub(crate) failed: Vec<String>,
    /// Claimed as passed, but measured otherwise.
    pub(crate) mismatches: Vec<String>,
    /// Why there is no other result.
    pub(crate) reasons: Vec<String>,
    /// The level of evidence of the worker's task, where it is known.
    pub(crate) level: Option<Level>,
}

impl ResultBlock {
    /// A block with only a reason.
    pub(crate) fn because(reason: impl Into<String>) -> Self {
        Self { reasons: vec![reason.into()], ..Self::default() }
    }

    /// Something ran, and nothing failed. If nothing ran, this is not a pass.
    pub(crate) fn is_verified(&self) -> bool {
        self.pass > 0 && self.failed.is_empty() && self.reasons.is_empty()
    }

    /// The text of the block.
    pub(crate) fn text(&self) -> String {
        let status = if self.is_verified() { "VERIFIED" } else { "FAILED" };
        let mut out = format!("=== VERIFICATION RESULT ===\nstatus: {status}\npass: {}\n", self.pass);
        if !self.is_verified() {
            let _ = writeln!(out, "fail: {}", self.failed.len());
        }
        let _ = writeln!(out, "skip: {}", self.skip);
        for (name, items) in
            [("failed_items", &self.failed), ("mismatches", &self.mismatches), ("reasons", &self.reasons)]
        {
            if !items.is_empty() {
                let _ = writeln!(out, "{name}:");
            }
            for item in items {
                // Each item is one line, whatever the command contains.
                let _ = writeln!(out, "  - {}", item.replace('\n', "\\n").replace('\r', "\\r"));
            }
        }
        if let Some(level) = self.level {
            let _ = writeln!(out, "level: {}", level.shown());
        }
        out.push_str("===========================\n");
        out
    }

    /// The answer to an event. The end of a turn is blocked only once, to avoid an endless loop.
    pub(crate) fn answer(&self, event: Event, held_up_before: bool) -> Value {
        let text = self.text();
        match event {
            // Nothing ends its turn again because of these: they are held up until it is true.
            Event::TaskCompleted | Event::TeammateIdle if !self.is_verified() => {
                json!({ "decision": "block", "reason": text })
            }
            Event::Stop | Event::SubagentStop if !self.is_verified() && !held_up_before => {
                json!({ "decision": "block", "reason": text })
            }
            Event::Stop | Event::SubagentStop | Event::TaskCompleted | Event::TeammateIdle => {
                json!({ "systemMessage": text })
            }
            Event::PostToolUse | Event::Other => json!({
                "hookSpecificOutput": { "hookEventName": "PostToolUse", "additionalContext": text }
            }),
        }
    }
}
