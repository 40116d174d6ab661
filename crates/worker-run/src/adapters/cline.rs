//! Cline CLI: `cline -y --json`, second and third generation.

use crate::adapters::adapter::{Ask, RecordLocation, events, flag, words};
use crate::adapters::reading::{ClientOutput, Fault, Reading};
use crate::adapters::service_fault;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use wire::order::Outcome;

pub(crate) fn arguments(ask: &Ask<'_>) -> Vec<OsString> {
    let mut all = words(["--yolo", "--json"]);
    flag(&mut all, "--model", ask.model);
    all
}

pub(crate) fn environment(_: &Ask<'_>) -> Vec<(&'static str, String)> {
    vec![("DO_NOT_TRACK", "1".to_owned()), ("CLINE_TELEMETRY_DISABLED", "1".to_owned())]
}

pub(crate) fn read(said: &ClientOutput<'_>) -> Reading {
    let mut reading = Reading::default();
    let mut ended = false;
    for event in events(said.stdout) {
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        match (text("/type"), text("/say")) {
            ("say", "completion_result") => {
                ended = true;
                reading.fault = None;
                text("/text").clone_into(&mut reading.text);
            }
            ("task_started", _) => reading.session = Some(text("/taskId").to_owned()),
            ("error", _) => {
                ended = true;
                reading.fault = Some(error(text("/message")));
            }
            ("run_result", _) => {
                ended = true;
                text("/text").clone_into(&mut reading.text);
                reading.model = Some(text("/model/id").to_owned()).filter(|model| !model.is_empty());
                reading.cost = event.pointer("/usage/totalCost").and_then(Value::as_f64);
                reading.fault = by_reason(text("/finishReason"), text("/text"));
            }
            _ => {}
        }
    }
    if !ended || (reading.fault.is_none() && said.exit != Some(0)) {
        reading.fault = Some(said.without_end());
    }
    reading
}

/// How a run of the third generation ended.
fn by_reason(reason: &str, text: &str) -> Option<Fault> {
    match reason {
        "completed" => None,
        "max_iterations" | "max-iterations" => Some(Fault::new(Outcome::MaxTurns, "its turns are used up")),
        "aborted" => Some(Fault::new(Outcome::Interrupted, "aborted")),
        _ => Some(service_fault::of(None, text)),
    }
}

fn error(message: &str) -> Fault {
    if message.contains("Too many consecutive mistakes") {
        return Fault::new(Outcome::MaxTurns, message);
    }
    service_fault::of(None, message)
}

/// The second generation keeps each task in a folder of its own; the third does not tell the name of its session.
pub(crate) fn record(place: &RecordLocation<'_>) -> Option<PathBuf> {
    let data = place.folder_of("CLINE_DIR", ".cline")?.join("data");
    let folder = data.join("tasks").join(place.session);
    if !place.session.is_empty() && folder.is_dir() {
        return Some(folder);
    }
    asked(&data.join("sessions"), place.tree, &place.folder.join("prompt.md"))
}

/// The conversation of the latest session that was asked this in this tree; the names of sessions begin with their time.
fn asked(sessions: &Path, tree: &Path, prompt: &Path) -> Option<PathBuf> {
    let prompt = std::fs::read_to_string(prompt).ok()?;
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(sessions).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    folders.into_iter().rev().find_map(|folder| {
        let name = folder.file_name()?.to_str()?.to_owned();
        let about = std::fs::read(folder.join(format!("{name}.json"))).ok()?;
        let about: Value = serde_json::from_slice(&about).ok()?;
        let said = |name: &str| about.get(name).and_then(Value::as_str).unwrap_or_default();
        let is_ours = said("prompt").trim() == prompt.trim() && Path::new(said("cwd")) == tree;
        Some(folder.join(format!("{name}.messages.json"))).filter(|path| is_ours && path.is_file())
    })
}
