//! The state in a status cell, and the position of its mark.

use crate::states::legend::Legend;
use crate::states::markers;
use crate::states::words;
use markdown::{Extent, Outline, marks};
use wire::State;

/// The mark of a cell and its state, if known.
pub(crate) struct StatusCell {
    pub(crate) mark: Extent,
    pub(crate) state: Option<State>,
}

/// Reads the cell: brackets with a mark, otherwise a word or a sign, with or without a remark after it.
pub(crate) fn read(outline: &Outline, cell: Extent, legend: &Legend) -> StatusCell {
    let at = outline.trimmed(cell);
    let text = outline.str(at);
    let bare = text.trim_start_matches(['`', '*']);
    if let Some((inner, _)) = marks::find(bare) {
        let start = at.start + text.len() - bare.len();
        let mark = Extent { start: start + inner.start, end: start + inner.end };
        return StatusCell { mark, state: legend.state(outline.str(mark)) };
    }
    let inner = text.trim_matches(['`', '*', '_', '[', ']', ' ']);
    let start = at.start + text.find(inner).unwrap_or(0);
    let state = state(inner);
    // A date, a reason or a name behind a known word stays when the state changes.
    let said = inner.get(..end_of_word(inner)).unwrap_or(inner).trim_end();
    let known = state.is_some() && self::state(said) == state && said.contains(char::is_alphabetic);
    let said = if known { said } else { inner };
    StatusCell { mark: Extent { start, end: start + said.len() }, state }
}

/// The state of a cell's text.
pub(crate) fn state(text: &str) -> Option<State> {
    if let Some(state) = markers::state(text.trim_matches('`')) {
        return Some(state);
    }
    let said = text.get(..end_of_word(text)).unwrap_or(text).trim();
    if let Some(share) = said.split_once('%').and_then(|(number, _)| number.trim().parse::<u32>().ok()) {
        return Some(match share {
            0 => State::Pending,
            100 => State::Completed,
            _ => State::InProgress,
        });
    }
    let lower: String = said.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect();
    let lower = lower.trim();
    if lower.is_empty() {
        return sign(said);
    }
    let own = WORDS.iter().find(|(words, _)| words.contains(&lower)).map(|(_, state)| *state);
    // `Partially complete`, whatever the second word.
    let own = own.or_else(|| lower.starts_with("partially ").then_some(State::InProgress));
    let own = own.or_else(|| lower.starts_with("defer ").then_some(State::Blocked));
    own.or_else(|| words::state(lower).filter(|_| lower.is_ascii()))
}

/// Where the word of a state ends: a date, a reason or a name may follow it.
fn end_of_word(text: &str) -> usize {
    let signs = [" (", " —", " –", " - ", ":", ",", ";", "<br"];
    signs.iter().filter_map(|sign| text.find(sign)).min().unwrap_or(text.len())
}

/// Whether a text is a word for a state and for nothing else: `Done`, `未着手`; not `yes`, `next`.
pub(crate) fn is_word(text: &str) -> bool {
    let said = text.get(..end_of_word(text)).unwrap_or(text);
    let lower = said.trim().to_lowercase();
    let other =
        ["yes", "y", "x", "v", "no", "n", "next", "available", "assigned", "upcoming", "tbd", "working"];
    is_phrase(said) && !other.contains(&lower.as_str())
}

/// Whether a text is as short as a state is, known or not.
pub(crate) fn is_short(text: &str) -> bool {
    text.split_whitespace().count() <= 3 && text.chars().count() <= 24 && !text.contains('`')
}

/// Whether a text is nothing but the name of a state: `In progress`, `Not started`.
pub(crate) fn is_phrase(text: &str) -> bool {
    let lower: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect();
    let lower = lower.trim();
    let own = WORDS.iter().any(|(words, _)| words.contains(&lower));
    !lower.is_empty() && (own || words::state(lower).is_some_and(|_| lower.is_ascii()))
}

/// The state of a cell without a word; an empty cell is pending.
fn sign(text: &str) -> Option<State> {
    let first = text.chars().find(|c| !matches!(c, ' ' | '\u{fe0f}'));
    let Some(first) = first else { return Some(State::Pending) };
    SIGNS.iter().find(|(signs, _)| signs.contains(&first)).map(|(_, state)| *state)
}

/// The state of a character that is a sign in a list too.
pub(crate) fn of_sign(c: char) -> Option<State> {
    SIGNS.iter().find(|(signs, _)| is_sign(c) && signs.contains(&c)).map(|(_, state)| *state)
}

/// The state that a label or a heading above a list gives to it: `Completed in this repo:`, `In Progress`.
pub(crate) fn of_label(text: &str) -> Option<State> {
    let bare = marks::without_signs(text.trim_start_matches('#'));
    let words: Vec<&str> =
        bare.split([' ', ':', '：', '*', '(', '（']).filter(|word| !word.is_empty()).collect();
    let phrase = |count: usize| words.get(..count).map(|words| words.join(" "));
    let said = [2, 1].into_iter().filter_map(phrase).find(|said| is_phrase(said))?;
    state(&said)
}

/// Whether a character is a state sign in a list too, where a dash is ordinary text and a coloured light is a rating.
pub(crate) fn is_sign(c: char) -> bool {
    let other = ['-', '—', '–', '○', '🟢', '🟩', '🟡', '🟨', '🔵', '⚪', '📋'];
    c == '❌' || !other.contains(&c) && SIGNS.iter().any(|(signs, _)| signs.contains(&c))
}

const SIGNS: &[(&[char], State)] = &[
    (&['✅', '✓', '✔', '☑', '🟢', '🟩'], State::Completed),
    (&['⬜', '☐', '🔲', '◻', '⚪', '○', '⏳', '📋', '🔜', '-', '—', '–'], State::Pending),
    (&['🔄', '🚧', '🟡', '🟨', '🏗', '▶', '◐', '🔵'], State::InProgress),
    (&['🚫', '⛔', '🛑', '⏸'], State::Blocked),
    (&['⏭'], State::Skipped),
];

#[rustfmt::skip]
const WORDS: &[(&[&str], State)] = &[
    (&["yes", "y", "x", "v", "shipped", "merged", "fixed", "implemented", "verified", "delivered", "released",
       "완료", "完成", "已完成", "完了", "hecho", "completado", "completada", "terminé", "terminée", "fait", "erledigt", "fertig",
       "готово", "выполнено", "сделано", "concluído", "feito"], State::Completed),
    (&["no", "n", "not implemented", "not done", "available", "unstarted", "upcoming", "next", "tbd", "대기", "미완료", "미시작", "예정", "待办", "未开始", "待开始",
       "未着手", "未完成", "待处理", "pendiente", "à faire", "offen", "ausstehend", "не начато", "ожидает", "pendente"], State::Pending),
    (&["working", "ongoing", "claimed", "assigned", "진행중", "진행 중", "进行中", "進行中", "en progreso", "en curso", "en cours",
       "in arbeit", "в работе", "em andamento", "em progresso"], State::InProgress),
    (&["차단", "보류", "阻塞", "暂停", "bloqueado", "bloqué", "blockiert", "заблокировано"], State::Blocked),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_gives_a_state_to_its_list() {
        assert_eq!(of_label("**Completed in this repo:**"), Some(State::Completed));
        assert_eq!(of_label("### 🚧 In Progress"), Some(State::InProgress));
        assert_eq!(of_label("## Overview"), None);
    }

    #[test]
    fn words_and_signs_are_understood() {
        for (text, is) in [
            ("DONE", Some(State::Completed)),
            ("✅ Done (2026-01-29)", Some(State::Completed)),
            ("✅", Some(State::Completed)),
            ("⬜ TODO", Some(State::Pending)),
            ("Not started", Some(State::Pending)),
            ("🔄 In Progress — half of it", Some(State::InProgress)),
            ("⏭️", Some(State::Skipped)),
            ("", Some(State::Pending)),
            ("-", Some(State::Pending)),
            ("60%", Some(State::InProgress)),
            ("100% Complete (all of it)", Some(State::Completed)),
            ("进行中", Some(State::InProgress)),
            ("완료", Some(State::Completed)),
            ("Planning complete", None),
            ("⚠️ Partial", None),
            ("Defer to a later phase", Some(State::Blocked)),
            ("🟡 Partially addressed", Some(State::InProgress)),
            ("❌", None),
            ("READY FOR HUMAN GATE", None),
        ] {
            assert_eq!(state(text), is, "{text}");
        }
    }
}
