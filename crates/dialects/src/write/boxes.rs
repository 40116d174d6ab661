//! Boxes of headings and items, and state words: replaces one mark by another in place.
//!
//! The file's own legend decides the meaning of a mark. An abandoned task gets the mark `~` and a word beside it,
//! since the mark alone only says that the task is blocked.

use super::{Change, Edit, no_mark};
use crate::states::legend::Legend;
use crate::states::{decoration, signs};
use crate::{PlanSnapshot, body, mark_for, row};
use markdown::{Extent, Outline, Text};
use toolkit::Fail;
use wire::plan::Span;
use wire::{State, Task};

/// The edits of the task's own box and of its criteria.
pub(crate) fn edits(field: &PlanSnapshot, change: &Change) -> Result<Vec<Edit>, Fail> {
    let mut edits: Vec<Edit> = ticked(field, change);
    match &change.task.mark {
        Some(span) => edits.extend(mark(field, change, span)?),
        // The state of a task without a box follows from its criteria.
        None if edits.is_empty() && change.task.criteria.iter().all(|c| !c.boxed) => {
            return Err(Fail::data("no-box", format!("task '{}' has no box", change.task.id)));
        }
        // A task that is open again has open boxes.
        None if change.state == State::Pending => {
            let ticked = change.task.criteria.iter().filter(|criterion| criterion.boxed && criterion.checked);
            edits.extend(
                ticked
                    .map(|criterion| replaced(&criterion.span, field.word(&criterion.span, State::Pending))),
            );
        }
        None if change.state != State::Completed => {
            let message = format!(
                "task '{}' has no box of its own, and no box below it can say '{}'",
                change.task.id,
                change.state.word()
            );
            return Err(Fail::data("no-mark", message));
        }
        None => {}
    }
    Ok(edits)
}

/// The edits of the criteria alone.
pub(crate) fn ticked(field: &PlanSnapshot, change: &Change) -> Vec<Edit> {
    let boxed = change.criteria.iter().filter(|criterion| criterion.boxed && !criterion.checked);
    boxed.map(|criterion| replaced(&criterion.span, field.word(&criterion.span, State::Completed))).collect()
}

/// The edits that give one mark the state.
pub(crate) fn mark(field: &PlanSnapshot, change: &Change, span: &Span) -> Result<Vec<Edit>, Fail> {
    let Some(word) = word(field, change, span) else { return Err(no_mark(field, change)) };
    let mut edits = Vec::new();
    if said(field, span) != word {
        edits.push(replaced(span, &word));
    }
    edits.extend(given_up(field, change.task, span, change.state));
    edits.extend(error_note(field, change, span));
    Ok(edits)
}

/// The new text of the mark; a box that is open in any spelling stays as it is.
fn word(field: &PlanSnapshot, change: &Change, span: &Span) -> Option<String> {
    let now = said(field, span);
    let row = row(&field.plan.source.dialect);
    if is_sign(field, span) {
        return Some(signs::word(change.state, &now).to_owned());
    }
    let is_box = now.trim().chars().count() <= 1 && (now.is_ascii() || !row.table_cells);
    if !is_box {
        return Some(field.word(span, change.state).to_owned());
    }
    if change.state == State::Pending && now.trim().is_empty() {
        return Some(now);
    }
    // The two marks that all lists share need no legend, and most edits are one of them.
    if matches!(change.state, State::Pending | State::Completed) {
        return Some(mark_for(row.name, &now, change.state).to_owned());
    }
    if let Some(mark) = legend(field, span).and_then(|legend| legend.mark(change.state)) {
        return Some(mark.to_string());
    }
    match change.state {
        // A heading's box is open or done: what is being worked on is no part of such a plan.
        State::InProgress if row.open_or_done => None,
        State::Failed => None,
        // `~` in brackets means given up only with the word beside it, for which a table has no place.
        State::Skipped if row.table_cells && !now.is_empty() => None,
        state => Some(mark_for(row.name, &now, state).to_owned()),
    }
}

/// Whether the file's legend has a mark for the state.
pub(crate) fn announces(field: &PlanSnapshot, state: State) -> bool {
    let span = field.plan.tasks.iter().find_map(|task| task.mark.as_ref());
    span.and_then(|span| legend(field, span)).and_then(|legend| legend.mark(state)).is_some()
}

fn legend(field: &PlanSnapshot, span: &Span) -> Option<Legend> {
    let (path, bytes) = field.files.iter().find(|(path, _)| *path == span.path)?;
    // A legend shows its marks in code.
    let shows = bytes.windows(2).any(|pair| pair == b"`[") || bytes.windows(4).any(|four| four == b"`- [");
    shows.then(|| Legend::new(&Outline::new(&Text { path, bytes })))
}

/// Adds or removes the note after an abandoned task.
fn given_up(field: &PlanSnapshot, task: &Task, span: &Span, state: State) -> Option<Edit> {
    let (path, bytes) = field.files.iter().find(|(path, _)| *path == span.path)?;
    let start = usize::try_from(span.end).ok()?;
    let rest = bytes.get(start..)?;
    let len = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    let bytes = rest.get(..len)?;
    let line = String::from_utf8_lossy(bytes);
    let at = |at: Extent, text: &str| Edit {
        path: path.clone(),
        start: start + at.start,
        end: start + at.end,
        text: text.to_owned(),
    };
    // The note would stand outside the table, and a sign says it itself.
    if row(&field.plan.source.dialect).table_cells || is_sign(field, span) {
        return None;
    }
    // The place is one of bytes: a line of another encoding is longer as a text.
    let end = bytes.trim_ascii_end().len();
    if state == State::Skipped && task.state != State::Skipped && !decoration::says_dropped(&line) {
        return Some(at(Extent { start: end, end }, NOTE));
    }
    let noted = state != State::Skipped && line.trim_end().ends_with(NOTE);
    noted.then(|| at(Extent { start: end - NOTE.len(), end }, ""))
}

/// Writes the error of a failed attempt behind a task that stays in progress, and takes it away when that is over.
fn error_note(field: &PlanSnapshot, change: &Change, span: &Span) -> Option<Edit> {
    if !row(&field.plan.source.dialect).notes_errors {
        return None;
    }
    let (path, bytes) = field.files.iter().find(|(path, _)| *path == span.path)?;
    let start = usize::try_from(span.end).ok()?;
    // Only behind a box: a word for the state, or the value of a field, has no room behind it.
    let before = usize::try_from(span.start).ok()?.checked_sub(1)?;
    if bytes.get(before) != Some(&b'[') || bytes.get(start) != Some(&b']') {
        return None;
    }
    let rest = bytes.get(start..)?;
    let len = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    let line = std::str::from_utf8(rest.get(..len)?).ok()?;
    let old = line.find(decoration::ERROR).unwrap_or(line.len());
    // A person's reason for a state is on record; only the error of an attempt stands in the plan.
    let text = match change.reason.strip_prefix(super::ERROR) {
        Some(error) if change.state == State::InProgress => {
            let error: String = error.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("{}{}", decoration::ERROR, error.chars().take(LONGEST).collect::<String>())
        }
        _ if change.state == State::InProgress => return None,
        _ => String::new(),
    };
    let same = line.get(old..) == Some(text.as_str());
    (!same).then(|| Edit { path: path.clone(), start: start + old, end: start + len, text })
}

/// The longest error that stands in a plan, in characters.
const LONGEST: usize = 300;

const NOTE: &str = " (DROPPED)";

/// Whether the mark is the sign of a task without a box.
fn is_sign(field: &PlanSnapshot, span: &Span) -> bool {
    let file = field.files.iter().find(|(path, _)| *path == span.path);
    file.is_some_and(|(_, bytes)| signs::is_at(&field.plan.source.dialect, bytes, span))
}

fn said(field: &PlanSnapshot, span: &Span) -> String {
    let file = field.files.iter().find(|(path, _)| *path == span.path);
    String::from_utf8_lossy(file.map_or(&[][..], |(_, bytes)| body(bytes, span))).into_owned()
}

/// The edit that replaces the text of a span.
pub(crate) fn replaced(span: &Span, text: &str) -> Edit {
    let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    Edit { path: span.path.to_string(), start: at(span.start), end: at(span.end), text: text.to_owned() }
}
