//! The words for each state in plans, and the equivalent marks.

use crate::states::{boxes, markers, signs};
use crate::{body, row};
use markdown::marks;
use wire::State;
use wire::plan::Span;

/// The state of a word; ignores case, blanks and hyphens.
pub(crate) fn state(said: &str) -> Option<State> {
    let plain: String =
        said.trim().chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let found = STATES.iter().find(|(words, _)| words.contains(&plain.as_str()));
    found.map(|(_, state)| *state)
}

/// Deferred and pinned work is neither done nor to be done now; cancelled work is settled.
#[rustfmt::skip]
const STATES: &[(&[&str], State)] = &[
    (&["pending", "todo", "open", "backlog", "ready", "notstarted", "draft", "planned", "new", "queued",
       "failing", "readyfordev"], State::Pending),
    (&["inprogress", "active", "running", "doing", "started", "review", "inreview", "hooked", "wip"], State::InProgress),
    (&["done", "completed", "complete", "closed", "finished", "resolved", "success", "passed",
       "passing", "pass"], State::Completed),
    (&["blocked", "deferred", "onhold", "pinned", "waiting", "paused"], State::Blocked),
    (&["failed", "error"], State::Failed),
    (&["cancelled", "canceled", "skipped", "wontfix", "wontdo", "archived", "obsolete", "superseded", "ignored"], State::Skipped),
];

/// The text that replaces the mark at a span of a file, so that a plan of the dialect has `state` there.
pub fn mark_at(dialect: &str, bytes: &[u8], span: &Span, state: State) -> &'static str {
    let now = String::from_utf8_lossy(body(bytes, span));
    if signs::is_at(dialect, bytes, span) {
        return signs::word(state, &now);
    }
    // A status that is a cell or has a sign is written like its neighbours.
    let pictured =
        now.contains(|c: char| !c.is_ascii() && !c.is_alphanumeric()) && now.contains(char::is_alphanumeric);
    let start = usize::try_from(span.start).unwrap_or(usize::MAX);
    if row(dialect).signs
        && (pictured || boxes::is_in_table(bytes, start))
        && let Some(word) = in_table(&now, state)
    {
        return word;
    }
    mark_for(dialect, &now, state)
}

/// The text that replaces a mark reading `current`, so that a plan of the dialect has `state` there: one character
/// for a box, the dialect's own word for a status.
pub fn mark_for(dialect: &str, current: &str, state: State) -> &'static str {
    let row = row(dialect);
    // A flag is true where the task is done.
    if matches!(current, "true" | "false") {
        return if state == State::Completed { "true" } else { "false" };
    }
    if markers::state(current.trim()).is_some()
        && let Some(word) = markers::word(state, current)
    {
        return word;
    }
    if matches!(current, "To Do" | "In Progress" | "Done") && !row.table_cells {
        return of(&["To Do", "In Progress", "Done", "Blocked", "To Do", "Cancelled"], state);
    }
    // A list of features that speaks of passing goes on so.
    if matches!(current, "passing" | "failing" | "not_started") {
        return of(&["not_started", "in_progress", "passing", "blocked", "not_started", "skipped"], state);
    }
    if row.table_cells
        && let Some(word) = in_table(current, state)
    {
        return word;
    }
    if current.trim().chars().count() <= 1 {
        return match state {
            State::Pending | State::Failed => " ",
            State::InProgress => "-",
            State::Completed => "x",
            State::Blocked => "!",
            State::Skipped => "~",
        };
    }
    let said = current.trim();
    let capitals = said == said.to_uppercase() && said != said.to_lowercase();
    if capitals && marks::word(said).is_some() { of(&CAPITALS, state) } else { of(&row.words, state) }
}

/// The words of boxes that are written in capitals.
const CAPITALS: Words = ["PENDING", "IN_PROGRESS", "COMPLETED", "BLOCKED", "FAILED", "SKIPPED"];

/// The text for a table cell, in the style of its rows: signs, signs with words, capitals. A mark in brackets is one
/// character, like any box.
fn in_table(current: &str, state: State) -> Option<&'static str> {
    let said = current.trim();
    let words = said.chars().any(char::is_alphanumeric);
    let signs = said.chars().any(|c| !c.is_ascii() && !c.is_alphanumeric());
    if current.len() == 1 {
        return None;
    }
    let row: Words = if signs && words {
        ["⬜ Todo", "🔄 In progress", "✅ Done", "🚫 Blocked", "⬜ Todo", "⏭ Skipped"]
    } else if signs {
        ["⬜", "🔄", "✅", "🚫", "⬜", "⏭"]
    } else if words && said == said.to_uppercase() {
        ["TODO", "IN PROGRESS", "DONE", "BLOCKED", "FAILED", "SKIPPED"]
    } else if said.starts_with(char::is_uppercase) {
        ["Todo", "In progress", "Done", "Blocked", "Failed", "Skipped"]
    } else {
        ["todo", "in progress", "done", "blocked", "failed", "skipped"]
    };
    Some(of(&row, state))
}

fn of(words: &Words, state: State) -> &'static str {
    let [pending, begun, done, blocked, failed, skipped] = *words;
    match state {
        State::Pending => pending,
        State::InProgress => begun,
        State::Completed => done,
        State::Blocked => blocked,
        State::Failed => failed,
        State::Skipped => skipped,
    }
}

/// The words for pending, in progress, completed, blocked, failed and skipped. A dialect without a word for a failure says
/// that the task is open, so that it does not count as done.
pub type Words = [&'static str; 6];

/// The words of a dialect that has none of its own.
pub(crate) const COMMON: Words = ["pending", "in_progress", "completed", "blocked", "failed", "skipped"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_written_in_the_words_of_its_dialect() {
        assert_eq!(mark_for("beads", "open", State::Completed), "closed");
        assert_eq!(mark_for("handoff", "pending", State::Completed), "complete");
        assert_eq!(mark_for("handoff", " ", State::Completed), "x");
        assert_eq!(mark_for("plan-md", "", State::InProgress), "-");
        assert_eq!(mark_for("checklist", "pending", State::Completed), "completed");
        assert_eq!(mark_for("checklist", "IN_PROGRESS", State::Completed), "COMPLETED");
        for dialect in crate::table() {
            for state in [State::Pending, State::InProgress, State::Completed] {
                let said = mark_for(dialect.name, dialect.words[0], state);
                assert_eq!(super::state(said), Some(state), "{}", dialect.name);
            }
        }
    }

    #[test]
    fn words_are_known_in_every_spelling() {
        for (said, is) in [
            ("in-progress", State::InProgress),
            ("In Progress", State::InProgress),
            ("to do", State::Pending),
            ("COMPLETE", State::Completed),
            ("won't do", State::Skipped),
            ("deferred", State::Blocked),
        ] {
            assert_eq!(state(said), Some(is), "{said}");
        }
        assert_eq!(state("perhaps"), None);
        assert_eq!(state(""), None);
    }
}
