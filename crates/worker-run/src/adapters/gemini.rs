//! Gemini CLI: `gemini --output-format stream-json`.
//!
//! It exits with 0 when asked to stop, and with the status code modulo 256 when the service failed; then the JSON is
//! on stderr. It refuses to work in a folder that it was not told to trust, even if the command line allows
//! everything; naming it as the worker of a plan implies trusting the folder. A session could be continued, but then
//! the client considers its record broken and removes it at the next start; so it is not asked again.

use crate::adapters::adapter::{Ask, RecordLocation, document, events, flag, only_file, words};
use crate::adapters::reading::{ClientOutput, Fault, Reading};
use crate::adapters::service_fault;
use config::workers::Permissions;
use serde_json::Value;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use wire::order::Outcome;

/// Its exit codes with a meaning beyond "failed".
const EXITS: [(i32, Outcome); 3] = [(41, Outcome::AuthError), (53, Outcome::MaxTurns), (55, Outcome::Denied)];

/// Its tools that it does not offer in non-interactive runs without permission.
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

pub(crate) fn read(said: &ClientOutput<'_>) -> Reading {
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
                // The pieces of one message are consecutive.
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

/// Whether a call failed for lack of permission. An unknown tool is the model's mistake.
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
    service_fault::of(code, message)
}

fn without_result(said: &ClientOutput<'_>) -> Fault {
    let at = said.stderr.rfind("\n{\n").map_or(0, |at| at + 1);
    let report: Option<Value> = serde_json::from_str(said.stderr[at..].trim()).ok();
    if let Some(reported) = report.as_ref().and_then(|document| document.get("error")) {
        return error(reported);
    }
    if let Some((_, outcome)) = EXITS.iter().find(|(exit, _)| said.exit == Some(*exit)) {
        return Fault::new(*outcome, format!("exit {}", said.exit.unwrap_or_default()));
    }
    // It was stopped during a retry.
    if let Some(code) = service_fault::code_in(said.stderr) {
        return service_fault::of(Some(code), &format!("the service answered {code}"));
    }
    if said.exit == Some(0) {
        return Fault::new(Outcome::Interrupted, "ended without a result");
    }
    said.without_end()
}

/// The name of the file contains the beginning of the session's name.
pub(crate) fn record(place: &RecordLocation<'_>) -> Option<PathBuf> {
    let folder = PathBuf::from((place.variable)("HOME")?).join(".gemini/tmp");
    let short = format!("-{}", place.session.get(..8)?);
    let fits = |file: &str| {
        let stem = file.strip_suffix(".jsonl").or_else(|| file.strip_suffix(".json"));
        file.starts_with("session-") && stem.is_some_and(|stem| stem.ends_with(&short))
    };
    only_file(&folder, 2, &fits)
}
