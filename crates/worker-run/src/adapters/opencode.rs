//! opencode and its fork Kilo: `run --format json`.
//!
//! It retries a broken stream forever; only our wall clock stops it. Permissions are passed in the environment, which
//! all versions read.

use crate::adapters::adapter::{Ask, RecordLocation, events, flag, only_file, words};
use crate::adapters::reading::{ClientOutput, Fault, Reading};
use crate::adapters::service_fault;
use config::workers::Permissions;
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use wire::order::Outcome;

/// Its tools that it does not offer if they are denied.
const WITHHELD: [&str; 4] = ["bash", "edit", "write", "webfetch"];

pub(crate) fn arguments(ask: &Ask<'_>) -> Vec<OsString> {
    let mut all = words(["run", "--format", "json"]);
    flag(&mut all, "--model", ask.model);
    flag(&mut all, "--agent", ask.agent);
    all
}

pub(crate) fn again(ask: &Ask<'_>, session: &str) -> Vec<OsString> {
    let mut all = arguments(ask);
    flag(&mut all, "--session", Some(session));
    all
}

pub(crate) fn environment(ask: &Ask<'_>) -> Vec<(&'static str, String)> {
    let rights = match ask.permissions {
        // A non-interactive run cannot ask: deny everything that is not allowed.
        Permissions::Edit => {
            r#"{"edit":"allow","bash":"deny","webfetch":"deny","external_directory":"deny"}"#
        }
        Permissions::All => {
            r#"{"*":"allow","edit":"allow","bash":"allow","webfetch":"allow","external_directory":"allow","doom_loop":"allow"}"#
        }
    };
    [
        ("OPENCODE_PERMISSION", rights),
        ("KILO_PERMISSION", rights),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("KILO_DISABLE_AUTOUPDATE", "1"),
        ("KILO_TELEMETRY_LEVEL", "off"),
        ("DO_NOT_TRACK", "1"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .to_vec()
}

/// The names of models have a provider prefix.
pub(crate) fn takes(model: &str) -> bool {
    model.contains('/')
}

pub(crate) fn read(said: &ClientOutput<'_>) -> Reading {
    let mut reading = Reading::default();
    let mut cost = None;
    let mut finished = false;
    for event in events(said.stdout) {
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        reading.session = text("/sessionID").or(reading.session);
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "text" => reading.text = text("/part/text").unwrap_or_default(),
            "step_start" => finished = false,
            "step_finish" => {
                let reason = text("/part/reason").unwrap_or_default();
                finished = reason != "tool-calls";
                let spent = event.pointer("/part/cost").and_then(Value::as_f64);
                cost = spent.map(|spent| cost.unwrap_or(0.0) + spent).or(cost);
            }
            "tool_use" => {
                let tool = refused(&event).filter(|tool| !reading.denied.contains(tool));
                reading.denied.extend(tool);
            }
            "error" => reading.fault = Some(error(&event)),
            _ => {}
        }
    }
    reading.cost = cost;
    if reading.fault.is_none() && !(finished && said.exit == Some(0)) {
        reading.fault = Some(said.without_end());
    }
    reading
}

/// The tool that a call was not allowed to use. A tool that is denied completely is not offered, and a call of it
/// becomes a call of the tool `invalid`; a rule about some calls only fails the call.
fn refused(event: &Value) -> Option<String> {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (tool, meant) = (text("/part/tool"), text("/part/state/input/tool"));
    if tool == "invalid" && WITHHELD.contains(&meant) {
        return Some(meant.to_owned());
    }
    text("/part/state/error").contains("specified a rule which prevents you").then(|| tool.to_owned())
}

fn error(event: &Value) -> Fault {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (name, message) = (text("/error/name"), text("/error/data/message"));
    if name == "MessageAbortedError" {
        return Fault::new(Outcome::Interrupted, message);
    }
    let status = event.pointer("/error/data/statusCode").and_then(Value::as_u64);
    let words = format!("{name}: {message}");
    service_fault::of(status, &words)
}

pub(crate) fn record(place: &RecordLocation<'_>) -> Option<PathBuf> {
    stored(place, "opencode")
}

pub(crate) fn kilo_record(place: &RecordLocation<'_>) -> Option<PathBuf> {
    stored(place, "kilo")
}

/// The database of newer clients, otherwise the session's file of older ones.
fn stored(place: &RecordLocation<'_>, name: &str) -> Option<PathBuf> {
    let folder = place.folder_of("XDG_DATA_HOME", ".local/share")?.join(name);
    let database = folder.join(format!("{name}.db"));
    if database.is_file() {
        return Some(database);
    }
    let file = format!("{}.json", place.session);
    only_file(&folder.join("storage/session"), 1, &|found| found == file)
}
