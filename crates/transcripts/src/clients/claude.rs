//! Claude Code: `projects/<folder>/<session>.jsonl` and the `stream-json` output.
//!
//! One API message is split over several lines, one block each; calls and results are matched by id. Depending on the
//! generation, the sub-agents of a session are in the same file (`isSidechain`), in `agent-*.jsonl` beside it, or in
//! `<session>/subagents/`; all belong to the record of the main file. Attachments contain schemas of tools, which are
//! not calls: only blocks of messages count.

pub(crate) mod family;

use crate::calls::exit_in_text;
use crate::calls::input::Input;
use crate::calls::record::keep;
use crate::calls::window::Window;
use crate::client::head::Head;
use crate::clients::claude::family::{agent_of, sub_agents};
use crate::json::lenient::{Flag, Items, Maybe, Number, Word};
use crate::json::lines::{At, Lines, line_at, read_lines};
use crate::json::text::{beginning, string};
use crate::{Call, Ended, Record, Source};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::Path;
use toolkit::Fail;
use wire::order::Tokens;

/// The agent of sidechain lines in the first generation, which name no agent.
const SIDECHAIN: &str = "sidechain";

pub(crate) fn detect(_: &Path, head: &Head) -> bool {
    let written = head.line_has(&["sessionId", "type"]);
    let streamed = head.line_has(&["session_id", "type", "uuid"]) || head.line_has(&["parent_tool_use_id"]);
    written || streamed
}

pub(crate) fn read(source: &Source<'_>, sink: &mut dyn FnMut(Call)) -> Result<Record, Fail> {
    let mut record = Record { sessions: 1, ..Record::default() };
    let mut window = Window::new(sink);
    read_file(source.path, agent_of(source.path), &mut record, &mut window)?;
    if agent_of(source.path).is_none() {
        for path in sub_agents(source.path, record.session_id.as_deref()) {
            read_file(&path, agent_of(&path), &mut record, &mut window)?;
        }
    }
    record.calls = window.calls;
    record.orphans = window.orphans;
    Ok(record)
}

fn read_file(
    path: &Path,
    agent: Option<&str>,
    record: &mut Record,
    window: &mut Window<'_>,
) -> Result<(), Fail> {
    let file = record.add_source(path);
    let latest = BTreeMap::new();
    let mut reader = Reader { file, agent, last_words: None, latest, whole: None, record, window };
    let unknown = read_lines(path, &mut reader)?;
    let Reader { last_words, latest, whole, .. } = reader;
    record.used(Tokens::sum(latest.into_values().map(|(_, tokens)| tokens)));
    // A stream ends with the sum, and its lines have only the beginning of each message.
    record.tokens = whole.or(record.tokens);
    if let Some(text) = last_words.and_then(|offset| last_text(path, offset)) {
        record.said(&text);
    }
    record.unknown += unknown;
    window.flush();
    Ok(())
}

struct Reader<'r, 's> {
    file: usize,
    agent: Option<&'r str>,
    /// The offset of the main agent's latest words, until a result line repeats them.
    last_words: Option<u64>,
    /// Each agent's latest message and its tokens, which are repeated with each of its blocks.
    latest: BTreeMap<String, (String, Tokens)>,
    /// The tokens of a whole stream.
    whole: Option<Tokens>,
    record: &'r mut Record,
    window: &'r mut Window<'s>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow, rename = "sessionId")]
    session: Word<'a>,
    #[serde(borrow)]
    session_id: Word<'a>,
    #[serde(rename = "isSidechain")]
    side: Flag,
    #[serde(borrow, rename = "agentId")]
    agent: Word<'a>,
    #[serde(borrow)]
    parent_tool_use_id: Word<'a>,
    #[serde(borrow)]
    timestamp: Word<'a>,
    #[serde(borrow, rename = "permissionMode")]
    mode: Word<'a>,
    #[serde(rename = "isApiErrorMessage")]
    api_error: Flag,
    #[serde(borrow)]
    message: Maybe<Message<'a>>,
    #[serde(rename = "toolUseResult", alias = "tool_use_result")]
    outcome: Maybe<Launch>,
    // Only in the last line of a stream.
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    is_error: Flag,
    total_cost_usd: Number,
    #[serde(rename = "modelUsage")]
    models: Maybe<BTreeMap<String, Maybe<Usage>>>,
}

/// The tokens of a message, or of a model at the end of a stream.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Usage {
    #[serde(rename = "input_tokens", alias = "inputTokens")]
    input: Number,
    #[serde(rename = "cache_creation_input_tokens", alias = "cacheCreationInputTokens")]
    stored: Number,
    #[serde(rename = "cache_read_input_tokens", alias = "cacheReadInputTokens")]
    cached: Number,
    #[serde(rename = "output_tokens", alias = "outputTokens")]
    output: Number,
}

impl Usage {
    /// What is read from a cache, or written to one, is no part of `input`.
    fn tokens(&self) -> Tokens {
        let cached = self.cached.count();
        let input = self.input.count() + self.stored.count() + cached;
        Tokens { input, output: self.output.count(), cached }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Message<'a> {
    #[serde(borrow)]
    id: Word<'a>,
    usage: Maybe<Usage>,
    #[serde(borrow)]
    model: Word<'a>,
    #[serde(borrow)]
    stop_reason: Word<'a>,
    #[serde(borrow)]
    content: Items<Maybe<Block<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow)]
    name: Word<'a>,
    #[serde(borrow)]
    input: Maybe<Input<'a>>,
    #[serde(borrow)]
    tool_use_id: Word<'a>,
    is_error: Flag,
}

/// The part of a result besides its text: whether an agent was only launched.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Launch {
    #[serde(rename = "isAsync")]
    is_async: Flag,
}

/// A line, reread for its texts. The first pass skips them, since most of a record is text.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Texts<'a> {
    #[serde(borrow)]
    message: Maybe<TextMessage<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TextMessage<'a> {
    #[serde(borrow)]
    content: Items<Maybe<TextBlock<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TextBlock<'a> {
    #[serde(borrow)]
    tool_use_id: Word<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
}

impl Lines for Reader<'_, '_> {
    type Line<'a> = Line<'a>;

    fn line(&mut self, place: &At<'_>, line: Line<'_>) {
        let agent = self.agent_of_line(&line).to_owned();
        if agent.is_empty() {
            keep(&mut self.record.session_id, line.session.get().or(line.session_id.get()));
            keep(&mut self.record.mode, line.mode.get());
        }
        match line.kind.text() {
            "assistant" => self.assistant(place, &agent, &line),
            "user" => self.user(place, &agent, &line),
            "result" => self.result(&line),
            "" => self.record.unknown += 1,
            _ => {}
        }
    }
}

impl Reader<'_, '_> {
    fn agent_of_line<'l>(&'l self, line: &'l Line<'_>) -> &'l str {
        let named = line.agent.get().or(line.parent_tool_use_id.get());
        match (named, self.agent) {
            (Some(agent), _) | (None, Some(agent)) => agent,
            (None, None) if line.side.yes() => SIDECHAIN,
            (None, None) => "",
        }
    }

    fn assistant(&mut self, place: &At<'_>, agent: &str, line: &Line<'_>) {
        self.record.messages += 1;
        let Some(message) = line.message.get() else { return };
        self.count(agent, message);
        for block in message.content.objects() {
            if block.kind.is("tool_use") || block.kind.is("server_tool_use") {
                self.call(place.number, agent, line, block);
            }
        }
        if !agent.is_empty() {
            return;
        }
        if !message.model.is("<synthetic>") {
            keep(&mut self.record.model, message.model.get());
        }
        if message.content.objects().any(|block| block.kind.is("text")) {
            self.last_words = Some(place.offset);
        }
        self.record.ended = match message.stop_reason.get() {
            _ if line.api_error.yes() => Some(Ended::Error),
            Some("end_turn" | "stop_sequence") => Some(Ended::Done),
            _ => None,
        };
    }

    fn count(&mut self, agent: &str, message: &Message<'_>) {
        let Some(usage) = message.usage.get() else { return };
        let new = usage.tokens();
        let before = self.latest.insert(agent.to_owned(), (message.id.text().to_owned(), new));
        self.record.used(before.filter(|(id, _)| !message.id.is(id)).map(|(_, tokens)| tokens));
    }

    fn call(&mut self, number: u64, agent: &str, line: &Line<'_>, block: &Block<'_>) {
        // A resume may repeat a line: count the call once.
        if self.window.find(agent, block.id.text()).is_some() {
            return;
        }
        let mut call = Call::new(agent, block.name.text(), block.id.text()).when(line.timestamp.get());
        if let Some(input) = block.input.get() {
            input.describe(&mut call);
        }
        call.source = self.file;
        call.line = number;
        self.window.push(call);
    }

    fn user(&mut self, place: &At<'_>, agent: &str, line: &Line<'_>) {
        self.record.messages += 1;
        let Some(message) = line.message.get() else { return };
        if message.content.iter().next().is_none() {
            self.notified(place.bytes, agent);
        }
        for block in message.content.objects() {
            if let (true, Some(id)) = (block.kind.is("tool_result"), block.tool_use_id.get()) {
                let failed = block.is_error.yes();
                let code = if failed { exit_code(place.bytes, id) } else { None };
                self.window.resolve(agent, id, Some(!failed), code);
                let launched = line.outcome.get().is_some_and(|outcome| outcome.is_async.yes());
                if let Some(call) = self.window.find(agent, id).filter(|_| launched) {
                    call.waits = true;
                }
            } else if agent.is_empty() && block.kind.is("text") && interrupted(place.bytes) {
                self.record.ended = Some(Ended::Interrupted);
            }
        }
    }

    /// A background agent has returned: a plain text message says which one.
    fn notified(&mut self, line: &[u8], agent: &str) {
        let Some(text) = notification(line) else { return };
        let inside = |name: &str| {
            let (_, after) = text.split_once(&format!("<{name}>"))?;
            Some(after.split_once('<')?.0.trim().to_owned())
        };
        let Some(id) = inside("tool-use-id") else { return };
        if let Some(call) = self.window.find(agent, &id).filter(|call| call.waits) {
            call.waits = false;
            call.ok = Some(inside("status").is_none_or(|status| status == "completed"));
        }
    }

    fn result(&mut self, line: &Line<'_>) {
        if let Some(text) = string(line.result) {
            self.record.said(&text);
            self.last_words = None;
        }
        self.record.cost = line.total_cost_usd.get().or(self.record.cost);
        let models = line.models.get().into_iter().flat_map(BTreeMap::values).filter_map(Maybe::get);
        self.whole = Tokens::sum(models.map(Usage::tokens)).or(self.whole);
        self.record.ended = Some(if line.is_error.yes() { Ended::Error } else { Ended::Done });
    }
}

/// The exit code of a failed command is at the beginning of its result's text.
fn exit_code(line: &[u8], id: &str) -> Option<i32> {
    let texts: Texts<'_> = crate::json::from_slice(line).ok()?;
    let block = texts.message.get()?.content.objects().find(|block| block.tool_use_id.is(id))?;
    exit_in_text::at_start(&beginning(block.content, 64)?)
}

/// The beginning of a message that consists only of a notification.
fn notification(line: &[u8]) -> Option<String> {
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct Plain<'a> {
        #[serde(borrow)]
        message: Maybe<PlainMessage<'a>>,
    }
    #[derive(Debug, Default, Deserialize)]
    #[serde(default)]
    struct PlainMessage<'a> {
        #[serde(borrow)]
        content: Option<&'a RawValue>,
    }
    memchr::memmem::find(line, b"<task-notification>")?;
    let plain: Plain<'_> = crate::json::from_slice(line).ok()?;
    let text = beginning(plain.message.get()?.content, 1024)?;
    text.starts_with("<task-notification>").then_some(text)
}

fn interrupted(line: &[u8]) -> bool {
    let texts: Texts<'_> = crate::json::from_slice(line).unwrap_or_default();
    let Some(message) = texts.message.get() else { return false };
    let mut texts = message.content.objects().filter_map(|block| beginning(block.text, 64));
    texts.any(|text| text.starts_with("[Request interrupted by user"))
}

/// The last text of the line that begins at `offset`.
fn last_text(path: &Path, offset: u64) -> Option<String> {
    let line = line_at(path, offset)?;
    let texts: Texts<'_> = crate::json::from_slice(&line).ok()?;
    texts.message.get()?.content.objects().rev().find_map(|block| string(block.text))
}
