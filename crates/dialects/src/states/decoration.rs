//! Text that people and tools add to a task's name when it is done or abandoned: `✅ 2026-04-15`, `— **removed**`,
//! `~~…~~`. A link to the task's own file or summary counts too: some tools replace one with the other.
//!
//! It is not part of the task's requirements, so neither title nor fingerprint contains it.

use crate::states::markers;
use markdown::{Extent, links, marks};
use memchr::{memchr, memchr_iter};
use std::borrow::Cow;
use wire::State;

/// Begins the note that a failed attempt leaves at the end of a task's line.
pub(crate) const ERROR: &str = " ⚠ error: ";

/// The decoration of a line, as sorted ranges without overlap.
pub(crate) fn find(line: &str) -> Vec<Extent> {
    if is_plain(line) {
        return Vec::new();
    }
    if let Some(at) = line.find(ERROR) {
        // The words of an error are no decoration: only the text before them is read.
        let note = Extent { start: at, end: line.len() };
        let mut found = line.get(..at).map(find).unwrap_or_default();
        match found.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end = note.end,
            None => found.push(note),
        }
        return found;
    }
    let mut found: Vec<Extent> = Vec::new();
    if line.as_bytes().contains(&b'~') {
        found.extend(line.match_indices("~~").map(|(start, _)| Extent { start, end: start + 2 }));
    }
    let tail = tail(line);
    if tail < line.len() {
        found.retain(|strike| strike.end <= tail);
        found.push(Extent { start: tail, end: line.len() });
    }
    found
}

/// Fast path for most lines: no sign, no strike, no bracket at the end and no dash.
fn is_plain(line: &str) -> bool {
    let bytes = line.as_bytes();
    let ends =
        bytes.last().is_some_and(|byte| matches!(byte, b')' | b']' | b'*' | b' ' | b'\t' | b'#' | b'`'));
    let dashed = || memchr_iter(b'-', bytes).any(|at| bytes.get(at + 1) == Some(&b' '));
    bytes.is_ascii() && !ends && memchr(b'~', bytes).is_none() && !dashed() && commit_note(line).is_none()
}

/// `line` without its decoration.
pub(crate) fn without(line: &str) -> Cow<'_, str> {
    let found = find(line);
    if found.is_empty() {
        return Cow::Borrowed(line);
    }
    let mut kept = String::with_capacity(line.len());
    let mut from = 0;
    for cut in found {
        kept.push_str(line.get(from..cut.start).unwrap_or_default());
        from = cut.end;
    }
    kept.push_str(line.get(from..).unwrap_or_default());
    Cow::Owned(kept)
}

/// Whether `text` says that a task was abandoned.
pub(crate) fn says_dropped(text: &str) -> bool {
    let lower = text.to_lowercase();
    DROPPED.iter().any(|word| lower.contains(word))
}

/// Whether a whole name is struck out: `~~Dig a hole~~`, with at most a note after it. `~~old~~ new` is a new name.
pub(crate) fn is_struck(text: &str) -> bool {
    let bare = text.trim().trim_start_matches(['*', '_', '`']);
    let Some(inner) = bare.strip_prefix("~~") else { return false };
    let Some(close) = inner.rfind("~~") else { return false };
    let after = inner.get(close + 2..).unwrap_or_default().trim_matches(['*', '_', ' ', '.']);
    after.is_empty() || after.starts_with(['(', '[', '—', '–', '-', ':']) || says_dropped(after)
}

/// Whether a note in a name says that the task was abandoned: `(Skipped, see 4)`, `— **dropped**`.
pub(crate) fn notes_dropped(text: &str) -> bool {
    notes(text, DROPPED)
}

/// Whether a note in a name says that the task is left for later: `(deferred)`.
pub(crate) fn notes_deferred(text: &str) -> bool {
    notes(text, &["deferred", "postponed", "on hold"])
}

fn notes(text: &str, words: &[&str]) -> bool {
    // Few names have a note.
    if !text.bytes().any(|byte| matches!(byte, b'(' | b'[' | b'~' | b'-' | 0x80..)) {
        return false;
    }
    if !(text.contains(['(', '[', '—', '–', '（', '~']) || text.contains('-') && text.contains("**")) {
        return false;
    }
    let lower = text.to_lowercase();
    lower.char_indices().any(|(at, sign)| {
        let after = lower.get(at + sign.len_utf8()..).unwrap_or_default();
        let note = after.trim_start_matches(['*', '_', ' ']);
        let opens = match sign {
            '(' | '[' | '（' | '—' | '–' => true,
            '~' => lower.get(..at).is_some_and(|before| before.ends_with('~')),
            '-' => after.get(..after.len() - note.len()).is_some_and(|between| between.ends_with("**")),
            _ => false,
        };
        opens && words.iter().any(|word| note.starts_with(word))
    })
}

/// Whether a note at the end of a name says that the task is being worked on: `(in progress)`, `🔄`.
pub(crate) fn says_begun(text: &str) -> bool {
    let text = text.trim_end_matches(['*', '_', ' ', '`', '\u{fe0f}']);
    if !text.ends_with([')', ']', '）', '🔄', '🚧']) {
        return false;
    }
    if text.ends_with(['🔄', '🚧']) {
        return true;
    }
    let open = text.rfind(['(', '[', '（']).and_then(|at| text.get(at..));
    open.is_some_and(|note| is_begun(note.trim_matches(['(', '[', '（', ')', ']', '）'])))
}

/// Whether a note says that work has begun, with a remark behind it or not: `en cours : 15 / 22`.
fn is_begun(note: &str) -> bool {
    let lower = note.to_lowercase();
    let end = lower.find([':', ',', ';', '—', '–', '：', '，']).unwrap_or(lower.len());
    lower.get(..end).is_some_and(|said| BEGUN.contains(&said.trim()))
}

/// The state that a text begins with, a word in capitals set off from the rest: `**IN PROGRESS** — Dig`, `BLOCKED: dig`.
pub(crate) fn begins_with(text: &str) -> Option<State> {
    let bare = text.trim_start().trim_start_matches(['*', '_', '`', '[']);
    // Few names begin so.
    if !bare.starts_with(|c: char| c.is_uppercase()) {
        return None;
    }
    let end = bare.find(['*', '_', '`', ']', ':', '：', '—', '–']).filter(|end| *end <= 24)?;
    let said = bare.get(..end)?;
    marks::word(said).filter(|_| said == said.to_uppercase())
}

const BEGUN: &[&str] = &[
    "in progress",
    "in-progress",
    "wip",
    "ongoing",
    "partial",
    "partially done",
    "current phase",
    "current",
    "当前阶段",
    "en cours",
    "en progreso",
    "en curso",
    "in arbeit",
    "em andamento",
    "в работе",
    "进行中",
    "進行中",
    "진행 중",
    "진행중",
];

/// Whether `text` says that a task is done.
pub(crate) fn says_done(text: &str) -> bool {
    let lower = text.to_lowercase();
    DONE.iter().any(|word| lower.contains(word))
}

const DROPPED: &[&str] = &[
    "dropped",
    "reverted",
    "removed",
    "deleted",
    "cancelled",
    "canceled",
    "obsolete",
    "superseded",
    "deprecated",
    "skipped",
    "abandoned",
    "won't do",
    "won't fix",
    "wontfix",
    "not needed",
    "삭제",
    "취소",
    "철회",
    "폐기",
    "제거",
    "제외",
    "取消",
    "跳过",
    "废弃",
];

const DONE: &[&str] = &[
    "done",
    "completed",
    "complete",
    "finished",
    "closed",
    "merged",
    "완료",
    "已完成",
    "完成",
    "完了",
    "erledigt",
    "abgeschlossen",
    "completad",
    "terminé",
    "terminad",
    "concluíd",
    "выполнен",
    "завершен",
    "завершён",
];

/// The endings of states in languages that have them: `terminée`, `completada`.
const ENDINGS: &[&str] = &["e", "es", "s", "o", "a", "os", "as", "о", "а", "ы"];

#[rustfmt::skip]
const SIGNS: &[char] = &[
    '✅', '✓', '✔', '☑', '❌', '✖', '🚫', '⛔', '🗑', '⏭', '⏳', '🔄', '🚧', '⬜', '🔲', '⏸', '🔜', '\u{fe0f}',
];

/// Where the decoration at the end of the line begins.
fn tail(line: &str) -> usize {
    let mut end = line.trim_end_matches('#').trim_end().len();
    if end < line.len() && !line.get(..end).is_some_and(|kept| kept.ends_with([' ', '\t'])) {
        end = line.len();
    }
    let whole = end;
    for _ in 0..NOTES {
        let Some(start) = last_note(line.get(..end).unwrap_or_default()) else { break };
        end = unjoined(line.get(..start).unwrap_or_default()).len();
    }
    if end == whole || line.get(..end).is_none_or(|kept| kept.trim_matches(['#', ' ', '\t']).is_empty()) {
        return line.len();
    }
    end
}

/// Where the last note of `line` begins, if it is decoration.
fn last_note(line: &str) -> Option<usize> {
    let line = line.trim_end();
    link_note(line)
        .or_else(|| marker_note(line))
        .or_else(|| sign_note(line))
        .or_else(|| bracket_note(line))
        .or_else(|| dash_note(line))
        .or_else(|| commit_note(line))
}

/// The commit that a finished task ends with: `1a2b3c4`.
fn commit_note(line: &str) -> Option<usize> {
    let start = line.rfind(' ')? + 1;
    line.get(start..).is_some_and(is_commit).then_some(start)
}

/// An abbreviated name of a commit; letters or digits alone are words and numbers.
pub(crate) fn is_commit(text: &str) -> bool {
    let hex = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
    (7..=40).contains(&text.len())
        && text.bytes().all(hex)
        && text.contains(|c: char| c.is_ascii_digit())
        && text.contains(|c: char| c.is_ascii_lowercase())
}

/// `→ [📋](./.task/IMPL-1.json)` and `| [✅](./.summaries/IMPL-1-summary.md)`.
fn link_note(line: &str) -> Option<usize> {
    let open = line.strip_suffix(')')?.rfind("](")?;
    let target = line.get(open + 2..line.len() - 1)?;
    if !(links::is_task(target) || links::is_summary(target)) {
        return None;
    }
    let start = line.get(..open)?.rfind('[')?;
    let before = unjoined(line.get(..start)?);
    // A dash can join a link like an arrow, but before other notes it may be part of the name.
    Some(before.strip_suffix(" -").unwrap_or(before).trim_end().len())
}

/// `` `cc:TODO` `` at the end, with or without a date behind it.
fn marker_note(line: &str) -> Option<usize> {
    let found = markers::find(line)?;
    let after = line.get(found.at.end + 1..)?;
    is_light(after).then(|| found.at.start - 1)
}

/// The text without a trailing arrow or bar that led to the removed part.
fn unjoined(text: &str) -> &str {
    let text = text.trim_end();
    ["→", "->", "|"].iter().find_map(|joint| text.strip_suffix(joint)).unwrap_or(text).trim_end()
}

/// A sign followed only by a date or similar.
fn sign_note(line: &str) -> Option<usize> {
    if line.is_ascii() {
        return None;
    }
    let (start, sign) =
        line.char_indices().rev().take(NEAR).find(|(_, c)| SIGNS.contains(c) && *c != '\u{fe0f}')?;
    let after = line.get(start + sign.len_utf8()..)?.trim_start_matches('\u{fe0f}');
    if !is_light(after) && !is_remark(after) {
        return None;
    }
    let before = line.get(..start)?;
    let opened = before.trim_end().strip_suffix(['(', '[', '*']).map(|text| text.trim_end_matches('*').len());
    let balanced = after.ends_with([')', ']', '*']);
    Some(if balanced { opened.unwrap_or(start) } else { start })
}

/// What may stand behind a sign of state: a remark in brackets, or a word in capitals that says the same.
fn is_remark(after: &str) -> bool {
    let said = after.trim();
    let inner = said.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let bracketed = inner.is_some_and(|inner| !inner.is_empty() && !inner.contains(['(', ')']));
    bracketed || says_done(said) && said.chars().all(char::is_uppercase)
}

/// `(DONE 2026-04-15)`, `[removed]`, `*(current phase)*`, `**삭제됨**` at the end.
fn bracket_note(line: &str) -> Option<usize> {
    let slanted = line.strip_suffix('*').filter(|rest| rest.ends_with([')', ']']));
    let start = note_in_brackets(slanted.unwrap_or(line))?;
    // The star that opens the emphasis belongs to the note.
    let before = line.get(..start)?;
    Some(before.strip_suffix('*').filter(|rest| rest.ends_with(' ')).map_or(start, str::len))
}

fn note_in_brackets(line: &str) -> Option<usize> {
    let (open, close) = match line.chars().next_back()? {
        ')' => ("(", ")"),
        ']' => ("[", "]"),
        '*' if line.ends_with("**") => ("**", "**"),
        _ => return None,
    };
    let inner_end = line.len() - close.len();
    let start = match open.as_bytes() {
        // Searching for a single byte is much faster than for a string.
        [byte] => line.as_bytes().get(..inner_end)?.iter().rposition(|other| other == byte)?,
        _ => line.get(..inner_end)?.rfind(open)?,
    };
    let inner = line.get(start + open.len()..inner_end)?;
    let bare = inner.trim_matches('`');
    let commit = is_commit(bare) || bare.len() == 7 && bare.bytes().all(|byte| byte.is_ascii_digit());
    if !is_status(inner) && !commit {
        return None;
    }
    let before = line.get(..start)?.trim_end();
    let dash = before.strip_suffix(['—', '–', '-']).filter(|rest| rest.ends_with(' '));
    Some(dash.map_or(start, |rest| rest.trim_end().len()))
}

/// `— DONE 2026-04-15` at the end.
fn dash_note(line: &str) -> Option<usize> {
    let plain = last_dash(line.as_bytes()).map(|at| (at, 3));
    let others = || DASHES.iter().filter_map(|dash| line.rfind(dash).map(|at| (at, dash.len()))).max();
    let at = if line.is_ascii() { plain } else { plain.max(others()) }?;
    let after = line.get(at.0 + at.1..)?;
    let word = DONE.iter().chain(DROPPED).find(|word| starts_with_word(after.trim(), word))?;
    let rest = after.trim().get(word.len()..)?;
    is_light(rest).then_some(at.0)
}

/// Where the last ` - ` begins.
fn last_dash(line: &[u8]) -> Option<usize> {
    let mut end = line.len();
    loop {
        let at = line.get(..end)?.iter().rposition(|&byte| byte == b'-')?;
        let blanks = line.get(at.wrapping_sub(1)) == Some(&b' ') && line.get(at + 1) == Some(&b' ');
        if blanks {
            return at.checked_sub(1);
        }
        end = at;
    }
}

/// The non-ASCII dashes.
const DASHES: &[&str] = &[" — ", " – "];

/// How far back to search for a sign, in characters.
const NEAR: usize = 48;

/// The maximum number of notes at the end of a line.
const NOTES: usize = 8;

fn starts_with_word(text: &str, word: &str) -> bool {
    let first = |text: &str| text.as_bytes().first().map(u8::to_ascii_lowercase);
    first(text) == first(word) && text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
}

/// A note that begins with a state word and does not continue as a sentence.
fn is_status(note: &str) -> bool {
    let note = note.trim_start_matches(|c: char| SIGNS.contains(&c) || c.is_whitespace() || c == '*');
    if is_begun(note) {
        return true;
    }
    let found = DONE.iter().chain(DROPPED).find(|word| starts_with_word(note, word));
    let Some(word) = found else { return false };
    let rest = note.get(word.len()..).unwrap_or_default();
    let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let inflected = rest.get(..end).is_some_and(|ending| ENDINGS.contains(&ending));
    let rest = if inflected { rest.get(end..).unwrap_or_default() } else { rest };
    !rest.trim_start().starts_with(|c: char| c.is_ascii_lowercase())
}

/// Only dates, punctuation and state words.
fn is_light(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).all(|word| {
        let lower = word.to_lowercase();
        DONE.contains(&lower.as_str()) || DROPPED.contains(&lower.as_str()) || lower == "t" || lower == "z"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completion_notes_are_decoration() {
        for (line, kept) in [
            ("### [x] TODO 1: Build it ✅ 2026-04-15", "### [x] TODO 1: Build it"),
            ("### [x] TODO 1: Build it [✅ 2026-04-15]", "### [x] TODO 1: Build it"),
            ("### [x] TODO 1: Build it (DONE 2026-04-15)", "### [x] TODO 1: Build it"),
            ("### [~] TODO 9: Chart — **삭제됨 (2026-05-12)**", "### [~] TODO 9: Chart"),
            ("### [x] TODO 2: Build it — done", "### [x] TODO 2: Build it"),
            ("### [~] ~~TODO 3: Old~~ (REVERTED)", "### [~] TODO 3: Old"),
            ("### [x] TODO 1: Build it ✔️", "### [x] TODO 1: Build it"),
            ("Build → it → [📋](./.task/I-1.json) | [✅](./.summaries/I-1-summary.md)", "Build → it"),
            ("Build it -> [JSON](./.task/I-1.json) ✅ 已完成 (2026-01-25)", "Build it"),
            ("Build it - [Task JSON](./.task/I-1.json) [S](.summaries/a.md)  ", "Build it"),
            ("Build it → [✅ 2025-12-14]", "Build it"),
            ("Build `it` `cc:完了` (2026-01-02)", "Build `it`"),
            ("Build it [1a2b3c4]", "Build it"),
            ("Build it (0badc0de)", "Build it"),
            ("Build it [0123456]", "Build it"),
            ("Build it 1a2b3c4", "Build it"),
            ("## Phase 1 — Socle (terminée)", "## Phase 1 — Socle"),
            ("## Phase 2 — Cœur (en cours : 15 / 22)", "## Phase 2 — Cœur"),
            ("## Fase 3: Cavar (completada)", "## Fase 3: Cavar"),
            ("### Phase A — Graben ✅ (erledigt)", "### Phase A — Graben"),
            ("### Tarea 1.1: Cavar ✅ COMPLETADA", "### Tarea 1.1: Cavar"),
        ] {
            assert_eq!(without(line), kept);
        }
    }

    #[test]
    fn titles_are_left_alone() {
        for line in [
            "### [ ] TODO 1: Add ✅ icon to the button",
            "### [ ] TODO 1: Add ✅ and ❌ (two icons) to it",
            "### [ ] TODO 2: Rewrite (complete rewrite of the parser)",
            "### [ ] TODO 3: Parse — then print",
            "### [ ] TODO 4: Remove removed rows",
            "Undo the defaced (effaced)",
            "Serve port 1234567",
            "### [ ] TODO 5: Show `done` (3 forms)",
            "###",
            "",
            "✅",
        ] {
            assert_eq!(without(line), line);
        }
    }

    #[test]
    fn abandoned_and_begun_work_is_told_by_a_note() {
        for text in ["~~Phase 3.4~~ ABANDONED", "~~Old~~", "**~~Old~~** (see 4)", "~~Old~~ — not needed"] {
            assert!(is_struck(text), "{text}");
        }
        for text in ["~~old~~ New name of it", "New ~~old~~", "~~open"] {
            assert!(!is_struck(text), "{text}");
        }
        for text in ["Dig (Skipped: no shovel)", "Dig — dropped", "Dig **(cancelled)**"] {
            assert!(notes_dropped(text), "{text}");
        }
        for text in ["Show skipped rows (3 forms)", "Remove removed - rows", "Handle `dropped` (all)"] {
            assert!(!notes_dropped(text), "{text}");
        }
        assert!(notes_deferred("Dig *(deferred)*") && !notes_deferred("Show deferred rows (3 forms)"));
        assert_eq!(begins_with("**IN PROGRESS** — Dig"), Some(State::InProgress));
        assert_eq!(begins_with("BLOCKED: dig"), Some(State::Blocked));
        assert_eq!(begins_with("Blocked users: list them"), None);
        assert!(says_begun("Phase 4: tune (in progress)") && !says_begun("Show work in progress"));
    }
}
