//! The fix prompt: the measurements of the last failed attempt, and its claims.

use crate::case::Case;
use crate::packet::earlier_attempts;
use crate::packet::inputs::shown;
use crate::prompt::block::Block;
use crate::prompt::quote::{below, boundary, code, code_or_fence, line};
use crate::prompt::slots::rank;
use crate::prompt::template::Slots;
use ledger::task_history::UNDONE;
use serde_json::Value;
use std::fmt::Write;
use toolkit::Fail;

/// How much of the end of an output to show; the log has all of it.
const TAIL: usize = 4000;

/// How many files of the last attempt are named.
const MADE: usize = 50;

/// Adds what is known about the last failure.
pub(crate) fn add(case: &Case<'_>, slots: &mut Slots) -> Result<(), Fail> {
    let Some(failure) = &case.order.last_failure else { return Ok(()) };
    let text = |at: &str| failure.pointer(at).map(shown).unwrap_or_default();
    let message = Some(line(&text("/halt/message"))).filter(|message| !message.is_empty());
    let message = message.unwrap_or_else(|| "no reason is on record".to_owned());
    let is_undone = failure.pointer("/halt/code").and_then(Value::as_str) == Some(UNDONE);
    slots.word(if is_undone { "undone" } else { "failure" }, message);
    slots.word("failure_stage", line(&text("/halt/stage")));
    slots.word("failure_code", line(&text("/halt/code")));
    let packet = case.packet_path();
    let failed = rows(failure, "/detail/failed");
    let ids = failed.iter().filter_map(|row| row.get("id")?.as_str()?.strip_prefix("gate:"));
    slots.word("failed_gates", ids.map(line).collect::<Vec<_>>().join(", "));
    let failed = failed.iter().map(measured).collect();
    slots.block(Block::parts("failed", rank::FAILURE, failed).in_file(packet.clone()));
    let claims = rows(failure, "/detail/mismatches");
    let said = earlier_attempts::own(case)?.and_then(|own| {
        let status = own.text("status").unwrap_or("nothing").to_owned();
        Some(format!("- its worker said {}: {}", line(&status), line(own.text("summary")?)))
    });
    let claimed = claims.iter().map(|claim| format!("- {}", line(&shown(claim)))).chain(said).collect();
    slots.block(Block::parts("claimed", rank::FAILURE, claimed).in_file(packet.clone()));
    let made = earlier_attempts::own(case)?.map(|own| own.list("changed_files")).unwrap_or_default();
    let made = made.iter().take(MADE).map(|path| code(path)).collect::<Vec<_>>().join(", ");
    let made = (!made.is_empty()).then(|| format!("- files that it made or changed: {made}"));
    let notes = made.into_iter().chain(notes(failure)).collect();
    slots.block(Block::parts("failure_notes", rank::FAILURE, notes).in_file(packet));
    Ok(())
}

/// The rows of a list in the record of a failure.
pub(crate) fn rows(failure: &Value, at: &str) -> Vec<Value> {
    failure.pointer(at).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// One check: criterion, command, expectation, measurement, the end of its output.
fn measured(row: &Value) -> String {
    let text = |name: &str| row.get(name).map(shown).unwrap_or_default();
    let reason = Some(line(&text("reason"))).filter(|reason| !reason.is_empty() && reason != "null");
    let mut out = format!(
        "- {}\n  - run:{}\n  - expected: {}\n  - measured: {}",
        code(&text("id")),
        code_or_fence(&text("command")),
        line(&text("expect")),
        reason.unwrap_or_else(|| "not as expected".to_owned()),
    );
    if let Some(log) = row.get("log").and_then(Value::as_str) {
        // Writing to a string cannot fail.
        let _ = write!(out, "\n  - whole output: {}", code(log));
    }
    let tail = tail(row.get("tail"));
    if !tail.is_empty() {
        out.push_str(&below("text", &tail));
    }
    out
}

/// The last lines of an output, at most [`TAIL`] bytes.
fn tail(lines: Option<&Value>) -> String {
    let lines = match lines {
        Some(Value::Array(lines)) => lines.iter().map(shown).collect::<Vec<_>>().join("\n"),
        Some(Value::String(text)) => text.clone(),
        _ => String::new(),
    };
    let from = lines.len().saturating_sub(TAIL);
    let from = boundary(&lines, from);
    lines[from..].trim_end().to_owned()
}

/// Everything else that the stage recorded about the attempt: what is missing, what was touched, how its output
/// ended.
fn notes(failure: &Value) -> Vec<String> {
    const SHOWN: [&str; 3] = ["failed", "mismatches", "batch"];
    let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty) || value.is_null();
    let Some(detail) = failure.get("detail").and_then(Value::as_object) else { return Vec::new() };
    let mut out = Vec::new();
    for (name, value) in
        detail.iter().filter(|(name, value)| !SHOWN.contains(&name.as_str()) && !is_empty(value))
    {
        if name == "tail" {
            let tail = tail(Some(value));
            if !tail.is_empty() {
                out.push(format!("- how its output ended:{}", below("text", &tail)));
            }
            continue;
        }
        let text = shown(value);
        let text = &text[..boundary(&text, TAIL)];
        let name =
            if name == "made" { "files that the checks made".to_owned() } else { name.replace('_', " ") };
        out.push(format!("- {}:{}", line(&name), code_or_fence(text)));
    }
    out
}
