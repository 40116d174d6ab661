//! Compares the tasks of a session with its summaries, its own status, plan.json, the list's counters and the
//! manifest.

use super::reconcile::{conflict, saying};
use crate::formats::workflows::workflow::files::json;
use crate::formats::workflows::workflow::session;
use crate::formats::workflows::workflow::session::folders::LIST;
use crate::{Folder, Plan};
use serde_json::Value;
use std::path::Path;
use toolkit::Fail;
use wire::reconcile::Conflict;

/// A finished task has a summary, an open one has none.
pub(crate) fn summaries(folder: &Folder, plan: &Plan, conflicts: &mut Vec<Conflict>) {
    let names = folder.names(".summaries");
    if names.is_empty() {
        return;
    }
    for task in &plan.tasks {
        let own = format!("{}-summary.md", task.id).to_lowercase();
        let name = names.iter().find(|name| name.to_lowercase() == own);
        let line = saying(task.span.path.clone(), task.span.line, task.state.word());
        let found = match (name, task.state.is_settled()) {
            (Some(name), false) => {
                let there = saying(folder.seen(&format!(".summaries/{name}")), 1, "a summary of the work");
                conflict("summary-of-open-task", vec![line, there], "the list decides: not done")
            }
            (None, true) => {
                let none = saying(folder.seen(".summaries"), 1, "no summary of its own");
                conflict("done-without-summary", vec![line, none], "the list decides: done")
            }
            _ => continue,
        };
        conflicts.push(Conflict { task: Some(task.id.clone()), ..found });
    }
}

/// Compares the session's own status with its tasks and its location.
pub(crate) fn session(folder: &Folder, plan: &Plan, conflicts: &mut Vec<Conflict>) {
    let Some(status) = plan.extra.get("session").and_then(session::status) else { return };
    let own = saying(folder.seen(session::FILE), 1, format!("'{status}'"));
    let open = plan.tasks.iter().filter(|task| !task.state.is_settled()).count();
    let all = plan.tasks.len();
    let tasks = saying(folder.seen(LIST), 1, format!("{} of {all} tasks are done", all - open));
    if (open == 0) != (status == "completed") && (open == 0 || status == "completed") {
        conflicts.push(conflict("session-status", vec![own, tasks], "the list decides"));
    }
}

/// The status of an archived session must be completed.
pub(crate) fn archived(real: &Path, folder: &Folder, plan: &Plan, conflicts: &mut Vec<Conflict>) {
    let Some(status) = plan.extra.get("session").and_then(session::status) else { return };
    if is_archived(real) && status != "completed" {
        let says = vec![
            saying(folder.seen(session::FILE), 1, format!("'{status}'")),
            saying(folder.path.clone(), 1, "is archived"),
        ];
        conflicts.push(conflict("archived-session", says, "neither says anything about a task"));
    }
}

fn is_archived(real: &Path) -> bool {
    real.parent().and_then(Path::file_name).is_some_and(|place| place == "archives")
}

/// The ids and the count in plan.json.
pub(crate) fn plan_file(folder: &Folder, plan: &Plan, conflicts: &mut Vec<Conflict>) -> Result<(), Fail> {
    let Some(bytes) = folder.read("plan.json")? else { return Ok(()) };
    let path = folder.seen("plan.json");
    let value = match json::read(&bytes) {
        Ok(json) => json.value,
        Err(broken) => {
            let says = vec![saying(path, broken.line, format!("is no JSON: {}", broken.message))];
            conflicts.push(conflict("broken-json", says, "the file is not read"));
            return Ok(());
        }
    };
    let ids = json::strings(value.get("task_ids"));
    if ids.is_empty() {
        return Ok(());
    }
    let known = |id: &str| plan.tasks.iter().any(|task| task.id.as_str() == id);
    let more: Vec<&str> = ids.iter().copied().filter(|id| !known(id)).collect();
    let less = plan.tasks.iter().map(|task| task.id.as_str()).filter(|id| !ids.contains(id));
    let less: Vec<&str> = less.collect();
    for (names, what) in [(more, "names tasks that the list has not"), (less, "leaves out tasks of the list")]
    {
        if !names.is_empty() {
            let says = vec![saying(path.clone(), 1, format!("{what}: {}", names.join(", ")))];
            conflicts.push(conflict("plan-file-tasks", says, "the list decides which tasks there are"));
        }
    }
    Ok(())
}

/// The counters in a list: `**Completed**: 3`, `| Pending | 5 |`.
pub(crate) fn counters(folder: &Folder, plan: &Plan, conflicts: &mut Vec<Conflict>) -> Result<(), Fail> {
    let bytes = folder.read(LIST)?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let all = plan.tasks.iter().filter(|task| task.kind != wire::plan::Kind::Container).count() as u64;
    let done = plan.tasks.iter().filter(|task| task.kind != wire::plan::Kind::Container);
    let done = done.filter(|task| task.state.is_settled()).count() as u64;
    for (number, line) in text.lines().enumerate() {
        let Some((name, count)) = counter(line) else { continue };
        let real = match name.as_str() {
            "total" | "total tasks" | "总任务" | "总任务数" => all,
            "completed" | "已完成" => done,
            "pending" | "待处理" | "待执行" => all - done,
            _ => continue,
        };
        if real != count {
            let what = format!("'{name}' is {count}, the boxes say {real}");
            let says = vec![saying(folder.seen(LIST), number as u64 + 1, what)];
            conflicts.push(conflict("stale-counter", says, "the boxes decide"));
        }
    }
    Ok(())
}

fn counter(line: &str) -> Option<(String, u64)> {
    let bare = line.trim().trim_start_matches(['-', '*', '|', '>', ' ']);
    let at = bare.find([':', '：', '|'])?;
    let name = bare.get(..at)?.trim_matches(['*', ' ', '|']).to_lowercase();
    let rest = bare.get(at..)?.trim_start_matches([':', '：', '|', '*', ' ']);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = rest.get(digits..)?;
    // Skip ratios and dates.
    let plain = !after.starts_with(['/', '-', '.', '%']);
    Some((name, rest.get(..digits)?.parse().ok()?)).filter(|_| plain)
}

/// The archive's manifest, and a session that exists in two places.
pub(crate) fn manifest(
    home: &Folder,
    real: &Path,
    session: &Folder,
    plan: &Plan,
    conflicts: &mut Vec<Conflict>,
) -> Result<(), Fail> {
    let name = real.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let archived = is_archived(real);
    if home.has(&format!("active/{name}")) && home.has(&format!("archives/{name}")) {
        let says = vec![
            saying(home.seen(&format!("active/{name}")), 1, "is active"),
            saying(home.seen(&format!("archives/{name}")), 1, "is archived"),
        ];
        conflicts.push(conflict("session-in-two-places", says, "the one that was named is read"));
    }
    let Some(bytes) = home.read("archives/manifest.json")? else { return Ok(()) };
    let path = home.seen("archives/manifest.json");
    let Ok(json) = json::read(&bytes) else {
        let says = vec![saying(path, 1, "is no JSON")];
        conflicts.push(conflict("broken-json", says, "the file is not read"));
        return Ok(());
    };
    let list = json.value.get("sessions").unwrap_or(&json.value).as_array();
    let own = |entry: &&Value| entry.get("session_id").and_then(Value::as_str) == Some(name);
    let entry = list.into_iter().flatten().find(own);
    let done = plan.tasks.iter().filter(|task| task.state.is_settled()).count() as u64;
    match entry {
        None if archived => {
            let says = vec![saying(path, 1, "has no entry for the session")];
            conflicts.push(conflict("not-in-manifest", says, "the folder is there"));
        }
        Some(entry) => {
            let count = entry.pointer("/metrics/tasks_completed").and_then(Value::as_u64);
            if let Some(count) = count.filter(|count| *count != done) {
                let says = vec![
                    saying(path.clone(), 1, format!("{count} tasks completed")),
                    saying(session.seen(LIST), 1, format!("{done} tasks are done")),
                ];
                conflicts.push(conflict("manifest-count", says, "the list decides"));
            }
            if !archived {
                let says = vec![
                    saying(path, 1, "the session is archived"),
                    saying(session.path.clone(), 1, "is active"),
                ];
                conflicts.push(conflict("manifest-place", says, "the folder's place decides"));
            }
        }
        None => {}
    }
    Ok(())
}
