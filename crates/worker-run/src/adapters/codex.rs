//! Codex CLI: `codex exec --json`.
//!
//! There is no final result: the answer is the last message, and `turn.completed` or `turn.failed` is the end.

use crate::adapters::adapter::{Ask, RecordLocation, events, flag, only_file, words};
use crate::adapters::reading::{ClientOutput, Fault, Reading};
use crate::adapters::service_fault;
use config::workers::Permissions;
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use wire::order::Outcome;

pub(crate) fn arguments(ask: &Ask<'_>) -> Vec<OsString> {
    let mut all = words(["exec", "--json", "--skip-git-repo-check"]);
    all.extend(rights(ask));
    flag(&mut all, "--model", ask.model);
    all.push("-".into());
    all
}

pub(crate) fn again(ask: &Ask<'_>, session: &str) -> Vec<OsString> {
    let mut all = words(["exec", "--json", "--skip-git-repo-check"]);
    all.extend(rights(ask));
    flag(&mut all, "--model", ask.model);
    all.extend(words(["resume", session, "-"]));
    all
}

fn rights(ask: &Ask<'_>) -> Vec<OsString> {
    match ask.permissions {
        Permissions::Edit => words(["--sandbox", "workspace-write"]),
        Permissions::All => words(["--dangerously-bypass-approvals-and-sandbox"]),
    }
}

pub(crate) fn environment(_: &Ask<'_>) -> Vec<(&'static str, String)> {
    vec![("DO_NOT_TRACK", "1".to_owned())]
}

pub(crate) fn takes(model: &str) -> bool {
    ["gpt", "codex", "o1", "o3", "o4"].iter().any(|word| model.starts_with(word))
}

pub(crate) fn read(said: &ClientOutput<'_>) -> Reading {
    let mut reading = Reading::default();
    let mut ended = false;
    for event in events(said.stdout) {
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "thread.started" => reading.session = text("/thread_id"),
            "turn.started" => ended = false,
            "turn.completed" => {
                ended = true;
                reading.fault = None;
            }
            "turn.failed" => {
                ended = true;
                reading.fault = Some(service_fault::of(None, &text("/error/message").unwrap_or_default()));
            }
            "item.completed" if text("/item/type").as_deref() == Some("agent_message") => {
                reading.text = text("/item/text").unwrap_or_default();
            }
            _ => {}
        }
    }
    if !ended {
        reading.fault = Some(without_end(said, reading.session.is_some()));
    }
    reading
}

/// An interrupted turn has no end and exit code 1; without a session it never began.
fn without_end(said: &ClientOutput<'_>, begun: bool) -> Fault {
    if begun && said.exit == Some(1) {
        return Fault::new(Outcome::Interrupted, "the turn has no end");
    }
    said.without_end()
}

pub(crate) fn record(place: &RecordLocation<'_>) -> Option<PathBuf> {
    let folder = place.folder_of("CODEX_HOME", ".codex")?.join("sessions");
    let end = format!("-{}.jsonl", place.session);
    only_file(&folder, 3, &|file| file.starts_with("rollout-") && file.ends_with(&end))
}
