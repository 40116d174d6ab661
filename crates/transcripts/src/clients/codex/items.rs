//! Items of Codex: what was really done, besides the calls.
//!
//! In a rollout an item with a call's id adds to that call; an item with another id comes from a script. The
//! `exec --json` output consists only of items.

use crate::calls::window::Window;
use crate::json::lenient::{Number, Paths, Word};
use crate::{Call, Record};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Item<'a> {
    #[serde(borrow, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow)]
    status: Word<'a>,
    #[serde(borrow)]
    command: Word<'a>,
    exit_code: Number,
    changes: Paths,
    #[serde(borrow)]
    server: Word<'a>,
    #[serde(borrow)]
    tool: Word<'a>,
    #[serde(borrow)]
    query: Word<'a>,
    #[serde(borrow)]
    text: Word<'a>,
    #[serde(borrow)]
    agent_thread_id: Word<'a>,
    #[serde(borrow)]
    receiver_thread_ids: Word<'a>,
}

/// The destination of items.
pub(crate) struct Items<'i, 's> {
    pub(crate) agent: &'i str,
    pub(crate) script: Option<&'i str>,
    pub(crate) source: usize,
    pub(crate) line: u64,
    pub(crate) at: Option<&'i str>,
    pub(crate) window: &'i mut Window<'s>,
    pub(crate) record: &'i mut Record,
}

impl Items<'_, '_> {
    /// An item of a rollout.
    pub(crate) fn completed(&mut self, item: &Item<'_>) {
        let done =
            matches!(item.kind.text(), "FileChange" | "CommandExecution" | "McpToolCall" | "WebSearch");
        if let Some(call) = self.window.find(self.agent, item.id.text()) {
            if call.target.is_none() {
                *call = item.describe(std::mem::take(call));
            }
            // A hook may have replaced the output with its own text.
            call.exit_code = call.exit_code.or(item.exit_code.whole());
            return;
        }
        if let (true, Some(script)) = (done, self.script) {
            let mut call = item.describe(Call::new(self.agent, item.kind.text(), item.id.text()));
            call.within = Some(script.to_owned());
            self.push(call, item);
        }
    }

    /// An item of the output of a run: started, then completed under the same id.
    pub(crate) fn streamed(&mut self, item: &Item<'_>) {
        let name = match item.kind.text() {
            "agent_message" => {
                self.record.messages += 1;
                return self.record.said(item.text.text());
            }
            "collab_tool_call" | "mcp_tool_call" => item.tool.text(),
            "command_execution" | "file_change" | "web_search" => item.kind.text(),
            _ => return,
        };
        let call = item.describe(Call::new(self.agent, name, item.id.text()));
        if let Some(begun) = self.window.find(self.agent, item.id.text()) {
            begun.ok = item.ok();
            begun.exit_code = item.exit_code.whole();
            begun.target = call.target;
            begun.more = call.more;
        } else {
            self.push(call, item);
        }
    }

    fn push(&mut self, mut call: Call, item: &Item<'_>) {
        call.ok = item.ok();
        call.exit_code = item.exit_code.whole();
        call.source = self.source;
        call.line = self.line;
        self.window.push(call.when(self.at));
    }
}

impl Item<'_> {
    fn ok(&self) -> Option<bool> {
        match (self.exit_code.whole(), self.status.text()) {
            (Some(code), _) => Some(code == 0),
            (None, "completed") => Some(true),
            (None, "failed" | "declined") => Some(false),
            _ => None,
        }
    }

    fn describe(&self, call: Call) -> Call {
        let words = [&self.command, &self.query, &self.agent_thread_id, &self.receiver_thread_ids];
        let mut paths = self.changes.0.iter();
        let target = words.into_iter().find_map(Word::get).or_else(|| paths.next().map(String::as_str));
        let mut call = call.about(target);
        call.more = paths.cloned().collect();
        call.namespace = self.server.owned().or(call.namespace);
        call
    }
}
