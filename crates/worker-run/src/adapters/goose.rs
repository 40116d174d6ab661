//! goose: `goose run --output-format stream-json`.
//!
//! It always exits with 0: an error is a message of the assistant, in words that only goose uses. Its output names no
//! session, so we name the session, to continue it and to find it in its database.

use crate::adapters::adapter::{Ask, RecordLocation, document, events, flag, words};
use crate::adapters::reading::{ClientOutput, Fault, Reading};
use crate::adapters::service_fault;
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use wire::order::Outcome;

/// The beginning of an error message.
const ERROR: &str = "Ran into this error:";
/// Its message when the turns are used up.
const TURNS: &str = "reached the maximum number of actions";

pub(crate) fn arguments(ask: &Ask<'_>) -> Vec<OsString> {
    let mut all = words(["run", "--quiet", "--instructions", "-", "--output-format", "stream-json"]);
    all.extend(words(["--with-builtin", "developer"]));
    flag(&mut all, "--name", Some(ask.session));
    flag(&mut all, "--model", ask.model);
    flag(&mut all, "--max-turns", ask.max_turns);
    all
}

pub(crate) fn again(ask: &Ask<'_>, _: &str) -> Vec<OsString> {
    let mut all = arguments(ask);
    all.push("--resume".into());
    all
}

/// A non-interactive run cannot ask, so the only mode is `auto`.
pub(crate) fn environment(_: &Ask<'_>) -> Vec<(&'static str, String)> {
    [("GOOSE_MODE", "auto"), ("GOOSE_DISABLE_KEYRING", "1"), ("GOOSE_TELEMETRY_ENABLED", "false")]
        .map(|(name, value)| (name, value.to_owned()))
        .to_vec()
}

pub(crate) fn read(said: &ClientOutput<'_>) -> Reading {
    let mut reading = Reading::default();
    let (messages, ended) = messages(said.stdout);
    if let Some(last) = messages.iter().rfind(|message| message.get("role") == Some(&"assistant".into())) {
        reading.text = words_of(last);
    }
    if let Some(at) = reading.text.find(ERROR) {
        reading.fault = Some(service_fault::of(None, reading.text[at + ERROR.len()..].trim()));
    } else if reading.text.contains(TURNS) {
        reading.fault = Some(Fault::new(Outcome::MaxTurns, "its turns are used up"));
    } else if !ended || said.exit != Some(0) {
        reading.fault = Some(said.without_end());
    }
    reading
}

/// One database holds all sessions.
pub(crate) fn record(place: &RecordLocation<'_>) -> Option<PathBuf> {
    let own = (place.variable)("GOOSE_PATH_ROOT").map(|root| PathBuf::from(root).join("data"));
    let folder = own.or_else(|| Some(place.folder_of("XDG_DATA_HOME", ".local/share")?.join("goose")))?;
    Some(folder.join("sessions/sessions.db")).filter(|path| path.is_file())
}

/// The messages of a stream or of the single document of `json`, and whether they are complete.
fn messages(stdout: &str) -> (Vec<Value>, bool) {
    let document = document(stdout);
    if let Some(messages) = document.as_ref().and_then(|d| d.get("messages")?.as_array()) {
        return (messages.clone(), true);
    }
    let all: Vec<Value> = events(stdout).collect();
    let ended = all.iter().any(|event| event.get("type") == Some(&"complete".into()));
    (all.into_iter().filter_map(|event| event.get("message").cloned()).collect(), ended)
}

fn words_of(message: &Value) -> String {
    let parts = message.get("content").and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<_> = parts.filter_map(|part| part.get("text")?.as_str()).collect();
    texts.join("\n")
}
