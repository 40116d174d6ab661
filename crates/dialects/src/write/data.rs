//! Tasks in data: sets the status word, or adds a member to a task without one.

use super::member::Document;
use super::{Change, Edit, boxes, no_mark};
use crate::data::json::Node;
use crate::states::words;
use crate::{PlanSnapshot, mark_for};
use serde_json::Value;
use toolkit::Fail;
use wire::State;

/// The edits of a task that is an object.
pub(crate) fn edits(field: &PlanSnapshot, change: &Change) -> Result<Vec<Edit>, Fail> {
    let dialect = field.plan.source.dialect.as_str();
    let marked = change.task.mark.as_ref().map(|span| said_at(field, span));
    let is_flag = marked.as_deref().is_some_and(|said| matches!(said, "true" | "false"));
    // A flag has no word between open and done.
    if is_flag && !matches!(change.state, State::Completed | State::Pending | State::Failed) {
        return Err(no_mark(field, change));
    }
    if let (true, Some(span)) = (is_flag, &change.task.mark) {
        return boxes::mark(field, change, span);
    }
    let said = mark_for(dialect, "status", change.state);
    // Refuse a word that would be read back as another state.
    if words::state(said) != Some(change.state) {
        return Err(no_mark(field, change));
    }
    if let Some(span) = &change.task.mark {
        return boxes::mark(field, change, span);
    }
    if change.state == State::Pending {
        return Ok(Vec::new());
    }
    let file = field.files.iter().find(|(path, _)| *path == change.task.span.path);
    let document = file.and_then(|(path, bytes)| Document::new(path, bytes));
    let start = usize::try_from(change.task.span.start).unwrap_or(usize::MAX);
    let found = document.as_ref().and_then(|document| Some((document, at(document.root(), start)?)));
    let Some((document, task)) = found else {
        return Err(Fail::data("no-box", format!("task '{}' has no status", change.task.id)));
    };
    Ok(vec![document.set(task, "status", &Value::from(said), "id")])
}

/// The bytes of a mark.
fn said_at(field: &PlanSnapshot, span: &wire::plan::Span) -> String {
    let file = field.files.iter().find(|(path, _)| *path == span.path);
    String::from_utf8_lossy(file.map_or(&[][..], |(_, bytes)| crate::body(bytes, span))).into_owned()
}

/// The object that begins at an offset.
fn at(node: &Node, start: usize) -> Option<&Node> {
    if node.at.start == start && !node.members().is_empty() {
        return Some(node);
    }
    let below = node.list().iter().chain(node.members().iter().map(|(_, node)| node));
    below.filter(|node| node.at.start <= start && start < node.at.end).find_map(|node| at(node, start))
}
