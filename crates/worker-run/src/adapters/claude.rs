//! Claude Code: `claude -p --output-format stream-json`.
//!
//! The last `result` counts: a background sub-agent that ends adds a second one. `is_error` decides, not `subtype`: a
//! failure of the service has the subtype `success`. We set the session's name, so its record is known.

use crate::adapters::adapter::{Ask, RecordLocation, events, flag, only_file, words};
use crate::adapters::reading::{ClientOutput, Fault, Reading};
use crate::adapters::service_fault;
use config::workers::Permissions;
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use wire::order::Outcome;

pub(crate) fn arguments(ask: &Ask<'_>) -> Vec<OsString> {
    let mut all = common(ask);
    flag(&mut all, "--session-id", Some(ask.session));
    all
}

pub(crate) fn again(ask: &Ask<'_>, session: &str) -> Vec<OsString> {
    let mut all = common(ask);
    flag(&mut all, "--resume", Some(session));
    all
}

fn common(ask: &Ask<'_>) -> Vec<OsString> {
    let mut all = words(["--print", "--output-format", "stream-json", "--verbose"]);
    match ask.permissions {
        Permissions::Edit => all.extend(words(["--permission-mode", "acceptEdits"])),
        Permissions::All => all.push("--dangerously-skip-permissions".into()),
    }
    flag(&mut all, "--model", ask.model);
    flag(&mut all, "--agent", ask.agent);
    flag(&mut all, "--max-turns", ask.max_turns);
    flag(&mut all, "--max-budget-usd", ask.max_cost);
    all
}

pub(crate) fn environment(_: &Ask<'_>) -> Vec<(&'static str, String)> {
    let switches = [
        "DISABLE_TELEMETRY",
        "DISABLE_AUTOUPDATER",
        "DISABLE_ERROR_REPORTING",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    ];
    let mut all: Vec<_> = switches.into_iter().map(|name| (name, "1".to_owned())).collect();
    // Its default is ten retries of up to forty seconds each.
    all.push(("CLAUDE_CODE_MAX_RETRIES", "3".to_owned()));
    all
}

pub(crate) fn takes(model: &str) -> bool {
    ["sonnet", "opus", "haiku", "claude"].iter().any(|word| model.starts_with(word))
}

pub(crate) fn read(said: &ClientOutput<'_>) -> Reading {
    let mut reading = Reading::default();
    let mut last = None;
    for event in all_events(said.stdout) {
        let field = |name: &str| event.get(name).and_then(Value::as_str).map(str::to_owned);
        reading.session = field("session_id").or(reading.session);
        match event.get("type").and_then(Value::as_str) {
            Some("system") => reading.model = field("model").or(reading.model),
            Some("result") => last = Some(event),
            _ => {}
        }
    }
    let Some(result) = last else {
        reading.fault = Some(without_result(said));
        return reading;
    };
    text(&result, "result").clone_into(&mut reading.text);
    reading.cost = result.get("total_cost_usd").and_then(Value::as_f64);
    let denials = result.get("permission_denials").and_then(Value::as_array).into_iter().flatten();
    reading.denied = denials.map(|denial| text(denial, "tool_name").to_owned()).collect();
    if result.get("is_error") == Some(&Value::Bool(true)) {
        reading.fault = Some(error(&result));
    }
    reading
}

/// The lines of stream-json, or the single document of `json` (older clients print a list).
fn all_events(stdout: &str) -> Vec<Value> {
    match serde_json::from_str(stdout.trim()) {
        Ok(Value::Array(events)) => events,
        Ok(event @ Value::Object(_)) => vec![event],
        _ => events(stdout).collect(),
    }
}

/// It exits with 0 and prints nothing when it is interrupted before its first turn ends.
fn without_result(said: &ClientOutput<'_>) -> Fault {
    if said.exit == Some(0) {
        return Fault::new(Outcome::Interrupted, "ended without a result");
    }
    said.without_end()
}

fn error(result: &Value) -> Fault {
    let reason = [text(result, "terminal_reason"), text(result, "subtype")];
    let errors = result.get("errors").and_then(Value::as_array).into_iter().flatten();
    let errors: Vec<_> = errors.filter_map(Value::as_str).collect();
    let message =
        Some(text(result, "result").to_owned()).filter(|t| !t.is_empty()).unwrap_or(errors.join("; "));
    let is = |word: &str| reason.iter().any(|r| r.contains(word));
    if is("max_turns") || is("budget") {
        return Fault::new(Outcome::MaxTurns, message);
    }
    let status = result.get("api_error_status").and_then(Value::as_u64);
    if status.is_none() && (is("aborted") || is("error_during_execution")) {
        return Fault::new(Outcome::Interrupted, message);
    }
    service_fault::of(status, &message)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// It truncates and hashes long folder names of projects; the session's name is enough.
pub(crate) fn record(place: &RecordLocation<'_>) -> Option<PathBuf> {
    let folder = place.folder_of("CLAUDE_CONFIG_DIR", ".claude")?.join("projects");
    let name = format!("{}.jsonl", place.session);
    only_file(&folder, 1, &|file| file == name)
}
