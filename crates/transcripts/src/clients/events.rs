//! Plain events: one JSON object per line, for anything without a reader of its own.
//!
//! `{"name":"Edit","target":"a.txt","ok":true}` is a complete call. `agent`, `id`, `namespace`, `exit_code`, `input`,
//! `kind` and `at` are optional; `tool` and `tool_name` are the same as `name`. A later line with the same agent and
//! `id` but no name is the call's result. `{"type":"end","ok":true,"text":"…"}` says how the run ended. `cost` in dollars and
//! `tokens` with `input`, `output` and `cached` may stand in any event; they are added up.

use crate::calls::input::Input;
use crate::calls::record::keep;
use crate::calls::window::Window;
use crate::client::head::Head;
use crate::json::lenient::{Flag, Maybe, Number, Word};
use crate::json::lines::{At, Lines, read_lines};
use crate::{Call, Ended, Kind, Record, Source};
use serde::Deserialize;
use std::path::Path;
use toolkit::Fail;
use wire::order::Tokens;

/// Too many files have a name: require another field that only a call has.
pub(crate) fn detect(_: &Path, head: &Head) -> bool {
    let names = ["name", "tool", "tool_name"];
    let marks = ["ok", "exit_code", "target", "input"];
    names.iter().any(|name| marks.iter().any(|mark| head.line_has(&[name, mark])))
}

/// A session of the Agent Client Protocol begins with its name, and ends with how it ended.
pub(crate) fn detect_acp(_: &Path, head: &Head) -> bool {
    head.line_has(&["type", "session", "model"]) || head.bytes.starts_with(br#"{"type":"session""#)
}

pub(crate) fn read(source: &Source<'_>, sink: &mut dyn FnMut(Call)) -> Result<Record, Fail> {
    let mut record = Record { sessions: 1, ..Record::default() };
    record.add_source(source.path);
    let mut reader = Reader { record, window: Window::new(sink) };
    let unknown = read_lines(source.path, &mut reader)?;
    reader.window.flush();
    let Reader { mut record, window } = reader;
    record.unknown += unknown;
    record.calls = window.calls;
    record.orphans = window.orphans;
    Ok(record)
}

struct Reader<'s> {
    record: Record,
    window: Window<'s>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Event<'a> {
    #[serde(borrow, rename = "type")]
    what: Word<'a>,
    #[serde(borrow)]
    name: Word<'a>,
    #[serde(borrow)]
    tool: Word<'a>,
    #[serde(borrow)]
    tool_name: Word<'a>,
    #[serde(borrow)]
    agent: Word<'a>,
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow)]
    namespace: Word<'a>,
    ok: Flag,
    exit_code: Number,
    #[serde(borrow)]
    target: Word<'a>,
    #[serde(borrow)]
    input: Maybe<Input<'a>>,
    #[serde(borrow)]
    kind: Word<'a>,
    #[serde(borrow)]
    at: Word<'a>,
    #[serde(borrow)]
    timestamp: Word<'a>,
    #[serde(borrow)]
    text: Word<'a>,
    #[serde(borrow)]
    model: Word<'a>,
    #[serde(borrow)]
    session: Word<'a>,
    cost: Number,
    tokens: Maybe<Usage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Usage {
    input: Number,
    output: Number,
    cached: Number,
}

impl Lines for Reader<'_> {
    type Line<'a> = Event<'a>;

    fn line(&mut self, place: &At<'_>, event: Event<'_>) {
        let number = place.number;
        keep(&mut self.record.model, event.model.get());
        keep(&mut self.record.session_id, event.session.get());
        self.record.spent(event.cost.get());
        self.record.used(event.tokens.get().map(|used| {
            let (input, output) = (used.input.count(), used.output.count());
            Tokens { input, output, cached: used.cached.count() }
        }));
        let name = [&event.name, &event.tool, &event.tool_name].into_iter().find_map(Word::get);
        let name = name.filter(|name| !name.is_empty());
        let result = event.ok.get().is_some() || event.exit_code.get().is_some();
        match (name, event.what.text()) {
            (Some(name), _) => self.call(number, name, &event),
            (None, "message") => {
                self.record.messages += 1;
                self.record.said(event.text.text());
            }
            (None, "end") => {
                self.record.said(event.text.text());
                let failed = event.ok.get() == Some(false);
                self.record.ended = Some(if failed { Ended::Error } else { Ended::Done });
            }
            (None, _) if result && event.id.get().is_some() => {
                let code = event.exit_code.whole();
                self.window.resolve(event.agent.text(), event.id.text(), verdict(&event), code);
            }
            (None, "usage" | "session" | "denied") => {}
            _ => self.record.unknown += 1,
        }
    }
}

impl Reader<'_> {
    fn call(&mut self, number: u64, name: &str, event: &Event<'_>) {
        let mut call = Call::new(event.agent.text(), name, event.id.text());
        if let Some(input) = event.input.get() {
            input.describe(&mut call);
        }
        if event.target.get().is_some() {
            call = call.about(event.target.get());
        }
        call.kind = event.kind.get().and_then(Kind::parse).unwrap_or(call.kind);
        call.namespace = event.namespace.owned().or(call.namespace);
        call.exit_code = event.exit_code.whole();
        call.ok = verdict(event);
        call.line = number;
        self.window.push(call.when(event.at.get().or(event.timestamp.get())));
    }
}

/// The verdict of the event, or of its exit code.
fn verdict(event: &Event<'_>) -> Option<bool> {
    event.ok.get().or(event.exit_code.whole().map(|code| code == 0))
}
