//! The rows of the user interface of a Cline, Roo or Kilo task.
//!
//! A tool that needs a person's permission is an `ask`, a tool allowed automatically is a `say`: each is one call. A
//! `partial` row was never executed; the complete row follows, or nothing does. Exit codes are not recorded.

use crate::calls::input::Input;
use crate::calls::record::keep;
use crate::calls::window::Window;
use crate::clients::cline::Tally;
use crate::clients::cline::api::Model;
use crate::json::lenient::{Flag, Items, Maybe, Number, Word};
use crate::json::lines::{At, Lines};
use crate::json::mend;
use crate::{Call, Ended, Kind, Record};
use serde::Deserialize;
use wire::order::Tokens;

pub(crate) struct Rows<'r, 's> {
    file: usize,
    record: &'r mut Record,
    window: &'r mut Window<'s>,
    tally: &'r mut Tally,
    /// The numbers of the latest call and of the latest child.
    latest: Option<u64>,
    child: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Row<'a> {
    ts: Number,
    #[serde(borrow)]
    say: Word<'a>,
    #[serde(borrow)]
    ask: Word<'a>,
    #[serde(borrow)]
    text: Word<'a>,
    partial: Flag,
    #[serde(borrow, rename = "modelInfo")]
    model: Maybe<Model<'a>>,
}

/// The text of a tool's row.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tool<'a> {
    #[serde(borrow, rename = "tool")]
    name: Word<'a>,
    #[serde(borrow)]
    path: Word<'a>,
    #[serde(borrow)]
    mode: Word<'a>,
    #[serde(borrow)]
    query: Word<'a>,
    #[serde(borrow, rename = "serverName")]
    server: Word<'a>,
    #[serde(borrow, rename = "toolName")]
    mcp_name: Word<'a>,
    #[serde(borrow)]
    uri: Word<'a>,
    #[serde(borrow)]
    arguments: Word<'a>,
    #[serde(borrow, rename = "batchFiles")]
    batch: Items<Maybe<EditedFile<'a>>>,
    #[serde(borrow, rename = "batchDiffs")]
    diffs: Items<Maybe<EditedFile<'a>>>,
    cost: Number,
    #[serde(rename = "tokensIn")]
    input: Number,
    #[serde(rename = "tokensOut")]
    output: Number,
    #[serde(rename = "cacheReads")]
    cached: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EditedFile<'a> {
    #[serde(borrow)]
    path: Word<'a>,
}

impl Lines for Rows<'_, '_> {
    type Line<'a> = Row<'a>;

    fn line(&mut self, place: &At<'_>, row: Row<'_>) {
        let number = place.number;
        let (Some(word), false) = (row.say.get().or(row.ask.get()), row.partial.yes()) else {
            self.record.unknown += u64::from(row.say.get().or(row.ask.get()).is_none());
            return;
        };
        if !self.tally.kept {
            self.record.messages += 1;
        }
        if let Some(model) = row.model.get() {
            keep(&mut self.record.model, model.id.get());
            keep(&mut self.record.mode, model.mode.get());
        }
        match word {
            "tool" => self.tool(number, &row),
            "command" => self.call(number, &row, Call::new("", "execute_command", "").about(row.text.get())),
            "use_mcp_server" => self.mcp(number, &row),
            "browser_action_launch" => {
                self.call(number, &row, Call::new("", "browser_action", "").about(row.text.get()));
            }
            _ => self.told(number, word, &row),
        }
    }
}

impl<'r, 's> Rows<'r, 's> {
    pub(crate) fn new(
        file: usize,
        record: &'r mut Record,
        window: &'r mut Window<'s>,
        tally: &'r mut Tally,
    ) -> Self {
        Self { file, record, window, tally, latest: None, child: None }
    }

    /// Rows that are not calls but carry information.
    fn told(&mut self, number: u64, word: &str, row: &Row<'_>) {
        let text = row.text.text();
        match (word, row.say.get().is_some()) {
            ("completion_result", true) => {
                self.record.said(text);
                if !self.tally.kept {
                    self.call(number, row, Call::new("", "attempt_completion", ""));
                    self.settle(self.latest, true);
                }
                self.record.ended = Some(Ended::Done);
            }
            ("text", true) if number > 1 => self.record.said(text),
            ("subtask_result", _) => self.settle(self.child, true),
            ("mcp_server_response", _) => self.settle(self.latest, !text.starts_with("Error")),
            ("error" | "diff_error", true) | ("api_req_failed" | "mistake_limit_reached", false) => {
                self.record.ended = Some(Ended::Error);
            }
            ("api_req_started", _) => {
                let request: Maybe<Tool<'_>> = serde_json::from_str(text).unwrap_or_default();
                let Some(request) = request.get() else { return };
                self.record.spent(request.cost.get());
                let (input, output) = (request.input.count(), request.output.count());
                self.record.used(Some(Tokens { input, output, cached: request.cached.count() }));
            }
            _ => {}
        }
    }

    fn tool(&mut self, number: u64, row: &Row<'_>) {
        let mut room = Vec::new();
        let parsed: Maybe<Tool<'_>> = mend::read(row.text.text().as_bytes(), &mut room).unwrap_or_default();
        let Some(tool) = parsed.get().filter(|tool| tool.name.get().is_some()) else {
            self.record.unknown += 1;
            return;
        };
        let paths = tool.batch.objects().chain(tool.diffs.objects());
        let mut paths = paths.filter_map(|place| place.path.get()).peekable();
        let single = [&tool.path, &tool.mode, &tool.query].into_iter().find_map(Word::get);
        let target = if paths.peek().is_some() { paths.next() } else { single };
        let mut call = Call::new("", tool.name.text(), "").about(target);
        call.more = paths.map(str::to_owned).collect();
        let spawns = call.kind == Kind::Spawn;
        self.call(number, row, call);
        if spawns {
            self.child = self.latest;
        }
    }

    fn mcp(&mut self, number: u64, row: &Row<'_>) {
        let mut room = Vec::new();
        let parsed: Maybe<Tool<'_>> = mend::read(row.text.text().as_bytes(), &mut room).unwrap_or_default();
        let Some(tool) = parsed.get() else {
            self.record.unknown += 1;
            return;
        };
        let what = tool.mcp_name.get().or(tool.uri.get()).unwrap_or_default();
        let target = format!("{}:{what}", tool.server.text());
        let mut call = Call::new("", "use_mcp_tool", "").about(Some(&target));
        call.namespace = tool.server.owned();
        // The arguments are JSON in a string.
        let input = tool.arguments.get().and_then(|text| serde_json::from_str::<Input<'_>>(text).ok());
        call.thought = input.and_then(|input| input.thinking());
        self.call(number, row, call);
    }

    fn call(&mut self, number: u64, row: &Row<'_>, mut call: Call) {
        self.record.ended = None;
        self.latest = None;
        if self.tally.take(&call) {
            return;
        }
        call.source = self.file;
        call.line = number;
        self.latest = Some(self.window.push(call.when(row.ts.text().as_deref())));
    }

    /// Writes a result into a call that is still held.
    fn settle(&mut self, place: Option<u64>, ok: bool) {
        if let Some(call) = place.and_then(|place| self.window.at(place)) {
            call.ok = Some(ok);
        }
    }
}
