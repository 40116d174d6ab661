//! Gemini CLI: chats as one `.json`, as an update log `.jsonl`, and the `stream-json` output.
//!
//! The log repeats a message under the same id after its tools have run: the last version wins, call by call. `$set`
//! patches the session and may contain messages. A sub-agent's chat is in `chats/<session>/<agent>.jsonl`. A command
//! that fails has the status `success` there; only its text tells.

use crate::calls::exit_in_text;
use crate::calls::input::Input;
use crate::calls::record::keep;
use crate::calls::window::Window;
use crate::client::head::Head;
use crate::json::elements::{read_elements, read_rest};
use crate::json::lenient::{Items, Maybe, Number, Word};
use crate::json::lines::{At, Lines, read_lines};
use crate::json::text::{pieces, string};
use crate::{Call, Ended, Kind, Record, Source};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fs;
use std::path::{Path, PathBuf};
use toolkit::Fail;
use wire::order::Tokens;

pub(crate) fn detect(_: &Path, head: &Head) -> bool {
    let chat = ["sessionId", "projectHash"];
    let document = head.document_has(&chat) && head.document_has(&["messages"]);
    let stream = head.line_has(&["type", "tool_id"]) || head.line_has(&["type", "session_id", "model"]);
    document || head.line_has(&chat) || head.line_has(&["$set"]) || stream
}

pub(crate) fn read(source: &Source<'_>, sink: &mut dyn FnMut(Call)) -> Result<Record, Fail> {
    let mut record = Record { sessions: 1, ..Record::default() };
    let mut window = Window::new(sink);
    read_file(source.path, true, &mut record, &mut window)?;
    for path in sub_agents(source.path, record.session_id.as_deref()) {
        read_file(&path, false, &mut record, &mut window)?;
    }
    record.calls = window.calls;
    record.orphans = window.orphans;
    Ok(record)
}

fn read_file(path: &Path, main: bool, record: &mut Record, window: &mut Window<'_>) -> Result<(), Fail> {
    let file = record.add_source(path);
    let mut reader = Reader { main, agent: String::new(), latest: None, file, record, window };
    let unknown = if Head::of(path)?.document_has(&["messages"]) {
        let rest = read_rest(path, "messages", &["sessionId"])?;
        if let Ok(line) = serde_json::from_slice::<Line<'_>>(&rest) {
            reader.session(&line);
        }
        read_elements(path, "messages", &mut reader)?.unknown
    } else {
        read_lines(path, &mut reader)?
    };
    let latest = reader.latest;
    record.used(latest.map(|(_, tokens)| tokens));
    record.unknown += unknown;
    window.flush();
    Ok(())
}

/// The chats of a session's sub-agents, sorted.
fn sub_agents(main: &Path, session: Option<&str>) -> Vec<PathBuf> {
    let folder = main.parent().unwrap_or(Path::new(""));
    let Some(entries) = session.and_then(|session| fs::read_dir(folder.join(session)).ok()) else {
        return Vec::new();
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let chat = |path: &PathBuf| path.extension().is_some_and(|end| end == "jsonl" || end == "json");
    let mut paths: Vec<_> = paths.filter(chat).collect();
    paths.sort();
    paths
}

struct Reader<'r, 's> {
    main: bool,
    agent: String,
    /// The latest message and its tokens: it is repeated.
    latest: Option<(String, Tokens)>,
    file: usize,
    record: &'r mut Record,
    window: &'r mut Window<'s>,
}

/// A line of the log, a message, the session's own fields, or an event of the stream.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow, rename = "sessionId")]
    session: Word<'a>,
    #[serde(borrow)]
    session_id: Word<'a>,
    #[serde(borrow)]
    kind: Word<'a>,
    #[serde(borrow, rename = "$set")]
    set: Maybe<Set<'a>>,
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow, rename = "type")]
    what: Word<'a>,
    #[serde(borrow)]
    role: Word<'a>,
    #[serde(borrow)]
    timestamp: Word<'a>,
    #[serde(borrow)]
    model: Word<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow, rename = "toolCalls")]
    tools: Items<Maybe<Tool<'a>>>,
    #[serde(borrow)]
    tool_name: Word<'a>,
    #[serde(borrow)]
    tool_id: Word<'a>,
    #[serde(borrow)]
    parameters: Maybe<Input<'a>>,
    #[serde(borrow)]
    status: Word<'a>,
    tokens: Maybe<Usage>,
    stats: Maybe<Stats>,
}

/// The tokens of a message: thoughts are no part of `output`, and the answers of tools no part of `input`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Usage {
    input: Number,
    output: Number,
    cached: Number,
    thoughts: Number,
    tool: Number,
}

/// The tokens of a stream.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Stats {
    total_tokens: Number,
    input_tokens: Number,
    cached: Number,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Set<'a> {
    #[serde(borrow)]
    messages: Items<Maybe<Line<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Tool<'a> {
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow)]
    name: Word<'a>,
    #[serde(borrow)]
    args: Maybe<Input<'a>>,
    #[serde(borrow)]
    status: Word<'a>,
    #[serde(borrow)]
    timestamp: Word<'a>,
    #[serde(borrow)]
    result: Items<Maybe<Answer<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer<'a> {
    #[serde(borrow, rename = "functionResponse")]
    function: Maybe<Function<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Function<'a> {
    #[serde(borrow)]
    response: Maybe<Response<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Response<'a> {
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

impl Lines for Reader<'_, '_> {
    type Line<'a> = Line<'a>;

    fn line(&mut self, place: &At<'_>, line: Line<'_>) {
        let number = place.number;
        self.session(&line);
        if let Some(set) = line.set.get() {
            set.messages.objects().for_each(|message| self.message(number, message));
        }
        match line.what.text() {
            "tool_use" => self.used(number, &line),
            "tool_result" => self.answered(&line),
            "message" => self.message(number, &line),
            "result" if self.main => {
                self.record.used(line.stats.get().map(|stats| {
                    let input = stats.input_tokens.count();
                    let output = stats.total_tokens.count().saturating_sub(input);
                    Tokens { input, output, cached: stats.cached.count() }
                }));
                self.record.ended = Some(if line.status.is("success") { Ended::Done } else { Ended::Error });
            }
            "" if line.session.get().is_none() && line.set.get().is_none() => self.record.unknown += 1,
            _ if line.id.get().is_some() => self.message(number, &line),
            _ => {}
        }
    }
}

impl Reader<'_, '_> {
    fn session(&mut self, line: &Line<'_>) {
        let Some(session) = line.session.get().or(line.session_id.get()) else { return };
        if line.kind.is("subagent") {
            session.clone_into(&mut self.agent);
        }
        if self.main {
            keep(&mut self.record.session_id, Some(session));
            keep(&mut self.record.model, line.model.get());
        }
    }

    fn message(&mut self, number: u64, message: &Line<'_>) {
        for tool in message.tools.objects() {
            self.tool(number, message, tool);
        }
        if let Some(usage) = message.tokens.get() {
            let input = usage.input.count() + usage.tool.count();
            let output = usage.output.count() + usage.thoughts.count();
            let new = Tokens { input, output, cached: usage.cached.count() };
            let before = self.latest.replace((message.id.text().to_owned(), new));
            self.record.used(before.filter(|(id, _)| !message.id.is(id)).map(|(_, tokens)| tokens));
        }
        // The same message is repeated with its calls: count it once.
        if message.tools.iter().len() == 0 {
            self.record.messages += 1;
        }
        let own = message.what.is("gemini") || message.role.is("assistant");
        if self.main && own {
            keep(&mut self.record.model, message.model.get());
            let said =
                string(message.content).unwrap_or_else(|| pieces(message.content, usize::MAX).join("\n"));
            self.record.said(&said);
            let finished = message.tools.iter().len() == 0 && !said.is_empty();
            self.record.ended = finished.then_some(Ended::Done);
        } else if self.main && message.what.is("error") {
            self.record.ended = Some(Ended::Error);
        }
    }

    fn tool(&mut self, number: u64, message: &Line<'_>, tool: &Tool<'_>) {
        let at = tool.timestamp.get().or(message.timestamp.get());
        let mut call = Call::new(&self.agent, tool.name.text(), tool.id.text()).when(at);
        if let Some(input) = tool.args.get() {
            input.describe(&mut call);
        }
        call.exit_code = tool.result.objects().find_map(exit_code);
        call.ok = if call.exit_code.is_some_and(|code| code != 0) { Some(false) } else { ok(&tool.status) };
        call.source = self.file;
        call.line = number;
        if let Some(before) = self.window.find(&self.agent, tool.id.text()) {
            *before = call;
        } else {
            self.window.push(call);
        }
    }

    /// In the stream a command is a success whatever its exit code, which is missing.
    fn answered(&mut self, line: &Line<'_>) {
        let id = line.tool_id.text();
        let shell = self.window.find(&self.agent, id).is_some_and(|call| call.kind == Kind::Shell);
        let ok = ok(&line.status).filter(|ok| !(shell && *ok));
        self.window.resolve(&self.agent, id, ok, None);
    }

    fn used(&mut self, number: u64, line: &Line<'_>) {
        let mut call = Call::new(&self.agent, line.tool_name.text(), line.tool_id.text());
        if let Some(input) = line.parameters.get() {
            input.describe(&mut call);
        }
        call.source = self.file;
        call.line = number;
        self.window.push(call.when(line.timestamp.get()));
    }
}

/// A final status gives the result; any other status is not a result yet.
fn ok(status: &Word<'_>) -> Option<bool> {
    match status.text() {
        "success" => Some(true),
        "error" | "cancelled" => Some(false),
        _ => None,
    }
}

fn exit_code(answer: &Answer<'_>) -> Option<i32> {
    let output = string(answer.function.get()?.response.get()?.output)?;
    exit_in_text::at_end(&output)
}
