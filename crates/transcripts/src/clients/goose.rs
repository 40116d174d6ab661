//! goose: `session export --format json`, the `stream-json` output and the database `sessions.db`.
//!
//! A sub-agent's session names no parent; the answer of `delegate` names the sub-agent's session. An export holds
//! only one session, the database all of them.

#[cfg(feature = "sqlite")]
pub(crate) mod db;

#[cfg(feature = "sqlite")]
use self::db as database;
#[cfg(not(feature = "sqlite"))]
use crate::clients::no_sqlite as database;

use crate::calls::input::Input;
use crate::calls::record::keep;
use crate::calls::window::Window;
use crate::client::head::Head;
use crate::json::elements::{read_elements, read_rest};
use crate::json::lenient::{Flag, Items, Maybe, Number, Word};
use crate::json::lines::{At, Lines, read_lines};
use crate::{Call, Ended, Record, Source};
use serde::Deserialize;
use std::path::Path;
use toolkit::Fail;
use wire::order::Tokens;

/// The fields of a session besides its messages.
const SESSION: [&str; 7] = [
    "id",
    "session_type",
    "goose_mode",
    "model_config",
    "accumulated_input_tokens",
    "accumulated_output_tokens",
    "accumulated_cache_read_tokens",
];
/// A failed run is reported as text of the assistant.
const ERROR: &str = "Ran into this error";

pub(crate) fn detect(path: &Path, head: &Head) -> bool {
    let export = head.document_has(&["conversation"]) || head.document_has(&["working_dir", "session_type"]);
    export || is_stream(head) || (head.is_sqlite() && database::is_ours(path))
}

/// Other streams have a type and a message too, but their message is a text.
fn is_stream(head: &Head) -> bool {
    let lines = head.bytes.split(|byte| *byte == b'\n');
    let mut events = lines.filter_map(|line| serde_json::from_slice::<Event<'_>>(line).ok());
    events.any(|event| {
        event.kind.is("message") && event.message.get().is_some_and(|it| it.created.get().is_some())
    })
}

pub(crate) fn read(source: &Source<'_>, sink: &mut dyn FnMut(Call)) -> Result<Record, Fail> {
    let head = Head::of(source.path)?;
    let mut record = Record { sessions: 1, ..Record::default() };
    record.add_source(source.path);
    let mut reader = Reader { agent: String::new(), record, window: Window::new(sink) };
    if head.is_sqlite() {
        database::read(source, &mut reader)?;
    } else if head.document_has(&["conversation"]) || head.document_has(&["session_type"]) {
        let rest = read_rest(source.path, "conversation", &SESSION)?;
        if let Ok(session) = serde_json::from_slice::<Session<'_>>(&rest) {
            reader.session(&session);
        }
        let mut messages = Messages(&mut reader);
        reader.record.unknown += read_elements(source.path, "conversation", &mut messages)?.unknown;
    } else {
        reader.record.unknown += read_lines(source.path, &mut reader)?;
    }
    let Reader { mut record, mut window, .. } = reader;
    window.flush();
    record.calls = window.calls;
    record.orphans = window.orphans;
    Ok(record)
}

pub(crate) struct Reader<'s> {
    pub(crate) agent: String,
    pub(crate) record: Record,
    pub(crate) window: Window<'s>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Session<'a> {
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow, rename = "session_type")]
    kind: Word<'a>,
    #[serde(borrow)]
    goose_mode: Word<'a>,
    accumulated_cost: Number,
    accumulated_input_tokens: Number,
    accumulated_output_tokens: Number,
    accumulated_cache_read_tokens: Number,
    #[serde(borrow)]
    model_config: Maybe<Model<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Model<'a> {
    #[serde(borrow)]
    pub(crate) model_name: Word<'a>,
}

/// An event of the stream.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Event<'a> {
    #[serde(borrow, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow)]
    message: Maybe<Message<'a>>,
    // Only in the last one.
    input_tokens: Number,
    output_tokens: Number,
    cache_read_input_tokens: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Message<'a> {
    #[serde(borrow)]
    role: Word<'a>,
    created: Number,
    #[serde(borrow)]
    content: Items<Maybe<Block<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow)]
    text: Word<'a>,
    #[serde(borrow, rename = "toolCall")]
    call: Maybe<Outcome<'a, ToolCall<'a>>>,
    #[serde(borrow, rename = "toolResult")]
    result: Maybe<Outcome<'a, ToolResult<'a>>>,
}

#[derive(Debug, Deserialize)]
struct Outcome<'a, T> {
    #[serde(borrow, default)]
    status: Word<'a>,
    #[serde(default = "Maybe::default")]
    value: Maybe<T>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolCall<'a> {
    #[serde(borrow)]
    name: Word<'a>,
    #[serde(borrow)]
    arguments: Maybe<Input<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ToolResult<'a> {
    #[serde(rename = "isError")]
    is_error: Flag,
    #[serde(rename = "structuredContent")]
    structured: Maybe<Structured>,
    #[serde(borrow, rename = "_meta")]
    meta: Maybe<Meta<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Structured {
    exit_code: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Meta<'a> {
    #[serde(borrow)]
    subagent_session_id: Word<'a>,
}

impl Block<'_> {
    /// The sub-agent's session named in an answer.
    pub(crate) fn child(&self) -> Option<String> {
        self.result.get()?.value.get()?.meta.get()?.subagent_session_id.owned()
    }
}

impl Lines for Reader<'_> {
    type Line<'a> = Event<'a>;

    fn line(&mut self, place: &At<'_>, event: Event<'_>) {
        let number = place.number;
        match (event.kind.text(), event.message.get()) {
            ("message", Some(message)) => self.message(number, message),
            ("error", _) => self.record.ended = Some(Ended::Error),
            ("complete", _) => self.record.used(Some(Tokens {
                input: event.input_tokens.count(),
                output: event.output_tokens.count(),
                cached: event.cache_read_input_tokens.count(),
            })),
            ("", _) => self.record.unknown += 1,
            _ => {}
        }
    }
}

/// The messages of an export.
struct Messages<'r, 's>(&'r mut Reader<'s>);

impl Lines for Messages<'_, '_> {
    type Line<'a> = Message<'a>;

    fn line(&mut self, place: &At<'_>, message: Message<'_>) {
        let number = place.number;
        self.0.message(number, &message);
    }
}

impl Reader<'_> {
    fn session(&mut self, session: &Session<'_>) {
        if session.kind.is("sub_agent") {
            session.id.text().clone_into(&mut self.agent);
        }
        keep(&mut self.record.session_id, session.id.get());
        keep(&mut self.record.mode, session.goose_mode.get());
        keep(&mut self.record.model, session.model_config.get().and_then(|model| model.model_name.get()));
        self.record.cost = session.accumulated_cost.get();
        self.record.used(Some(Tokens {
            input: session.accumulated_input_tokens.count(),
            output: session.accumulated_output_tokens.count(),
            cached: session.accumulated_cache_read_tokens.count(),
        }));
    }

    fn message(&mut self, number: u64, message: &Message<'_>) {
        let at = message.created.text();
        self.blocks(number, message.role.is("assistant"), at.as_deref(), &message.content);
    }

    pub(crate) fn blocks(
        &mut self,
        number: u64,
        own: bool,
        at: Option<&str>,
        blocks: &Items<Maybe<Block<'_>>>,
    ) {
        self.record.messages += 1;
        for block in blocks.objects() {
            match block.kind.text() {
                "toolRequest" => self.request(number, at, block),
                "toolResponse" => self.response(block),
                "text" if own && self.agent.is_empty() => {
                    self.record.said(block.text.text());
                    let failed = block.text.text().starts_with(ERROR);
                    self.record.ended = Some(if failed { Ended::Error } else { Ended::Done });
                }
                _ => {}
            }
        }
    }

    fn request(&mut self, number: u64, at: Option<&str>, block: &Block<'_>) {
        let Some(tool) = block.call.get().and_then(|call| call.value.get()) else { return };
        let mut call = Call::new(&self.agent, tool.name.text(), block.id.text()).when(at);
        if let Some(input) = tool.arguments.get() {
            input.describe(&mut call);
        }
        call.line = number;
        self.window.push(call);
        if self.agent.is_empty() {
            self.record.ended = None;
        }
    }

    fn response(&mut self, block: &Block<'_>) {
        let Some(outcome) = block.result.get() else { return };
        let value = outcome.value.get();
        let bad = value.is_some_and(|value| value.is_error.yes());
        let ok = outcome.status.is("success") && !bad;
        let code = value.and_then(|value| value.structured.get()?.exit_code.whole());
        self.window.resolve(&self.agent, block.id.text(), Some(ok), code);
        if let (Some(child), Some(call)) = (block.child(), self.window.find(&self.agent, block.id.text())) {
            call.target.get_or_insert(child);
        }
    }
}
