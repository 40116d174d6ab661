//! The conversation of a Cline or Roo task: calls as blocks or as XML in the text, results in the next message.

use crate::calls::exit_in_text;
use crate::calls::input::Input;
use crate::calls::record::keep;
use crate::calls::window::Window;
use crate::clients::cline::Tally;
use crate::clients::xml;
use crate::json::lenient::{Flag, Items, Maybe, Number, Word};
use crate::json::lines::{At, Lines};
use crate::json::mend;
use crate::json::text::{pieces, string};
use crate::{Call, Record};
use serde::Deserialize;
use serde_json::value::RawValue;
use wire::order::Tokens;

/// How much of a result to look at.
const RESULT_HEAD: usize = 16 << 10;
/// Results that begin like this mean that the call failed or never happened.
const FAILED: &[&str] = &[
    "Command failed with exit code",
    "The tool execution failed",
    "The user denied this operation",
    "Error",
    "[ERROR]",
    "Missing value for required parameter",
    "Tool [",
];

pub(crate) struct Conversation<'r, 's> {
    file: usize,
    record: &'r mut Record,
    window: &'r mut Window<'s>,
    tally: &'r mut Tally,
    /// The numbers of calls without an id that wait for a result.
    waiting: Vec<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Message<'a> {
    #[serde(borrow)]
    role: Word<'a>,
    ts: Number,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow, rename = "modelInfo")]
    model: Maybe<Model<'a>>,
    metrics: Maybe<Metrics>,
}

/// What a turn used, since the third generation.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metrics {
    input_tokens: Number,
    output_tokens: Number,
    cache_read_tokens: Number,
    cost: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Model<'a> {
    #[serde(borrow, rename = "modelId")]
    pub(crate) id: Word<'a>,
    #[serde(borrow, rename = "id")]
    other_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) mode: Word<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow)]
    text: Word<'a>,
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow)]
    name: Word<'a>,
    #[serde(borrow)]
    input: Maybe<Input<'a>>,
    #[serde(borrow)]
    tool_use_id: Word<'a>,
    is_error: Flag,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

impl Lines for Conversation<'_, '_> {
    type Line<'a> = Message<'a>;

    fn line(&mut self, place: &At<'_>, message: Message<'_>) {
        let number = place.number;
        self.record.messages += 1;
        self.tally.kept = true;
        let whole = string(message.content);
        let mut room = Vec::new();
        let blocks: Items<Maybe<Block<'_>>> = match (&whole, message.content) {
            (None, Some(raw)) => mend::read(raw.get().as_bytes(), &mut room).unwrap_or_default(),
            _ => Items::default(),
        };
        let at = message.ts.text();
        match message.role.text() {
            "assistant" => {
                self.waiting.clear();
                if let Some(model) = message.model.get() {
                    keep(&mut self.record.model, model.id.get().or(model.other_id.get()));
                    keep(&mut self.record.mode, model.mode.get());
                }
                if let Some(metrics) = message.metrics.get() {
                    let (input, output) = (metrics.input_tokens.count(), metrics.output_tokens.count());
                    let cached = metrics.cache_read_tokens.count();
                    self.record.used(Some(Tokens { input, output, cached }));
                    self.record.spent(metrics.cost.get());
                }
                self.said(number, at.as_deref(), whole.as_deref().unwrap_or_default());
                blocks.objects().for_each(|block| self.block(number, at.as_deref(), block));
            }
            "user" => {
                self.answered(whole.as_deref().unwrap_or_default());
                blocks.objects().for_each(|block| self.result(block));
            }
            "" => self.record.unknown += 1,
            _ => {}
        }
    }
}

impl<'r, 's> Conversation<'r, 's> {
    pub(crate) fn new(
        file: usize,
        record: &'r mut Record,
        window: &'r mut Window<'s>,
        tally: &'r mut Tally,
    ) -> Self {
        Self { file, record, window, tally, waiting: Vec::new() }
    }

    fn block(&mut self, number: u64, at: Option<&str>, block: &Block<'_>) {
        if block.kind.is("tool_use") {
            let mut call = Call::new("", block.name.text(), block.id.text());
            if let Some(input) = block.input.get() {
                input.describe(&mut call);
            }
            self.push(number, at, call);
        } else {
            self.said(number, at, block.text.text());
        }
    }

    /// Text of the agent, perhaps with calls in it.
    fn said(&mut self, number: u64, at: Option<&str>, text: &str) {
        let mut spoken = text;
        for found in xml::calls(text) {
            if spoken.len() == text.len() {
                spoken = &text[..found.start];
            }
            let mut call = Call::new("", found.name, "").about(found.target().as_deref());
            call.namespace = found.value("server_name").map(str::to_owned);
            let place = self.push(number, at, call);
            self.waiting.push(place);
        }
        self.record.said(spoken.trim());
    }

    fn push(&mut self, number: u64, at: Option<&str>, mut call: Call) -> u64 {
        call.source = self.file;
        call.line = number;
        self.tally.add(&call);
        self.window.push(call.when(at))
    }

    fn result(&mut self, block: &Block<'_>) {
        if block.kind.is("tool_result") {
            let texts = pieces(block.content, RESULT_HEAD);
            let (failed, code) = judge(texts.first().map_or("", String::as_str));
            let ok = !failed && !block.is_error.yes();
            self.window.resolve("", block.tool_use_id.text(), Some(ok), code);
        } else {
            self.answered(block.text.text());
        }
    }

    /// `[execute_command for '…'] Result:` answers the first waiting call.
    fn answered(&mut self, text: &str) {
        let Some((head, result)) = text.split_once("] Result:") else { return };
        if !head.starts_with('[') || self.waiting.is_empty() {
            return;
        }
        let place = self.waiting.remove(0);
        let (failed, code) = judge(result.trim_start());
        if let Some(call) = self.window.at(place) {
            call.ok = Some(!failed);
            call.exit_code = code;
        }
    }
}

/// Whether a result is a failure, and its exit code.
fn judge(result: &str) -> (bool, Option<i32>) {
    let head = result.split("\nOutput:").next().unwrap_or_default();
    let code = exit_in_text::failed_with(head).or_else(|| exit_in_text::in_lines(head));
    let failed = FAILED.iter().any(|words| result.starts_with(words));
    (failed || code.is_some_and(|code| code != 0), code)
}
