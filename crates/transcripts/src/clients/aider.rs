//! aider: the chat history `.aider.chat.history.md`.
//!
//! aider has no tool calls; its own quoted lines after each answer report what it did to files. Every run is appended
//! to the same file. A session is named by the time in its first line; without a name all sessions are read. An
//! answer is the model's text, including quoted lines, up to the line with its token count.

use crate::calls::record::keep;
use crate::calls::window::Window;
use crate::client::head::Head;
use crate::json::lenient::Number;
use crate::{Call, Ended, Kind, Record, Source};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use toolkit::Fail;
use wire::order::Tokens;

/// The log of its events beside a history, if it was asked for one.
pub const EVENTS: &str = "aider.events.jsonl";
const STARTED: &str = "# aider chat started at ";
/// Lines longer than this are the model's own and are cut.
const LONGEST: u64 = 1 << 20;

pub(crate) fn detect(_: &Path, head: &Head) -> bool {
    head.bytes.trim_ascii_start().starts_with(STARTED.as_bytes())
}

pub(crate) fn read(source: &Source<'_>, sink: &mut dyn FnMut(Call)) -> Result<Record, Fail> {
    let file = File::open(source.path).map_err(|error| Fail::io(source.path, &error))?;
    let mut reader = BufReader::new(file);
    let mut record = Record::default();
    record.add_source(source.path);
    let mut history = History {
        wanted: source.session,
        inside: source.session.is_none(),
        speaking: false,
        fenced: false,
        record,
        window: Window::new(sink),
        at: None,
        answer: String::new(),
        used: Some(Tokens::default()),
    };
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        let mut limited = (&mut reader).take(LONGEST);
        let count = limited.read_until(b'\n', &mut line).map_err(|error| Fail::io(source.path, &error))?;
        if count == 0 {
            break;
        }
        number += 1;
        history.line(number, String::from_utf8_lossy(&line).trim_end());
    }
    history.end(source)
}

struct History<'a, 's> {
    wanted: Option<&'a str>,
    /// Whether the current session is the requested one.
    inside: bool,
    /// Whether the current text is the model's.
    speaking: bool,
    fenced: bool,
    record: Record,
    window: Window<'s>,
    at: Option<String>,
    answer: String,
    /// The tokens of all answers; `None` once one is rounded.
    used: Option<Tokens>,
}

impl History<'_, '_> {
    fn line(&mut self, number: u64, line: &str) {
        if let Some(time) = line.strip_prefix(STARTED) {
            self.begin(time);
        } else if !self.inside {
            // Another session.
        } else if let Some(_prompt) = line.strip_prefix("#### ") {
            self.speaking = true;
            self.fenced = false;
            self.answer.clear();
            self.record.messages += 1;
            self.record.ended = None;
        } else if let Some(costs) = line.strip_prefix("> Tokens: ") {
            self.answered(costs);
        } else if line.starts_with("```") {
            self.fenced = !self.fenced;
        } else if let (Some(words), false) = (line.strip_prefix("> "), self.fenced || self.speaking) {
            self.own(number, words);
        } else if self.speaking && !self.fenced && self.answer.len() < 1 << 16 {
            self.answer.push_str(line);
            self.answer.push('\n');
        }
    }

    fn begin(&mut self, time: &str) {
        self.inside = self.wanted.is_none_or(|wanted| wanted == time);
        self.speaking = false;
        self.fenced = false;
        if self.inside {
            self.record.sessions += 1;
            self.record.session_id = Some(time.to_owned());
            self.at = Some(time.to_owned());
        }
    }

    /// The line of tokens and costs ends an answer, and a fence that the model left open.
    fn answered(&mut self, costs: &str) {
        self.speaking = false;
        self.fenced = false;
        self.record.messages += 1;
        self.record.said(self.answer.trim());
        self.record.ended = Some(Ended::Done);
        let words: Vec<&str> = costs.split(['.', ',']).map(str::trim).collect();
        let count = |what: &str| words.iter().find_map(|part| part.strip_suffix(what)?.trim().parse().ok());
        let sum = |before: Tokens| {
            let cached = count("cache hit").unwrap_or_default();
            let new = Tokens { input: count("sent")?, output: count("received")?, cached };
            Tokens::sum([before, new])
        };
        self.used = self.used.and_then(sum);
        let cost = costs.split_once("Cost: $").and_then(|(_, after)| after.split_once(" message"));
        self.record.spent(cost.and_then(|(dollars, _)| dollars.parse().ok()));
    }

    /// One of aider's own lines.
    fn own(&mut self, number: u64, words: &str) {
        if let Some(path) = words.strip_prefix("Applied edit to ") {
            self.call(number, "edit", Kind::Edit, path, Some(true));
        } else if let Some((_, path)) = words.split_once("failed to exactly match lines in ") {
            self.call(number, "edit", Kind::Edit, path, Some(false));
        } else if let Some(command) = words.strip_prefix("Running ") {
            self.call(number, "run", Kind::Shell, command, None);
        } else if let Some(model) = words.strip_prefix("Model: ").or(words.strip_prefix("Main model: ")) {
            let (name, format) = model.split_once(" with ").unwrap_or((model, ""));
            keep(&mut self.record.model, Some(name));
            keep(&mut self.record.mode, format.strip_suffix(" edit format"));
        } else if words.starts_with("litellm.") || words.starts_with("The API provider") {
            self.record.ended = Some(Ended::Error);
        }
    }

    fn call(&mut self, number: u64, name: &str, kind: Kind, target: &str, ok: Option<bool>) {
        let mut call = Call::new("", name, "").about(Some(target.trim())).when(self.at.as_deref());
        call.kind = kind;
        call.ok = ok;
        call.line = number;
        self.window.push(call);
    }

    fn end(mut self, source: &Source<'_>) -> Result<Record, Fail> {
        self.window.flush();
        self.record.calls = self.window.calls;
        self.record.used(logged(source.path).or(self.used));
        match self.wanted {
            Some(wanted) if self.record.sessions == 0 => Err(crate::client::no_session(source.path, wanted)),
            _ => Ok(self.record),
        }
    }
}

/// The tokens in the log of its events. The history rounds them from a thousand on.
fn logged(history: &Path) -> Option<Tokens> {
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Event {
        event: String,
        properties: Sent,
    }
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Sent {
        prompt_tokens: Number,
        completion_tokens: Number,
    }
    let file = File::open(history.with_file_name(EVENTS)).ok()?;
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    let events = lines.filter_map(|line| serde_json::from_str::<Event>(&line).ok());
    let sent = events.filter(|event| event.event == "message_send").map(|event| event.properties);
    Tokens::sum(sent.map(|sent| Tokens {
        input: sent.prompt_tokens.count(),
        output: sent.completion_tokens.count(),
        cached: 0,
    }))
}
