//! The Model Context Protocol on standard input and output: one JSON message a line.
//!
//! Both eras are spoken: the handshake (`initialize`) and requests that carry their version (`server/discover`). What
//! a tool cannot do is an error in its result, what cannot be understood an error of the protocol; nothing that failed
//! looks like success.

mod message;
mod tools;

use crate::args::LiveArgs;
use crate::serve::message::{Message, failure, success};
use crate::serve::tools::Tools;
use crate::{here, keep};
use serde_json::{Value, json};
use sessions::Live;
use std::path::Path;
use toolkit::cli::clock::Clock;
use toolkit::stream::input::Input;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// Versions with a handshake, oldest first.
const HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// Versions without one.
const MODERN: [&str; 1] = ["2026-07-28"];
/// Where a request without a handshake says its version.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// Where the answer to `server/discover` says who we are.
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

const INSTRUCTIONS: &str = "Keeps one thinking session for this repository. Begin a task with clear_history, or \
import_session of the last link of its chain; export_session under the link's own name, such as \
.kilocode/thinking/task-ID-prep-2026-01-31.json. Paths are relative to the root of the repository.";

/// Serves until standard input ends.
pub(crate) fn serve(asked: &LiveArgs, clock: &Clock, out: &mut Output) -> Result<Exit, Fail> {
    let tools = Tools { live: keep::open(asked)?, root: here()?, clock: *clock };
    let mut input = Input::open(None)?;
    let mut line = Vec::new();
    while input.line(&mut line)? {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if let Some(answer) = answer(&tools, &line) {
            out.line(&answer.to_string())?;
        }
    }
    Ok(Exit::Ok)
}

/// The answers to some lines, for a root of its own.
pub(crate) fn answers<'l>(root: &Path, lines: impl Iterator<Item = &'l [u8]>) -> Result<Vec<Value>, Fail> {
    let tools = Tools { live: Live::at(root, None)?, root: root.to_path_buf(), clock: Clock::default() };
    Ok(lines.filter_map(|line| answer(&tools, line)).collect())
}

/// The answer to one line; none to a notification.
fn answer(tools: &Tools, line: &[u8]) -> Option<Value> {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return Some(failure(&Value::Null, -32700, &format!("no JSON: {error}"), None)),
    };
    if let Value::Array(batch) = &value {
        let answers: Vec<Value> = batch.iter().filter_map(|value| reply(tools, value)).collect();
        return (!answers.is_empty()).then_some(Value::Array(answers));
    }
    reply(tools, &value)
}

fn reply(tools: &Tools, value: &Value) -> Option<Value> {
    let Some(message) = Message::of(value) else {
        return Some(failure(&Value::Null, -32600, "no request of JSON-RPC 2.0", None));
    };
    let id = message.id?;
    let modern =
        message.params.pointer("/_meta").and_then(|meta| meta.get(VERSION_KEY)).and_then(Value::as_str);
    if let Some(version) = modern.filter(|version| !MODERN.contains(version)) {
        let data = json!({ "supported": supported(), "requested": version });
        return Some(failure(id, -32022, "this version of the protocol is not known", Some(data)));
    }
    let result = match message.method {
        "initialize" => Ok(initialize(message.params)),
        "server/discover" => Ok(discover()),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": tools::list() })),
        "tools/call" => tools.call(message.params),
        other => Err((-32601, format!("there is no method '{other}'"))),
    };
    Some(match result {
        Ok(mut result) => {
            if let (Some(_), Some(result)) = (modern, result.as_object_mut()) {
                result.insert("resultType".to_owned(), "complete".into());
                if message.method != "tools/call" {
                    result.insert("ttlMs".to_owned(), 0.into());
                    result.insert("cacheScope".to_owned(), "private".into());
                }
            }
            success(id, &result)
        }
        Err((code, text)) => failure(id, code, &text, None),
    })
}

/// The handshake: the client's version where we know it, else our newest.
fn initialize(params: &Value) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let version =
        HANDSHAKE.into_iter().find(|version| *version == asked).unwrap_or(HANDSHAKE[HANDSHAKE.len() - 1]);
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {} },
        "serverInfo": server(),
        "instructions": INSTRUCTIONS,
    })
}

fn discover() -> Value {
    json!({
        "supportedVersions": supported(),
        "capabilities": { "tools": {} },
        "instructions": INSTRUCTIONS,
        "_meta": { SERVER_KEY: server() },
    })
}

fn supported() -> Vec<&'static str> {
    HANDSHAKE.into_iter().chain(MODERN).collect()
}

fn server() -> Value {
    json!({ "name": "session-export", "version": env!("CARGO_PKG_VERSION") })
}
