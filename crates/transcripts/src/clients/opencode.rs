//! opencode and its fork Kilo CLI: export documents, `run --format json` output, storage files, database.
//!
//! The unit is the part: a `tool` part holds call and result together. A command that fails is `completed`, with its
//! exit code beside it. A sub-agent is a session with a parent; an export holds only one session.

#[cfg(feature = "sqlite")]
pub(crate) mod db;
pub(crate) mod files;

#[cfg(feature = "sqlite")]
use self::db as database;
#[cfg(not(feature = "sqlite"))]
use crate::clients::no_sqlite as database;

use crate::calls::input::Input;
use crate::calls::record::keep;
use crate::calls::window::Window;
use crate::client::head::Head;
use crate::json::elements::{read_elements, read_rest};
use crate::json::lenient::{Items, Maybe, Number, Word};
use crate::json::lines::{At, Lines, read_lines};
use crate::{Call, Ended, Record, Source};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::path::Path;
use toolkit::Fail;
use wire::order::Tokens;

pub(crate) fn detect(path: &Path, head: &Head) -> bool {
    let export = head.document_has(&["info", "messages"]);
    let session = head.document_has(&["projectID", "directory", "id"]);
    let stream = head.line_has(&["type", "sessionID"]);
    let database = head.is_sqlite() && database::is_ours(path);
    export || session || stream || database || (head.folder && files::is_storage(path))
}

pub(crate) fn read(source: &Source<'_>, sink: &mut dyn FnMut(Call)) -> Result<Record, Fail> {
    let head = Head::of(source.path)?;
    let record = Record { sessions: 1, ..Record::default() };
    let mut reader = Reader { agent: String::new(), file: 0, record, window: Window::new(sink) };
    if head.folder || head.document_has(&["projectID"]) {
        files::read(source, &mut reader)?;
    } else {
        reader.record.add_source(source.path);
        if head.is_sqlite() {
            database::read(source, &mut reader)?;
        } else if head.document_has(&["info", "messages"]) {
            export(source.path, &mut reader)?;
        } else {
            reader.record.unknown += read_lines(source.path, &mut reader)?;
        }
    }
    let Reader { mut record, mut window, .. } = reader;
    window.flush();
    record.calls = window.calls;
    Ok(record)
}

/// Kilo's records have opencode's shape; only their location distinguishes them.
pub(crate) fn detect_kilo(path: &Path, head: &Head) -> bool {
    let named = path.iter().any(|part| part.to_string_lossy().contains("kilo"));
    named && detect(path, head)
}

fn export(path: &Path, reader: &mut Reader<'_>) -> Result<(), Fail> {
    let rest = read_rest(path, "messages", &["info"])?;
    if let Ok(document) = serde_json::from_slice::<Export<'_>>(&rest)
        && let Some(session) = document.info.get()
    {
        reader.session(session);
    }
    let unknown = read_elements(path, "messages", &mut Messages(reader))?.unknown;
    reader.record.unknown += unknown;
    Ok(())
}

pub(crate) struct Reader<'s> {
    pub(crate) agent: String,
    pub(crate) file: usize,
    pub(crate) record: Record,
    pub(crate) window: Window<'s>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Export<'a> {
    #[serde(borrow)]
    info: Maybe<Session<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Session<'a> {
    #[serde(borrow)]
    pub(crate) id: Word<'a>,
    #[serde(borrow, rename = "parentID")]
    pub(crate) parent: Word<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Message<'a> {
    #[serde(borrow)]
    info: Maybe<Info<'a>>,
    #[serde(borrow)]
    parts: Items<Maybe<Part<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Info<'a> {
    #[serde(borrow)]
    role: Word<'a>,
    #[serde(borrow, rename = "modelID")]
    model: Word<'a>,
    #[serde(borrow)]
    mode: Word<'a>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Event<'a> {
    #[serde(borrow, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow, rename = "sessionID")]
    session: Word<'a>,
    #[serde(borrow)]
    part: Maybe<Part<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Part<'a> {
    #[serde(borrow, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow)]
    tool: Word<'a>,
    #[serde(borrow, rename = "callID")]
    id: Word<'a>,
    #[serde(borrow)]
    text: Word<'a>,
    #[serde(borrow)]
    reason: Word<'a>,
    cost: Number,
    tokens: Maybe<Usage>,
    #[serde(borrow)]
    state: Maybe<State<'a>>,
}

/// The tokens of a step. What a cache holds is no part of `input`, and what is not shown is no part of `output`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Usage {
    input: Number,
    output: Number,
    reasoning: Number,
    cache: Maybe<Cache>,
    total: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Cache {
    read: Number,
    write: Number,
}

impl Usage {
    fn tokens(&self) -> Tokens {
        let (cached, stored) =
            self.cache.get().map_or((0, 0), |cache| (cache.read.count(), cache.write.count()));
        let input = self.input.count() + cached + stored;
        // Earlier versions state no total, and count what is not shown as output.
        let output = match self.total.get() {
            Some(_) => self.total.count().saturating_sub(input),
            None => self.output.count().max(self.reasoning.count()),
        };
        Tokens { input, output, cached }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct State<'a> {
    #[serde(borrow)]
    status: Word<'a>,
    #[serde(borrow)]
    input: Maybe<Input<'a>>,
    metadata: Maybe<Metadata>,
    time: Maybe<Time>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    exit: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Time {
    start: Number,
}

impl Lines for Reader<'_> {
    type Line<'a> = Event<'a>;

    fn line(&mut self, place: &At<'_>, event: Event<'_>) {
        let number = place.number;
        keep(&mut self.record.session_id, event.session.get());
        match (event.kind.text(), event.part.get()) {
            ("error", _) => self.record.ended = Some(Ended::Error),
            (_, Some(part)) => self.part(number, true, part),
            ("", None) => self.record.unknown += 1,
            _ => {}
        }
        self.record.messages += u64::from(event.kind.is("step_start"));
    }
}

/// The messages of an export.
struct Messages<'r, 's>(&'r mut Reader<'s>);

impl Lines for Messages<'_, '_> {
    type Line<'a> = Message<'a>;

    fn line(&mut self, place: &At<'_>, message: Message<'_>) {
        let number = place.number;
        let own = message.info.get().is_some_and(|info| self.0.info(info));
        message.parts.objects().for_each(|part| self.0.part(number, own, part));
    }
}

impl Reader<'_> {
    /// Begins a session: the main one, or a sub-agent's if it has a parent.
    pub(crate) fn session(&mut self, session: &Session<'_>) {
        let sub = session.parent.get().is_some();
        self.agent = if sub { session.id.text().to_owned() } else { String::new() };
        if !sub || self.record.session_id.is_none() {
            keep(&mut self.record.session_id, session.id.get());
        }
    }

    /// Reads the fields of a message; returns whether it is the agent's own.
    pub(crate) fn info(&mut self, info: &Info<'_>) -> bool {
        self.record.messages += 1;
        let own = info.role.is("assistant");
        if own && self.agent.is_empty() {
            keep(&mut self.record.model, info.model.get());
            keep(&mut self.record.mode, info.mode.get());
            self.record.ended = info.error.map(|_| Ended::Error);
        }
        own
    }

    pub(crate) fn part(&mut self, number: u64, own: bool, part: &Part<'_>) {
        let main = own && self.agent.is_empty();
        match part.kind.text() {
            "tool" => self.tool(number, part),
            "text" if main => self.record.said(part.text.text()),
            "step-finish" => {
                self.record.spent(part.cost.get());
                self.record.used(part.tokens.get().map(Usage::tokens));
                if main && part.reason.is("stop") {
                    self.record.ended = Some(Ended::Done);
                }
            }
            "" => self.record.unknown += 1,
            _ => {}
        }
    }

    fn tool(&mut self, number: u64, part: &Part<'_>) {
        let mut call = Call::new(&self.agent, part.tool.text(), part.id.text());
        if let Some(state) = part.state.get() {
            if let Some(input) = state.input.get() {
                input.describe(&mut call);
            }
            call.exit_code = state.metadata.get().and_then(|metadata| metadata.exit.whole());
            call.ok = match state.status.text() {
                "completed" => Some(call.exit_code.unwrap_or(0) == 0),
                "error" => Some(false),
                _ => None,
            };
            call.at = state.time.get().and_then(|time| time.start.text());
        }
        call.source = self.file;
        call.line = number;
        self.window.push(call);
    }
}
