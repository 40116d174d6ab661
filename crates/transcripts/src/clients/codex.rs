//! Codex: rollouts `sessions/YYYY/MM/DD/rollout-*.jsonl` and the `exec --json` output.
//!
//! The stable part of a rollout is `response_item` with function and custom calls and their outputs. In code mode the
//! only tool is `exec` with a script, whose name says nothing: items record what it really did, and they become calls
//! of their own `within` it. A sub-agent has a rollout of its own that names its parent.

pub(crate) mod family;
pub(crate) mod items;

use crate::calls::exit_in_text;
use crate::calls::input::{Input, patched};
use crate::calls::record::keep;
use crate::calls::window::Window;
use crate::client::head::Head;
use crate::clients::codex::family::{Origin, children};
use crate::clients::codex::items::{Item, Items};
use crate::json::lenient::{Maybe, Number, Word};
use crate::json::lines::{At, Lines, read_lines};
use crate::json::mend;
use crate::json::text::{pieces, string};
use crate::{Call, Ended, Kind, Record, Source};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::path::Path;
use toolkit::Fail;
use wire::order::Tokens;

/// How much of an output to look at: the head with the exit code comes first and is rarely longer.
const OUTPUT_HEAD: usize = 2 << 10;
const LONG_HEAD: usize = 64 << 10;
/// Outputs that begin like this mean that the call failed, without an exit code.
const REFUSED: &[&str] = &["apply_patch verification failed", "exec_command failed", "unsupported call"];

pub(crate) fn detect(_: &Path, head: &Head) -> bool {
    let written = head.line_has(&["timestamp", "type", "payload"]);
    written || head.line_has(&["type", "thread_id"]) || head.line_has(&["type", "item"])
}

pub(crate) fn read(source: &Source<'_>, sink: &mut dyn FnMut(Call)) -> Result<Record, Fail> {
    let mut record = Record { sessions: 1, ..Record::default() };
    let mut window = Window::new(sink);
    read_file(source.path, true, &mut record, &mut window)?;
    for path in children(source.path) {
        read_file(&path, false, &mut record, &mut window)?;
    }
    record.calls = window.calls;
    record.orphans = window.orphans;
    Ok(record)
}

fn read_file(path: &Path, main: bool, record: &mut Record, window: &mut Window<'_>) -> Result<(), Fail> {
    let file = record.add_source(path);
    let mut reader = Reader {
        main,
        agent: String::new(),
        began: false,
        script: None,
        ended: None,
        used: None,
        file,
        record,
        window,
    };
    let unknown = read_lines(path, &mut reader)?;
    let Reader { ended, used, .. } = reader;
    record.used(used);
    record.unknown += unknown;
    if main {
        record.ended = ended.or(record.ended);
    } else {
        record.below.extend(ended);
    }
    window.flush();
    Ok(())
}

struct Reader<'r, 's> {
    main: bool,
    agent: String,
    began: bool,
    /// The running script.
    script: Option<String>,
    /// How the latest turn of a rollout ended.
    ended: Option<Ended>,
    /// The tokens of the whole thread so far.
    used: Option<Tokens>,
    file: usize,
    record: &'r mut Record,
    window: &'r mut Window<'s>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow)]
    timestamp: Word<'a>,
    #[serde(borrow, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow)]
    payload: Maybe<Payload<'a>>,
    #[serde(borrow)]
    thread_id: Word<'a>,
    #[serde(borrow)]
    item: Maybe<Item<'a>>,
    usage: Maybe<Usage>,
}

/// The tokens of a thread.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Usage {
    #[serde(rename = "input_tokens")]
    input: Number,
    #[serde(rename = "cached_input_tokens")]
    cached: Number,
    #[serde(rename = "output_tokens")]
    output: Number,
}

impl Usage {
    fn tokens(&self) -> Tokens {
        Tokens { input: self.input.count(), output: self.output.count(), cached: self.cached.count() }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Counted {
    total_token_usage: Maybe<Usage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Payload<'a> {
    #[serde(borrow, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow)]
    name: Word<'a>,
    #[serde(borrow)]
    namespace: Word<'a>,
    #[serde(borrow)]
    call_id: Word<'a>,
    #[serde(borrow)]
    arguments: Word<'a>,
    #[serde(borrow)]
    input: Word<'a>,
    #[serde(borrow)]
    action: Maybe<Input<'a>>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    role: Word<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    model: Word<'a>,
    #[serde(borrow)]
    last_agent_message: Option<&'a RawValue>,
    #[serde(borrow)]
    source: Maybe<Origin<'a>>,
    #[serde(borrow)]
    collaboration_mode: Maybe<Mode<'a>>,
    #[serde(borrow)]
    item: Maybe<Item<'a>>,
    info: Maybe<Counted>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Mode<'a> {
    #[serde(borrow)]
    mode: Word<'a>,
}

impl Lines for Reader<'_, '_> {
    type Line<'a> = Line<'a>;

    fn line(&mut self, place: &At<'_>, line: Line<'_>) {
        let number = place.number;
        let at = line.timestamp.get();
        match (line.kind.text(), line.payload.get()) {
            ("session_meta", Some(meta)) => self.meta(meta),
            ("turn_context", Some(turn)) if self.main => {
                keep(&mut self.record.model, turn.model.get());
                keep(&mut self.record.mode, turn.collaboration_mode.get().and_then(|mode| mode.mode.get()));
            }
            ("response_item", Some(item)) => self.response(number, at, item),
            ("event_msg", Some(event)) => self.event(number, at, event),
            ("thread.started", _) => keep(&mut self.record.session_id, line.thread_id.get()),
            ("turn.completed", _) => {
                self.record.ended = Some(Ended::Done);
                self.used = line.usage.get().map(Usage::tokens).or(self.used);
            }
            ("turn.failed" | "error", _) => self.record.ended = Some(Ended::Error),
            ("", _) => self.record.unknown += 1,
            _ => {}
        }
        if let Some(item) = line.item.get() {
            self.items(number, at).streamed(item);
        }
    }
}

impl<'s> Reader<'_, 's> {
    /// Only the first one belongs to this file; a fork repeats its parent's.
    fn meta(&mut self, meta: &Payload<'_>) {
        if self.began {
            return;
        }
        self.began = true;
        if meta.source.get().is_some_and(Origin::is_sub_agent) {
            meta.id.text().clone_into(&mut self.agent);
        }
        if self.main {
            keep(&mut self.record.session_id, meta.id.get());
        }
    }

    fn items<'i>(&'i mut self, number: u64, at: Option<&'i str>) -> Items<'i, 's> {
        let Self { agent, script, file, window, record, .. } = self;
        Items { agent, script: script.as_deref(), source: *file, line: number, at, window, record }
    }

    fn response(&mut self, number: u64, at: Option<&str>, item: &Payload<'_>) {
        match item.kind.text() {
            "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call" => {
                self.call(number, at, item);
            }
            "function_call_output" | "custom_tool_call_output" => self.output(item),
            "message" => self.message(item),
            _ => {}
        }
    }

    fn call(&mut self, number: u64, at: Option<&str>, item: &Payload<'_>) {
        let name = item.name.get().unwrap_or(item.kind.text());
        let id = item.call_id.get().or(item.id.get()).unwrap_or_default();
        let mut call = Call::new(&self.agent, name, id).when(at);
        call.namespace = item.namespace.owned();
        if item.namespace.text().starts_with("mcp__") {
            call.kind = Kind::Mcp;
        }
        if item.kind.is("custom_tool_call") {
            let mut paths = patched(item.input.text()).into_iter();
            call = call.about(paths.next().as_deref());
            call.more = paths.collect();
            if name == "exec" {
                call.kind = Kind::Other;
                self.script = Some(id.to_owned());
            }
        } else if let Some(action) = item.action.get() {
            action.describe(&mut call);
        } else if let Some(input) = mend::read::<Input<'_>>(item.arguments.text().as_bytes(), &mut Vec::new())
        {
            input.describe(&mut call);
        }
        call.source = self.file;
        call.line = number;
        self.window.push(call);
    }

    fn output(&mut self, item: &Payload<'_>) {
        let id = item.call_id.text();
        if self.script.as_deref() == Some(id) {
            self.script = None;
        }
        let mut texts = pieces(item.output, OUTPUT_HEAD);
        if !texts.iter().any(|text| text.contains("\nOutput:")) {
            texts = pieces(item.output, LONG_HEAD);
        }
        let code = texts.iter().find_map(|text| exit_code(text, item.output));
        let refused = texts.iter().any(|text| is_refusal(text));
        let ok = code.map(|code| code == 0).or(refused.then_some(false));
        self.window.resolve(&self.agent, id, ok, code);
    }

    fn message(&mut self, item: &Payload<'_>) {
        if item.role.is("developer") {
            return;
        }
        self.record.messages += 1;
        if self.main && item.role.is("assistant") {
            self.record.said(&pieces(item.content, usize::MAX).join("\n"));
        }
    }

    fn event(&mut self, number: u64, at: Option<&str>, event: &Payload<'_>) {
        if event.kind.is("item_completed")
            && let Some(item) = event.item.get()
        {
            return self.items(number, at).completed(item);
        }
        match event.kind.text() {
            "task_started" => self.ended = None,
            "token_count" => {
                let total = event.info.get().and_then(|info| info.total_token_usage.get());
                self.used = total.map(Usage::tokens).or(self.used);
            }
            "task_complete" => {
                self.ended = Some(Ended::Done);
                if self.main {
                    self.record.said(&string(event.last_agent_message).unwrap_or_default());
                }
            }
            "turn_aborted" => self.ended = Some(Ended::Interrupted),
            "error" => self.ended = Some(Ended::Error),
            _ => {}
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Structured {
    exit_code: Number,
    metadata: Maybe<Metadata>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Metadata {
    exit_code: Number,
}

/// The exit code of an output: a field if it is JSON, otherwise in the head of the text.
fn exit_code(text: &str, whole: Option<&RawValue>) -> Option<i32> {
    if !text.starts_with('{') {
        return exit_in_text::in_head(text);
    }
    let parse = |text: &str| serde_json::from_str::<Structured>(text).ok();
    let structured = parse(text).or_else(|| parse(&string(whole)?))?;
    structured.metadata.get().map_or(structured.exit_code, |metadata| metadata.exit_code).whole()
}

fn is_refusal(text: &str) -> bool {
    text.contains("blocked by PreToolUse") || REFUSED.iter().any(|words| text.starts_with(words))
}
