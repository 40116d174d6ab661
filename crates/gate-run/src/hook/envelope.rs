//! The input of an agent's hook: the event, whose work it is, where, and the worker's words.
//!
//! Fields vary between versions of a client, so each is looked up in every place where some version has it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use toolkit::files::fs;

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Envelope {
    pub(crate) event: Event,
    pub(crate) cwd: PathBuf,
    /// A hook such as this one has already blocked the end of this turn.
    pub(crate) stop_hook_active: bool,
    /// The worker's instructions.
    pub(crate) sent: Sent,
    pub(crate) said: WorkerWords,
}

/// The instructions from the caller of the worker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) description: String,
    pub(crate) prompt: String,
}

/// The kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// A tool has run.
    PostToolUse,
    /// The agent wants to end its turn.
    Stop,
    /// A sub-agent wants to end its turn.
    SubagentStop,
    /// A task of the client's own list is about to be called completed.
    TaskCompleted,
    /// A member of a team wants to stop working.
    TeammateIdle,
    /// Another event, which is not judged.
    Other,
}

/// The words of the worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WorkerWords {
    /// Its last words.
    Text(String),
    /// It runs in the background, and has not answered yet.
    NotYet,
    /// Nothing readable.
    Nothing,
    /// It is not a worker.
    NoWorker,
}

/// Reads an event; `None` if it is not a JSON object.
pub(crate) fn read(bytes: &[u8], agent: &str) -> Option<Envelope> {
    let value: Value = serde_json::from_slice(bytes).ok().filter(Value::is_object)?;
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    let event = match text("hook_event_name") {
        "PostToolUse" => Event::PostToolUse,
        // Gemini CLI's name for the same event.
        "Stop" | "AfterAgent" => Event::Stop,
        "SubagentStop" => Event::SubagentStop,
        "TaskCompleted" => Event::TaskCompleted,
        "TeammateIdle" => Event::TeammateIdle,
        _ => Event::Other,
    };
    let said = match event {
        Event::PostToolUse => of_tool(&value, agent),
        Event::SubagentStop if !is_agent(text("agent_type"), agent) => WorkerWords::NoWorker,
        Event::Stop | Event::SubagentStop => last_words(&value),
        Event::TaskCompleted | Event::TeammateIdle => WorkerWords::Nothing,
        Event::Other => WorkerWords::NoWorker,
    };
    let cwd = if text("cwd").is_empty() { "." } else { text("cwd") };
    let stop_hook_active = value.get("stop_hook_active").and_then(Value::as_bool).unwrap_or(false);
    Some(Envelope { event, cwd: PathBuf::from(cwd), stop_hook_active, sent: sent(&value, event), said })
}

/// A worker called by the tool `Task`, which is now named `Agent`.
fn of_tool(value: &Value, agent: &str) -> WorkerWords {
    let text = |path: &str| value.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let kind = text("/tool_input/subagent_type");
    if !["Task", "Agent"].contains(&text("/tool_name")) || !is_agent(kind, agent) {
        return WorkerWords::NoWorker;
    }
    let response = value.get("tool_response").unwrap_or(&Value::Null);
    if response.get("status").and_then(Value::as_str) == Some("async_launched") {
        return WorkerWords::NotYet;
    }
    spoken(response)
}

/// The instructions from the tool call, or from the first message of the transcript that the event names.
fn sent(value: &Value, event: Event) -> Sent {
    let text = |path: &str| value.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let prompt = match event {
        Event::SubagentStop => match message(value, &["agent_transcript_path"], "user", End::First) {
            WorkerWords::Text(text) => text,
            _ => String::new(),
        },
        Event::TaskCompleted => text("/task_description"),
        _ => text("/tool_input/prompt"),
    };
    let description = match event {
        Event::TaskCompleted => text("/task_subject"),
        _ => text("/tool_input/description"),
    };
    Sent { description, prompt }
}

/// `worker`, or `plugin:worker`. An event without a type may be a worker's.
fn is_agent(kind: &str, agent: &str) -> bool {
    kind.is_empty() || kind.rsplit(':').next() == Some(agent)
}

/// The text of a message: a string, a list of blocks, or an object with either as `content`.
fn spoken(value: &Value) -> WorkerWords {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|b| b.as_str().or_else(|| b.get("text")?.as_str()));
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Object(map) => return map.get("content").map_or(WorkerWords::Nothing, spoken),
        _ => String::new(),
    };
    if text.trim().is_empty() { WorkerWords::Nothing } else { WorkerWords::Text(text) }
}

/// The last message, from the event itself or from the transcript that it names.
fn last_words(value: &Value) -> WorkerWords {
    let own = ["last_assistant_message", "prompt_response"].iter().find_map(|name| value.get(*name));
    let own = own.map_or(WorkerWords::Nothing, spoken);
    if own != WorkerWords::Nothing {
        return own;
    }
    message(value, &["agent_transcript_path", "transcript_path"], "assistant", End::Last)
}

/// Which message to take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

/// The first or the last message with text of one side, from the first transcript that the event names.
fn message(value: &Value, paths: &[&str], side: &str, end: End) -> WorkerWords {
    let path = paths.iter().find_map(|name| value.get(*name)?.as_str());
    let bytes = path.and_then(|path| fs::read_if_there(Path::new(path)).ok().flatten()).unwrap_or_default();
    let words = |line: &[u8]| {
        let line: Value = serde_json::from_slice(line).ok()?;
        let ours = line.get("type").and_then(Value::as_str) == Some(side);
        ours.then(|| line.get("message").map_or(WorkerWords::Nothing, spoken))
            .filter(|said| *said != WorkerWords::Nothing)
    };
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let found = match end {
        End::First => lines.find_map(words),
        End::Last => lines.rev().find_map(words),
    };
    found.unwrap_or(WorkerWords::Nothing)
}
