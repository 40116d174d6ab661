//! What a roadmap says of a phase beside its box: `**Status**:`, `**Plans**: 3/3 plans complete`, the table of progress.

use super::phases::PhaseSection;
use crate::deps::dangling::simple;
use crate::deps::requires::{cell, header};
use crate::lists::status_tables;
use crate::states::status_cell;
use markdown::{Outline, marks};
use std::collections::HashMap;
use wire::State;

/// A state, and the offset of the place that says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) state: State,
    pub(super) at: usize,
}

impl Said {
    /// The one of both that is further on; several places say where a phase stands, and some are forgotten.
    pub(super) fn further(self, other: Said) -> Said {
        let rank = |said: Said| match said.state {
            State::Pending | State::Failed => 0,
            State::InProgress => 1,
            State::Blocked => 2,
            State::Skipped => 3,
            State::Completed => 4,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

/// What the lines of a section say.
pub(super) fn of_section(outline: &Outline, section: &PhaseSection) -> Vec<Said> {
    let status = section.status.and_then(|at| {
        let state = status_cell::state(outline.str(at))?;
        Some(Said { state, at: at.start })
    });
    let plans = section.plans.and_then(|at| {
        let text = outline.str(at).to_lowercase();
        let done = DONE.iter().any(|word| text.contains(word));
        Some(Said { state: share(&text).filter(|_| done)?, at: at.start })
    });
    status.into_iter().chain(plans).collect()
}

/// The words that say what the plans of a count are.
const DONE: &[&str] = &["complete", "executed", "done", "finished"];

/// The tables of progress.
pub(super) struct Progress {
    /// The state of each phase, by its number without zeros.
    pub(super) rows: HashMap<String, Said>,
    /// The lines where the tables begin.
    pub(super) lines: Vec<u64>,
}

impl Progress {
    pub(super) fn new(outline: &Outline) -> Self {
        let mut found = Self { rows: HashMap::new(), lines: Vec::new() };
        for table in outline.tables.iter().filter(|table| outline.veil(table.at.start).is_none()) {
            let titles = header(outline, table);
            let Some((_, status)) = status_tables::named_status(outline, table) else { continue };
            let Some(name) = titles.iter().position(|title| title == "phase") else { continue };
            let plans = titles.iter().position(|title| title.starts_with("plans"));
            found.lines.push(outline.line(table.at.start));
            for row in table.rows.iter().skip(1) {
                let (Some(named), Some(said)) = (row.get(name), row.get(status)) else { continue };
                let Some(number) = number(outline.str(*named)) else { continue };
                let count = plans.and_then(|at| share(&cell(outline, row.get(at).copied())));
                let word = cell(outline, Some(*said));
                if let Some(state) = state(&word, count) {
                    found.rows.entry(number).or_insert(Said { state, at: said.start });
                }
            }
        }
        found
    }
}

/// The state of a row: its word, and the count of its plans.
fn state(word: &str, count: Option<State>) -> Option<State> {
    let bare = word.trim_matches(['-', '—', '–', ' ']);
    match status_cell::state(bare).filter(|_| !bare.is_empty()) {
        Some(State::Pending) if count == Some(State::InProgress) => Some(State::InProgress),
        Some(state) => Some(state),
        None if bare.is_empty() => count,
        // An unknown word: work has begun, and something may be left.
        None => count.filter(|state| *state != State::Pending).map(|_| State::InProgress),
    }
}

/// The number in `1. Name`, `Phase 02.1`, `3 - Name`.
fn number(text: &str) -> Option<String> {
    let text = marks::without_signs(text).trim_start_matches(['`', '[']);
    let (word, rest) = text.split_at_checked(5).unwrap_or_default();
    let text = if word.eq_ignore_ascii_case("phase") { rest.trim_start() } else { text };
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(text.len());
    let number = text.get(..end)?.trim_end_matches('.');
    number.starts_with(|c: char| c.is_ascii_digit()).then(|| simple(number))
}

/// The state that a count such as `1/3` says.
fn share(text: &str) -> Option<State> {
    let slash = text.find('/')?;
    let before = text.get(..slash)?.trim_end();
    let done = before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok()?;
    let after = text.get(slash + 1..)?.trim_start();
    let all = after.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok()?;
    match done {
        _ if all == 0 => None,
        0 => Some(State::Pending),
        _ if done >= all => Some(State::Completed),
        _ => Some(State::InProgress),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_by_number_word_and_count() {
        for (text, is) in
            [("1. Ground", Some("1")), ("02.1. House", Some("2.1")), ("Phase 3", Some("3")), ("Total", None)]
        {
            assert_eq!(number(text).as_deref(), is, "{text}");
        }
        let counted = |word: &str, count: &str| state(word, share(count));
        assert_eq!(counted("✓ Complete", "0/1"), Some(State::Completed));
        assert_eq!(counted("In Progress", "3/3"), Some(State::InProgress));
        assert_eq!(counted("Gap closure", "4/6"), Some(State::InProgress));
        assert_eq!(counted("Planning complete", "0/3"), None);
        assert_eq!(counted("Not started", "1/2"), Some(State::InProgress));
        assert_eq!(counted("-", "2/2"), Some(State::Completed));
    }
}
