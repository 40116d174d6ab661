//! The sign of a task without a box: after its name, `### Task 1: Dig ✅`, or before it.
//!
//! No sign means that the task is open; the mark is then the empty span where the sign would stand. So a plan without
//! boxes is ticked like any other, and a tick changes only the sign.

use crate::body;
use crate::states::{boxes, decoration, status_cell};
use markdown::{Extent, Outline, marks};
use wire::State;
use wire::plan::Span;

/// The mark of a task without a box.
pub(crate) struct Sign {
    /// The position; an empty span if there is no sign.
    pub(crate) at: Extent,
    /// The state; `None` if the sign is unknown.
    pub(crate) state: Option<State>,
}

/// The sign of the name in a line.
pub(crate) fn find(outline: &Outline, line: Extent) -> Sign {
    let line = outline.trimmed(line);
    let text = outline.str(line);
    if let Some(at) = before(text) {
        let said = text.get(at.start..at.end).unwrap_or_default();
        let state = said.chars().find_map(status_cell::of_sign);
        return Sign { at: Extent { start: line.start + at.start, end: line.start + at.end }, state };
    }
    let end = text.trim_end_matches('#').trim_end().len();
    let tail = decoration::find(text).pop().filter(|tail| tail.end == text.len());
    let at = tail.map_or(Extent { start: end, end }, |tail| Extent { start: tail.start, end });
    let state = said(text.get(at.start..at.end).unwrap_or_default());
    Sign { at: Extent { start: line.start + at.start, end: line.start + at.end }, state }
}

/// The text for a state that replaces a sign reading `now`.
pub(crate) fn word(state: State, now: &str) -> &'static str {
    // A sign before the name stays there.
    let leads = now.ends_with(' ');
    match state {
        State::Pending | State::Failed if leads => "⬜ ",
        State::Pending | State::Failed => "",
        State::Completed if leads => "✅ ",
        State::Completed => " ✅",
        State::InProgress if leads => "🔄 ",
        State::InProgress => " 🔄",
        State::Blocked if leads => "🚫 ",
        State::Blocked => " 🚫",
        State::Skipped => " (DROPPED)",
    }
}

/// Whether the mark at a span of a file is a sign, not a box or a state word.
pub(crate) fn is_at(dialect: &str, bytes: &[u8], span: &Span) -> bool {
    let at = boxes::extent(span, bytes.len());
    let boxed = at.start.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'[');
    // The sign of a heading brings the blank beside it; a status, `✅ Done`, has none.
    let worded = || {
        let said = String::from_utf8_lossy(body(bytes, span)).into_owned();
        !said.starts_with(' ') && !said.ends_with(' ') && said.contains(char::is_alphanumeric)
    };
    let row = crate::row(dialect);
    if boxes::is_in_table(bytes, at.start) {
        return row.table_cells && !boxed && is_beside_text(bytes, at);
    }
    row.signs && !boxed && !worded()
}

/// Whether a sign in a table stands beside the text of its cell; a status has a cell of its own.
fn is_beside_text(bytes: &[u8], at: Extent) -> bool {
    let text = |byte: Option<&u8>| byte.is_some_and(|byte| *byte != b'|');
    let before = bytes.get(..at.start).unwrap_or_default();
    let after = bytes.get(at.end..).unwrap_or_default();
    let sign = bytes.get(at.start..at.end).unwrap_or_default();
    let tail = (sign.is_empty() || sign.starts_with(b" ")) && text(before.trim_ascii_end().last());
    let head = sign.ends_with(b" ") && text(after.trim_ascii_start().first());
    tail || head
}

/// A sign of state alone before the name; any other picture is part of the name.
fn before(text: &str) -> Option<Extent> {
    let bare = text.trim_start_matches('#').trim_start();
    let name = marks::without_signs(bare);
    let sign = bare.get(..bare.len() - name.len())?;
    let start = text.len() - bare.len();
    let lone = sign.chars().all(|c| !c.is_ascii() || c == ' ');
    let is_state = sign.chars().any(status_cell::is_sign);
    (lone && is_state).then_some(Extent { start, end: start + sign.len() })
}

fn said(tail: &str) -> Option<State> {
    if tail.is_empty() {
        return Some(State::Pending);
    }
    if decoration::says_dropped(tail) {
        return Some(State::Skipped);
    }
    if decoration::says_begun(tail) {
        return Some(State::InProgress);
    }
    let sign = tail.chars().find_map(status_cell::of_sign);
    sign.or_else(|| decoration::says_done(tail).then_some(State::Completed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use markdown::Text;

    #[test]
    fn a_sign_is_read_and_its_place_known() {
        for (line, sign, state) in [
            ("### Task 1: Dig", "", Some(State::Pending)),
            ("### Task 1: Dig ✅", " ✅", Some(State::Completed)),
            ("### Task 1: Dig ✅ 2026-01-02", " ✅ 2026-01-02", Some(State::Completed)),
            ("### Task 1: Dig (DONE)", " (DONE)", Some(State::Completed)),
            ("### Task 1: Dig (DROPPED)", " (DROPPED)", Some(State::Skipped)),
            ("### ✅ Task 1: Dig", "✅ ", Some(State::Completed)),
            ("### 🔄 Task 1: Dig", "🔄 ", Some(State::InProgress)),
            ("### 🎯 Task 1: Dig", "", Some(State::Pending)),
            ("### Task 1: Dig ⏳", " ⏳", Some(State::Pending)),
            ("### Task 1: Dig (in progress)", " (in progress)", Some(State::InProgress)),
            ("### Task 1: Dig *(current phase)*", " *(current phase)*", Some(State::InProgress)),
            ("### Task 1: Dig ✅ CRITICAL", "", Some(State::Pending)),
            ("### Task 1: Dig (the hole)", "", Some(State::Pending)),
        ] {
            let text = format!("{line}\n");
            let outline = Outline::new(&Text { path: "p.md", bytes: text.as_bytes() });
            let found = find(&outline, Extent { start: 0, end: line.len() });
            assert_eq!((outline.str(found.at), found.state), (sign, state), "{line}");
        }
    }
}
