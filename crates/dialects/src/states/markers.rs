//! Marks of a state in code behind a name: `cc:TODO`, `cc:WIP`, `cc:完了`, `pm:確認済`.

use crate::states::status_cell;
use markdown::{Extent, outline};
use wire::State;

/// A mark in a line.
pub(crate) struct Marker {
    /// The text between the backquotes.
    pub(crate) at: Extent,
    /// Its state, if the word is known.
    pub(crate) state: Option<State>,
}

/// The last mark of a line.
pub(crate) fn find(line: &str) -> Option<Marker> {
    let (start, _) = line.match_indices('`').rev().find(|(at, _)| {
        line.get(at + 1..).is_some_and(|rest| OWNERS.iter().any(|owner| rest.starts_with(owner)))
    })?;
    let inner = line.get(start + 1..)?;
    let end = inner.find('`')?;
    let said = inner.get(..end)?;
    Some(Marker { at: Extent { start: start + 1, end: start + 1 + end }, state: state(said) })
}

/// The state of a mark without its backquotes.
pub(crate) fn state(said: &str) -> Option<State> {
    let word = OWNERS.iter().find_map(|owner| said.strip_prefix(owner))?;
    let word = word.split([' ', '(', '[', ':']).next().unwrap_or_default();
    match word {
        "依頼中" | "requested" => Some(State::Pending),
        "確認済" | "confirmed" | "approved" => Some(State::Completed),
        other => status_cell::state(other),
    }
}

const OWNERS: &[&str] = &["cc:", "pm:", "cursor:"];

/// The text from an offset to the end of its line.
pub(crate) fn rest_of_line(bytes: &[u8], from: usize) -> String {
    let rest = bytes.get(from..).unwrap_or_default();
    let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    outline::readable(rest.get(..end).unwrap_or_default()).into_owned()
}

/// The mark for a state, in the spelling of the file.
pub(crate) fn word(state: State, text: &str) -> Option<&'static str> {
    Some(match state {
        State::Pending | State::Failed => "cc:TODO",
        State::InProgress => "cc:WIP",
        State::Completed if text.contains("cc:DONE") && !text.contains("cc:完了") => "cc:DONE",
        State::Completed if text.contains("cc:done") && !text.contains("cc:完了") => "cc:done",
        State::Completed => "cc:完了",
        State::Blocked => "cc:blocked",
        State::Skipped => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_and_understood() {
        for (line, mark, state) in [
            ("Build it `cc:TODO`", "cc:TODO", Some(State::Pending)),
            ("Build `it` `cc:完了` (2026-01-02)", "cc:完了", Some(State::Completed)),
            ("Build it `pm:依頼中`", "pm:依頼中", Some(State::Pending)),
            ("Build it `cc:WIP`", "cc:WIP", Some(State::InProgress)),
            ("Build it `cc:blocked`", "cc:blocked", Some(State::Blocked)),
            ("Build it `cc:odd`", "cc:odd", None),
        ] {
            let found = find(line).unwrap();
            assert_eq!((&line[found.at.start..found.at.end], found.state), (mark, state), "{line}");
        }
        assert!(find("Build `cc` it").is_none());
    }
}
