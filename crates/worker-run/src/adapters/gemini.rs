//! Gemini CLI: `gemini --output-format stream-json`.
//!
//! It exits with 0 when it was told to stop, and with the status code modulo 256 when the service failed; then the
//! JSON is on stderr. A folder that nobody told it to trust it refuses, in the middle of a command line that asks for
//! everything; who names it as the worker of a plan trusts the folder. A session could be gone on with, but when it is,
//! the client takes its record for a broken one and removes it with the next start; so it is not asked again.

use crate::adapter::{Ask, Place, document, events, flag, only_file, words};
use crate::fault;
use crate::reading::{Fault, Reading, Said};
use serde_json::Value;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use toolkit::workers::Permissions;
use wire::order::Outcome;

/// Its own exit codes that say more than "failed".
const EXITS: [(i32, Outcome); 3] = [(41, Outcome::AuthError), (53, Outcome::MaxTurns), (55, Outcome::Denied)];

/// Tools of its own that it does not offer where nobody could be asked about them.
const WITHHELD: [&str; 5] = ["run_shell_command", "write_file", "replace", "web_fetch", "google_web_search"];

pub(crate) fn arguments(ask: &Ask<'_>) -> Vec<OsString> {
    let mut all = words(["--output-format", "stream-json", "--approval-mode"]);
    all.push(match ask.permissions {
        Permissions::Edit => "auto_edit".into(),
        Permissions::All => "yolo".into(),
    });
    flag(&mut all, "--model", ask.model);
    all
}

pub(crate) fn environment(_: &Ask<'_>) -> Vec<(&'static str, String)> {
    [
        ("GEMINI_TELEMETRY_ENABLED", "false"),
        ("GEMINI_CLI_NO_RELAUNCH", "true"),
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ("DO_NOT_TRACK", "1"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .to_vec()
}

pub(crate) fn takes(model: &str) -> bool {
    model.starts_with("gemini")
}

pub(crate) fn read(said: &Said<'_>) -> Reading {
    let mut reading = Reading::default();
    if let Some(document) = document(said.stdout)
        && document.get("type").is_none()
    {
        return of_document(&document);
    }
    let mut ended = false;
    let mut calls = HashMap::new();
    for event in events(said.stdout) {
        let text = |name: &str| event.get(name).and_then(Value::as_str);
        match text("type").unwrap_or_default() {
            "init" => {
                reading.session = text("session_id").map(str::to_owned);
                reading.model = text("model").map(str::to_owned);
            }
            "message" if text("role") == Some("assistant") => {
                // Pieces of one message follow each other.
                if event.get("delta") != Some(&Value::Bool(true)) {
                    reading.text.clear();
                }
                reading.text.push_str(text("content").unwrap_or_default());
            }
            "tool_use" => {
                reading.text.clear();
                calls.extend(pair(&event, "tool_id", "tool_name"));
            }
            "tool_result" => {
                let tool = text("tool_id").and_then(|id| calls.get(id)).filter(|tool| refused(&event, tool));
                reading.denied.extend(tool.filter(|tool| !reading.denied.contains(*tool)).cloned());
            }
            "result" => {
                ended = true;
                if text("status") != Some("success") {
                    reading.fault = Some(error(event.get("error").unwrap_or(&Value::Null)));
                }
            }
            _ => {}
        }
    }
    if !ended {
        reading.fault = Some(without_result(said));
    }
    reading
}

fn pair(event: &Value, key: &str, value: &str) -> Option<(String, String)> {
    Some((event.get(key)?.as_str()?.to_owned(), event.get(value)?.as_str()?.to_owned()))
}

/// Whether a call failed because it was not allowed. A tool that nobody has heard of is the model's mistake.
fn refused(result: &Value, tool: &str) -> bool {
    match result.pointer("/error/type").and_then(Value::as_str) {
        Some("policy_violation") => true,
        Some("tool_not_registered") => WITHHELD.contains(&tool),
        _ => false,
    }
}

fn of_document(document: &Value) -> Reading {
    let text = |name: &str| document.get(name).and_then(Value::as_str).map(str::to_owned);
    let rejected =
        document.pointer("/stats/tools/totalDecisions/reject").and_then(Value::as_u64).unwrap_or(0);
    Reading {
        text: text("response").unwrap_or_default(),
        session: text("session_id"),
        fault: document.get("error").map(error),
        denied: if rejected > 0 { vec![format!("{rejected} calls")] } else { Vec::new() },
        ..Reading::default()
    }
}

fn error(error: &Value) -> Fault {
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let code = error.get("code").and_then(Value::as_u64);
    if let Some((_, outcome)) = EXITS.iter().find(|(exit, _)| code == u64::try_from(*exit).ok()) {
        return Fault::new(*outcome, message);
    }
    fault::of(code, message)
}

fn without_result(said: &Said<'_>) -> Fault {
    let at = said.stderr.rfind("\n{\n").map_or(0, |at| at + 1);
    let report: Option<Value> = serde_json::from_str(said.stderr[at..].trim()).ok();
    if let Some(reported) = report.as_ref().and_then(|document| document.get("error")) {
        return error(reported);
    }
    if let Some((_, outcome)) = EXITS.iter().find(|(exit, _)| said.exit == Some(*exit)) {
        return Fault::new(*outcome, format!("exit {}", said.exit.unwrap_or_default()));
    }
    // It was in the middle of trying again when it was stopped.
    if let Some(code) = fault::code_in(said.stderr) {
        return fault::of(Some(code), &format!("the service answered {code}"));
    }
    if said.exit == Some(0) {
        return Fault::new(Outcome::Interrupted, "ended without a result");
    }
    said.without_end()
}

/// The name of the file has the beginning of the session's name.
pub(crate) fn record(place: &Place<'_>) -> Option<PathBuf> {
    let folder = PathBuf::from((place.variable)("HOME")?).join(".gemini/tmp");
    let short = format!("-{}", place.session.get(..8)?);
    let fits = |file: &str| {
        let stem = file.strip_suffix(".jsonl").or_else(|| file.strip_suffix(".json"));
        file.starts_with("session-") && stem.is_some_and(|stem| stem.ends_with(&short))
    };
    only_file(&folder, 2, &fits)
}
