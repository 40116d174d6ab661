//! A server of the Model Context Protocol on standard input and output: one JSON message a line.
//!
//! Both eras are spoken: the handshake (`initialize`) and requests that carry their version (`server/discover`). What
//! a tool cannot do is an error in its result, what cannot be understood an error of the protocol; nothing that failed
//! looks like success. A server answers one request after the other, so that a tool needs no lock against another.

mod message;

use crate::stream::input::Input;
use crate::stream::output::Output;
use crate::{Exit, Fail};
use message::{Message, failure, success};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Versions with a handshake, oldest first.
const HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// Versions without one.
const MODERN: [&str; 1] = ["2026-07-28"];
/// Where a request without a handshake says its version.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// Where the answer to `server/discover` says who we are.
const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// One tool of a service.
pub struct Tool<S> {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// The schema of its arguments.
    pub takes: fn() -> Value,
    /// What it does.
    pub act: fn(&mut S, Value) -> Result<Value, Fail>,
}

/// One text that a service lets clients read.
pub struct Resource<S> {
    /// Its address.
    pub uri: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its type.
    pub mime: &'static str,
    /// Reads it.
    pub read: fn(&mut S) -> Result<String, Fail>,
}

/// What a server offers.
pub trait Service: Sized + 'static {
    /// Who it is.
    const NAME: &'static str;
    /// What a client tells its model about it.
    const INSTRUCTIONS: &'static str;
    /// Its tools.
    const TOOLS: &'static [Tool<Self>];
    /// Its resources.
    const RESOURCES: &'static [Resource<Self>] = &[];
}

/// Serves until standard input ends.
pub fn serve<S: Service>(service: &mut S, out: &mut Output) -> Result<Exit, Fail> {
    let mut input = Input::open(None)?;
    let mut line = Vec::new();
    while input.line(&mut line)? {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if let Some(answer) = answer(service, &line) {
            out.line(&answer.to_string())?;
        }
    }
    Ok(Exit::Ok)
}

/// The answer to one line; none to a notification.
pub fn answer<S: Service>(service: &mut S, line: &[u8]) -> Option<Value> {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return Some(failure(&Value::Null, -32700, &format!("no JSON: {error}"), None)),
    };
    if let Value::Array(batch) = &value {
        let answers: Vec<Value> = batch.iter().filter_map(|value| reply(service, value)).collect();
        return (!answers.is_empty()).then_some(Value::Array(answers));
    }
    reply(service, &value)
}

/// The arguments of a tool, none missing and none more than it takes.
pub fn arguments<T: DeserializeOwned>(arguments: Value) -> Result<T, Fail> {
    serde_json::from_value(arguments).map_err(|e| Fail::data("bad-arguments", e.to_string()))
}

/// The arguments of a tool that takes none.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

impl Nothing {
    /// Their schema.
    pub fn schema() -> Value {
        json!({ "type": "object", "properties": {}, "additionalProperties": false })
    }
}

fn reply<S: Service>(service: &mut S, value: &Value) -> Option<Value> {
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
    let has_resources = !S::RESOURCES.is_empty();
    let result = match message.method {
        "initialize" => Ok(initialize::<S>(message.params)),
        "server/discover" => Ok(discover::<S>()),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": tools::<S>() })),
        "tools/call" => call(service, message.params),
        "resources/list" if has_resources => Ok(json!({ "resources": resources::<S>() })),
        "resources/templates/list" if has_resources => Ok(json!({ "resourceTemplates": [] })),
        "resources/read" if has_resources => read(service, message.params),
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
fn initialize<S: Service>(params: &Value) -> Value {
    let asked = params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let version =
        HANDSHAKE.into_iter().find(|version| *version == asked).unwrap_or(HANDSHAKE[HANDSHAKE.len() - 1]);
    json!({
        "protocolVersion": version,
        "capabilities": capabilities::<S>(),
        "serverInfo": server::<S>(),
        "instructions": S::INSTRUCTIONS,
    })
}

fn discover<S: Service>() -> Value {
    json!({
        "supportedVersions": supported(),
        "capabilities": capabilities::<S>(),
        "instructions": S::INSTRUCTIONS,
        "_meta": { SERVER_KEY: server::<S>() },
    })
}

fn capabilities<S: Service>() -> Value {
    if S::RESOURCES.is_empty() { json!({ "tools": {} }) } else { json!({ "tools": {}, "resources": {} }) }
}

fn supported() -> Vec<&'static str> {
    HANDSHAKE.into_iter().chain(MODERN).collect()
}

fn server<S: Service>() -> Value {
    json!({ "name": S::NAME, "version": env!("CARGO_PKG_VERSION") })
}

fn tools<S: Service>() -> Vec<Value> {
    let row = |tool: &Tool<S>| json!({ "name": tool.name, "description": tool.about, "inputSchema": (tool.takes)() });
    S::TOOLS.iter().map(row).collect()
}

/// `tools/call`: what the tool answers, or its error as a result that says so.
fn call<S: Service>(service: &mut S, params: &Value) -> Result<Value, (i64, String)> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let Some(tool) = S::TOOLS.iter().find(|tool| tool.name == name) else {
        return Err((-32602, format!("there is no tool '{name}'")));
    };
    let arguments =
        params.get("arguments").filter(|value| !value.is_null()).cloned().unwrap_or_else(|| json!({}));
    let (answer, failed) = match (tool.act)(service, arguments) {
        Ok(answer) => (answer, false),
        Err(fail) => (json!({ "error": fail.to_string(), "code": fail.code, "status": "failed" }), true),
    };
    Ok(json!({
        "content": [{ "type": "text", "text": answer.to_string() }],
        "structuredContent": answer,
        "isError": failed,
    }))
}

fn resources<S: Service>() -> Vec<Value> {
    let row = |one: &Resource<S>| json!({ "uri": one.uri, "name": one.name, "description": one.about, "mimeType": one.mime });
    S::RESOURCES.iter().map(row).collect()
}

fn read<S: Service>(service: &mut S, params: &Value) -> Result<Value, (i64, String)> {
    let uri = params.get("uri").and_then(Value::as_str).unwrap_or_default();
    let Some(resource) = S::RESOURCES.iter().find(|one| one.uri == uri) else {
        return Err((-32002, format!("there is no resource '{uri}'")));
    };
    let text = (resource.read)(service).map_err(|fail| (-32603, fail.to_string()))?;
    Ok(json!({ "contents": [{ "uri": uri, "mimeType": resource.mime, "text": text }] }))
}
