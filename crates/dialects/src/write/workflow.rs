//! A session: the line of `TODO_LIST.md`, the task's own file, and workflow-session.json.
//!
//! The list decides; the two files follow it, so that their readers see the same state. A file that is not JSON is
//! left unchanged.

use super::member::Document;
use super::{Change, Edit, boxes, bytes_of, in_folder};
use crate::PlanSnapshot;
use crate::data::json::Json;
use markdown::{Extent, links};
use serde_json::{Value, json};
use toolkit::Fail;
use wire::plan::{Kind, Span};
use wire::{State, Task};

/// The edits of all three files.
pub(crate) fn edits(field: &PlanSnapshot, change: &Change) -> Result<Vec<Edit>, Fail> {
    let mut edits = boxes::edits(field, change)?;
    if let Some(span) = &change.task.mark
        && let Some(link) = summary_link(field, change, span)
    {
        // The link may go where the note of an error ends: one edit does both.
        match edits
            .iter_mut()
            .find(|edit| edit.path == link.path && edit.start == link.start && link.end == link.start)
        {
            Some(edit) => edit.text.insert_str(0, &link.text),
            None => edits.push(link),
        }
    }
    if let Some(detail) = &change.task.detail {
        edits.extend(task_file(field, change.state, change.now, &detail.path)?);
    }
    edits.extend(containers(field, change)?);
    edits.extend(session_file(field, change)?);
    Ok(edits)
}

/// `| [✅](./.summaries/ID-summary.md)` after the link to the task's file, as in the list's template; removed when the
/// task is open again.
fn summary_link(field: &PlanSnapshot, change: &Change, span: &Span) -> Option<Edit> {
    let (path, bytes) = field.files.iter().find(|(path, _)| *path == span.path)?;
    let start = usize::try_from(span.end).unwrap_or(usize::MAX);
    let rest = bytes.get(start..).unwrap_or_default();
    let len = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    let line = std::str::from_utf8(rest.get(..len)?).ok()?;
    let edit = |at: Extent, text: &str| Edit {
        path: path.clone(),
        start: start + at.start,
        end: start + at.end,
        text: text.to_owned(),
    };
    let name = format!(".summaries/{}-summary.md", change.task.key);
    let links = links::links(line);
    let target = |link: &links::Link| line.get(link.target.start..link.target.end).unwrap_or_default();
    let own = links.iter().find(|link| target(link).trim_start_matches("./") == name);
    if change.state != State::Completed {
        // Remove only our own link; keep all others.
        let before = own.map(|own| line.get(..own.at.start).unwrap_or_default());
        let join = before.and_then(|before| [" | ", " → "].into_iter().find(|join| before.ends_with(join)));
        let cut =
            own.zip(join).filter(|(own, _)| line.get(own.at.start..).is_some_and(|l| l.starts_with("[✅](")));
        return cut.map(|(own, join)| edit(Extent { start: own.at.start - join.len(), end: own.at.end }, ""));
    }
    let written = bytes_of(field, &in_folder(field, &name)).is_ok_and(|bytes| !bytes.is_empty());
    if own.is_some() || links.iter().any(|link| links::is_summary(target(link))) || !written {
        return None;
    }
    let task = links.iter().rev().find(|link| links::is_task(target(link)));
    let end = task.map_or_else(|| line.trim_end().len(), |task| task.at.end);
    let join = if task.is_some() { " |" } else { " →" };
    Some(edit(Extent { start: end, end }, &format!("{join} [✅](./{name})")))
}

/// The files of the tasks that this one is a part of: without a box of their own they are as far as their parts.
fn containers(field: &PlanSnapshot, change: &Change) -> Result<Vec<Edit>, Fail> {
    let tasks = &field.plan.tasks;
    let above = |task: &Task| {
        let parent = task.parent.as_ref()?;
        tasks.iter().find(|other| other.id == *parent && other.id != task.id)
    };
    let state = |task: &Task| if task.id == change.task.id { change.state } else { task.state };
    let mut edits = Vec::new();
    let mut outer = above(change.task);
    for _ in 0..tasks.len() {
        let Some(container) = outer else { break };
        let is_part = |task: &Task| {
            std::iter::successors(Some(task), |task| above(task))
                .skip(1)
                .take(tasks.len())
                .any(|task| task.id == container.id)
        };
        let parts = tasks.iter().filter(|task| task.kind != Kind::Container && is_part(task)).map(state);
        let parts: Vec<State> = parts.collect();
        let whole = match () {
            () if parts.iter().all(|state| state.is_settled()) => State::Completed,
            () if parts.iter().all(|state| *state == State::Pending) => State::Pending,
            () => State::InProgress,
        };
        if let Some(detail) = container.detail.as_ref().filter(|_| container.mark.is_none()) {
            edits.extend(task_file(field, whole, change.now, &detail.path)?);
        }
        outer = above(container);
    }
    Ok(edits)
}

/// `status` and another entry in `status_history`.
fn task_file(field: &PlanSnapshot, state: State, now: &str, path: &str) -> Result<Vec<Edit>, Fail> {
    let bytes = bytes_of(field, path)?;
    let Some(document) = Document::new(path, &bytes) else { return Ok(Vec::new()) };
    let root = document.root();
    let (from, to) = (root.text("status"), word(state));
    if from == to || (from.is_empty() && state == State::Pending) {
        return Ok(Vec::new());
    }
    let from = if from.is_empty() { "pending" } else { from };
    let step = json!({ "from": from, "to": to, "changed_at": now });
    let history = match root.get("status_history") {
        Some(list) if matches!(list.value, Json::List(_)) => document.push(list, &step, root),
        _ => document.set(root, "status_history", &json!([step]), "status"),
    };
    let status = document.set(root, "status", &Value::from(to), "title");
    // If both are new they have the same position; one edit keeps their order.
    if status.start == history.start && status.end == history.end {
        let text = format!("{}{}", status.text, history.text);
        return Ok(vec![Edit { text, ..status }]);
    }
    Ok(vec![status, history])
}

/// The word of a state in a task's file, where work in progress is `active`.
fn word(state: State) -> &'static str {
    match state {
        State::InProgress => "active",
        other => other.word(),
    }
}

/// A session is active from its first task on, and records when; its progress follows the list.
fn session_file(field: &PlanSnapshot, change: &Change) -> Result<Vec<Edit>, Fail> {
    let path = in_folder(field, "workflow-session.json");
    let bytes = bytes_of(field, &path)?;
    let Some(document) = Document::new(&path, &bytes).filter(|d| !d.root().members().is_empty()) else {
        return Ok(Vec::new());
    };
    let root = document.root();
    let mut edits = Vec::new();
    let begun = matches!(change.state, State::InProgress | State::Completed);
    if begun && !ACTIVE.contains(&root.text("status")) {
        edits.push(document.set(root, "status", &Value::from("active"), "session_id"));
        if root.get("execution_started_at").is_none() {
            edits.push(document.set(root, "execution_started_at", &Value::from(change.now), "status"));
        }
    }
    edits.extend(progress(field, change, &document));
    if root.get("updated_at").is_some() && !edits.is_empty() {
        edits.push(document.set(root, "updated_at", &Value::from(change.now), "status"));
    }
    // Two inserts at one position would depend on their order; a replacement never has the position of an insert.
    edits.dedup_by(|a, b| (a.start, a.end) == (b.start, b.end));
    Ok(edits)
}

/// The counts that the session's own file keeps, as they are after the change.
fn progress(field: &PlanSnapshot, change: &Change, document: &Document) -> Vec<Edit> {
    let Some(own) = document.root().get("progress") else { return Vec::new() };
    let tasks = field.plan.tasks.iter().filter(|task| task.kind != Kind::Container);
    let states: Vec<State> =
        tasks.map(|task| if task.id == change.task.id { change.state } else { task.state }).collect();
    let done = states.iter().filter(|state| state.is_settled()).count();
    let counts = [(["completed_count", "completed"], done), (["total_count", "total"], states.len())];
    let found = counts.into_iter().filter_map(|(names, count)| {
        let (name, node) = names.into_iter().find_map(|name| Some((name, own.get(name)?)))?;
        let is_old = matches!(&node.value, Json::Number(text) if *text != count.to_string());
        is_old.then(|| document.set(own, name, &Value::from(count), name))
    });
    found.collect()
}

/// The status of a session that is carried out, or was.
const ACTIVE: &[&str] = &["active", "completed", "archived"];
