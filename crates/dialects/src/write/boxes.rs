//! Boxes of headings and items, and words of state: one mark for another, in place.
//!
//! The file's own legend decides which mark says what. Given up is the mark `~` with the word beside it, since the mark
//! alone says only that the task cannot go on.

use super::{Change, Edit, no_mark};
use crate::workflow::Legend;
use crate::{Extent, Field, Outline, Text, body, decoration, mark_for, sign};
use toolkit::Fail;
use wire::plan::Span;
use wire::{State, Task};

/// The edits of the task's own box and of its criteria.
pub(crate) fn edits(field: &Field, change: &Change) -> Result<Vec<Edit>, Fail> {
    let mut edits: Vec<Edit> = ticked(field, change);
    match &change.task.mark {
        Some(span) => edits.extend(mark(field, change, span)?),
        // A task without a box stands where its criteria stand.
        None if edits.is_empty() && change.task.criteria.iter().all(|c| !c.boxed) => {
            return Err(Fail::data("no-box", format!("task '{}' has no box", change.task.id)));
        }
        None => {}
    }
    Ok(edits)
}

/// The edits of the criteria alone.
pub(crate) fn ticked(field: &Field, change: &Change) -> Vec<Edit> {
    let boxed = change.criteria.iter().filter(|criterion| criterion.boxed && !criterion.checked);
    boxed.map(|criterion| replaced(&criterion.span, field.word(&criterion.span, State::Completed))).collect()
}

/// The edits that make one mark say the state.
pub(crate) fn mark(field: &Field, change: &Change, span: &Span) -> Result<Vec<Edit>, Fail> {
    let Some(word) = word(field, change, span) else { return Err(no_mark(field, change)) };
    let mut edits = Vec::new();
    if said(field, span) != word {
        edits.push(replaced(span, &word));
    }
    edits.extend(given_up(field, change.task, span, change.state));
    Ok(edits)
}

/// What the mark has to read; a box that is open in whatever way stays as it is written.
fn word(field: &Field, change: &Change, span: &Span) -> Option<String> {
    let now = said(field, span);
    if is_sign(field, span) {
        return sign::word(change.state, &now).map(str::to_owned);
    }
    let is_box =
        now.trim().chars().count() <= 1 && (now.is_ascii() || field.plan.source.dialect != "tracker");
    if !is_box {
        return Some(field.word(span, change.state).to_owned());
    }
    if change.state == State::Pending && now.trim().is_empty() {
        return Some(now);
    }
    let dialect = field.plan.source.dialect.as_str();
    // The two marks that all lists share need no legend, and most edits are one of them.
    if matches!(change.state, State::Pending | State::Completed) {
        return Some(mark_for(dialect, &now, change.state).to_owned());
    }
    if let Some(mark) = legend(field, span).and_then(|legend| legend.mark(change.state)) {
        return Some(mark.to_string());
    }
    match change.state {
        // A heading's box is open or done: what is being worked on is no part of such a plan.
        State::InProgress if dialect == "plan-md" => None,
        State::Failed => None,
        // `~` in brackets means given up only with the word beside it, for which a table has no place.
        State::Skipped if dialect == "tracker" && !now.is_empty() => None,
        state => Some(mark_for(dialect, &now, state).to_owned()),
    }
}

/// Whether the file's legend has a mark for the state.
pub(crate) fn announces(field: &Field, state: State) -> bool {
    let span = field.plan.tasks.iter().find_map(|task| task.mark.as_ref());
    span.and_then(|span| legend(field, span)).and_then(|legend| legend.mark(state)).is_some()
}

fn legend(field: &Field, span: &Span) -> Option<Legend> {
    let (path, bytes) = field.files.iter().find(|(path, _)| *path == span.path)?;
    // A legend shows its marks in code.
    let shows = bytes.windows(2).any(|pair| pair == b"`[") || bytes.windows(4).any(|four| four == b"`- [");
    shows.then(|| Legend::new(&Outline::new(&Text { path, bytes })))
}

/// The note behind a task that is given up, set or taken back.
fn given_up(field: &Field, task: &Task, span: &Span, state: State) -> Option<Edit> {
    let (path, bytes) = field.files.iter().find(|(path, _)| *path == span.path)?;
    let start = usize::try_from(span.end).ok()?;
    let rest = bytes.get(start..)?;
    let len = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    let line = String::from_utf8_lossy(rest.get(..len)?).into_owned();
    let at = |at: Extent, text: &str| Edit {
        path: path.clone(),
        start: start + at.start,
        end: start + at.end,
        text: text.to_owned(),
    };
    // The note would stand outside the table, and a sign says it itself.
    if field.plan.source.dialect == "tracker" || is_sign(field, span) {
        return None;
    }
    let end = line.trim_end().len();
    if state == State::Skipped && task.state != State::Skipped && !decoration::says_dropped(&line) {
        return Some(at(Extent { start: end, end }, NOTE));
    }
    let noted = state != State::Skipped && line.trim_end().ends_with(NOTE);
    noted.then(|| at(Extent { start: end - NOTE.len(), end }, ""))
}

const NOTE: &str = " (DROPPED)";

/// Whether the mark is the sign of a task without a box.
fn is_sign(field: &Field, span: &Span) -> bool {
    let file = field.files.iter().find(|(path, _)| *path == span.path);
    file.is_some_and(|(_, bytes)| sign::is_at(&field.plan.source.dialect, bytes, span))
}

fn said(field: &Field, span: &Span) -> String {
    let file = field.files.iter().find(|(path, _)| *path == span.path);
    String::from_utf8_lossy(file.map_or(&[][..], |(_, bytes)| body(bytes, span))).into_owned()
}

/// The edit that puts another text at a span.
pub(crate) fn replaced(span: &Span, text: &str) -> Edit {
    let at = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
    Edit { path: span.path.to_string(), start: at(span.start), end: at(span.end), text: text.to_owned() }
}
