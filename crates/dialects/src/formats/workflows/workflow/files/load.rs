//! Fills a task from its own file when it is handed out.
//!
//! The list decides which tasks exist and their state; the file gives the details. Fields that are not handled here
//! stay unchanged in the task's `extra` under `task_file`.

use super::{criteria, json};
use crate::formats::workflows::workflow::files::task_json::{Detail, generation};
use serde_json::Value;
use toolkit::files::sha;
use wire::plan::{Diagnostic, FileUse, Severity, Span};
use wire::{Fingerprint, Task};

/// Reads the file into the task. `path` is relative to the root.
pub(crate) fn fill(detail: &Detail, value: &Value, path: &str, task: &mut Task, found: &mut Vec<Diagnostic>) {
    let file = Span { path: path.into(), line: 1, start: 0, end: detail.bytes.len() as u64 };
    criteria::read(value, &file, &detail.bytes, task);
    agent(value, task);
    group(value, path, task, found);
    steps(value, task);
    files(value, task);
    let focus = json::strings(value.pointer("/context/focus_paths").or_else(|| value.get("focus_paths")));
    task.references.extend(focus.into_iter().map(str::to_owned));
    task.must_not.extend(json::strings(value.get("excludes")).into_iter().map(str::to_owned));
    task.extra.insert("generation".to_owned(), generation(value).into());
    task.extra.insert("task_file".to_owned(), value.clone());
}

/// The fingerprint including the requirements in the file.
pub(crate) fn seal(detail: &Detail, fingerprint: &Fingerprint) -> Fingerprint {
    let digest = match &detail.value {
        Ok(value) => json::digest(value),
        Err(_) => sha::hex(&detail.bytes),
    };
    let hash = sha::Hasher::new().with(fingerprint.as_str().as_bytes()).with(b"\0").with(digest.as_bytes());
    Fingerprint(format!("fp1:{}", hash.finish()))
}

/// The agent that the file names, otherwise the agent for the task's type.
pub(crate) fn agent(value: &Value, task: &mut Task) {
    let named = value.pointer("/meta/agent").or_else(|| value.get("agent")).and_then(Value::as_str);
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        task.agent = Some(named.to_owned());
        return;
    }
    let kind = value.pointer("/meta/type").or_else(|| value.get("type")).and_then(Value::as_str);
    if let Some(agent) = kind.and_then(agent_of).filter(|_| task.agent.is_none()) {
        task.agent = Some(agent.to_owned());
        task.extra.insert("agent_from".to_owned(), "meta.type".into());
    }
}

fn agent_of(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "feature" | "bugfix" | "refactor" | "test-gen" | "enhancement" | "fix" | "infrastructure" => {
            "@code-developer"
        }
        "test-fix" => "@test-fix-agent",
        "review" => "@universal-executor",
        "docs" => "@doc-generator",
        _ => return None,
    })
}

/// The group; the template's own example is ignored, since it was often copied unchanged.
pub(crate) fn group(value: &Value, path: &str, task: &mut Task, found: &mut Vec<Diagnostic>) {
    risk(value, task);
    let named = ["/meta/execution_group", "/execution_group", "/parallel_group"];
    let Some(named) = named.iter().find_map(|at| value.pointer(at)).filter(|named| !named.is_null()) else {
        return;
    };
    let name = named.as_str().map_or_else(|| named.to_string(), str::to_owned);
    if matches!(name.as_str(), "parallel-abc123" | "parallel-xyz456") {
        let message = format!("group '{name}' is the template's example and is not taken");
        found.push(note(Severity::Hint, "placeholder-group", message, path, task));
    } else if !name.is_empty() {
        task.group = Some(name);
    }
}

/// What the file says about risk and priority: a critical task and one of high risk run alone in the fallback.
fn risk(value: &Value, task: &mut Task) {
    for (name, keys) in [("risk", ["risk", "risk_level"].as_slice()), ("priority", &["priority"])] {
        let places = ["", "/meta", "/context"];
        let words = places.iter().flat_map(|place| keys.iter().map(move |key| format!("{place}/{key}")));
        let word = words.into_iter().find_map(|at| value.pointer(&at)?.as_str().map(str::to_lowercase));
        if let Some(word) = word {
            // A risk is called critical as often as high.
            let word = if name == "risk" && word == "critical" { "high".to_owned() } else { word };
            task.extra.insert(name.to_owned(), word.into());
        }
    }
}

fn steps(value: &Value, task: &mut Task) {
    let places = [
        "/flow_control/implementation_approach",
        "/context/implementation_approach",
        "/implementation",
        "/implementation_steps",
    ];
    let list = places.iter().find_map(|at| value.pointer(at)?.as_array());
    for step in list.into_iter().flatten() {
        let text = match step {
            Value::String(text) => text.clone(),
            Value::Object(map) => {
                let part = |key: &str| map.get(key).and_then(Value::as_str).unwrap_or_default();
                let parts: Vec<&str> = [part("title"), part("description")]
                    .into_iter()
                    .filter(|part| !part.is_empty())
                    .collect();
                parts.join(": ")
            }
            _ => continue,
        };
        task.steps.extend(Some(text).filter(|text| !text.is_empty()));
    }
}

/// `file:function:lines` is a file; the worker gets the complete entry.
fn files(value: &Value, task: &mut Task) {
    let targets = value.pointer("/flow_control/target_files").or_else(|| value.get("target_files"));
    for target in json::strings(targets) {
        let path = target.split(':').next().unwrap_or(target).trim();
        push(task, path, "write");
    }
    for file in value.get("files").and_then(Value::as_array).into_iter().flatten() {
        let path = file.as_str().or_else(|| file.get("path")?.as_str()).unwrap_or_default();
        push(task, path, file.get("action").and_then(Value::as_str).unwrap_or("write"));
    }
}

fn push(task: &mut Task, path: &str, action: &str) {
    if !path.is_empty() && !task.files.iter().any(|file| file.path == path) {
        task.files.push(FileUse { path: path.into(), action: action.to_owned() });
    }
}

/// A diagnostic about a task file.
pub(crate) fn note(
    severity: Severity,
    code: &'static str,
    message: String,
    path: &str,
    task: &Task,
) -> Diagnostic {
    Diagnostic {
        severity,
        code: code.to_owned(),
        message,
        path: path.into(),
        line: 1,
        column: None,
        task: Some(task.id.clone()),
        offer: None,
    }
}
