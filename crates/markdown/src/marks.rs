//! The box of a task: the position of its mark, and its meaning.
//!
//! A mark is the text between the brackets: `[ ]`, `[x]`, `[]`, `[~]`, or a state in words: `[completed]`,
//! `[in_progress]`. Finding a box does not depend on its state, so that no tick can make a task appear or disappear.

use crate::Extent;
use wire::State;

/// The meaning of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// A state.
    Is(State),
    /// Dropped or blocked: the words beside it decide.
    Dropped,
    /// Unknown: treated as not done, with a warning.
    Unknown,
}

/// The box at the beginning of `text`: the range of its mark, and the offset of the text after it.
pub fn find(text: &str) -> Option<(Extent, usize)> {
    let inner = text.strip_prefix('[')?;
    if let Some(found) = overwritten(inner).or_else(|| explained(inner)) {
        return Some(found);
    }
    let close = inner.bytes().take(LONGEST + 1).position(|byte| byte == b']')?;
    let mark = inner.get(..close)?;
    if mark.contains(['[', '\n', '\r', '`']) || mark.trim().chars().count() > 1 && word(mark).is_none() {
        return None;
    }
    // `[1] text` is a footnote and `[x](url)` is a link.
    if mark.trim().chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    let rest = inner.get(close + 1..)?;
    // `[ ]* text` is an optional task in some dialects; editors escape the star.
    let star = ["*", "\\*"]
        .into_iter()
        .find(|star| rest.strip_prefix(star).is_some_and(|rest| rest.starts_with([' ', '\t'])));
    let star = star.map_or(0, str::len);
    let rest = rest.get(star..)?;
    let blanks = rest.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if blanks == 0 && !(rest.is_empty() || rest.starts_with(['\n', '\r'])) {
        return None;
    }
    Some((Extent { start: 1, end: 1 + close }, close + 2 + star + blanks))
}

/// The mark at the end of a line: `Dig a hole [COMPLETED]`, a word of state in capitals, or `Dig a hole [x]`.
pub fn at_end(line: &str) -> Option<Extent> {
    let inner = line.trim_end().strip_suffix(']')?;
    let open = inner.rfind('[')?;
    let (before, said) = (inner.get(..open)?, inner.get(open + 1..)?);
    let spaced = before.ends_with([' ', '\t']) && !before.trim().is_empty();
    let loud = !said.contains(char::is_lowercase) && word(said).is_some();
    let plain = matches!(said, " " | "x" | "X");
    (spaced && (loud || plain)).then_some(Extent { start: open + 1, end: inner.len() })
}

/// `[US3] T034 …`: brackets before the id of a task are its box, even where a tag has taken the place of the mark.
fn overwritten(inner: &str) -> Option<(Extent, usize)> {
    let close = inner.bytes().take(LONGEST).position(|byte| byte == b']')?;
    let tag = inner.get(..close)?;
    let rest = inner.get(close + 1..)?;
    let id = rest.strip_prefix(' ')?.strip_prefix('T')?;
    let digits = id.bytes().take_while(u8::is_ascii_digit).count();
    let ends = !id.get(digits..)?.starts_with(|c: char| c.is_alphanumeric() || c == '-');
    let is_tag = (1..=8).contains(&tag.len()) && tag.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_tag && digits >= 3 && ends).then_some((Extent { start: 1, end: 1 + close }, close + 3))
}

/// `[SKIPPED — out of scope] …`: the word is the mark, and a reason follows it.
fn explained(inner: &str) -> Option<(Extent, usize)> {
    let close =
        inner.bytes().take(LONGEST_REASON).position(|byte| byte == b']').filter(|close| *close > 2)?;
    let said = inner.get(..close).filter(|said| !said.contains(['[', '\n', '\r']))?;
    let end = [" — ", " – ", " - ", ": "].iter().filter_map(|sign| said.find(sign)).min()?;
    let known = word(said.get(..end)?).is_some();
    let blanks = inner.get(close + 1..)?.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    (known && blanks > 0).then_some((Extent { start: 1, end: 1 + end }, close + 2 + blanks))
}

/// The longest mark with a reason in bytes.
const LONGEST_REASON: usize = 120;

/// The range of the mark in a heading's line. Before `TODO` even several letters are a mark: whatever it means, the
/// heading is a task.
pub fn in_heading(line: &str) -> Option<Extent> {
    let text = without_signs(line.trim_start_matches('#'));
    let start = line.len() - text.len();
    let moved = |at: Extent| Extent { start: start + at.start, end: start + at.end };
    if let Some((at, _)) = find(text) {
        return Some(moved(at));
    }
    let inner = text.strip_prefix('[')?;
    let (mark, rest) = inner.split_once(']')?;
    let word = rest.trim_start_matches([' ', '\t', '~', '*']).get(..4)?;
    let wide = mark.len() <= 24 && !mark.contains(['[', '`']) && word.eq_ignore_ascii_case("todo");
    wide.then(|| moved(Extent { start: 1, end: 1 + mark.len() }))
}

/// A heading's text without the signs before its box or name: emphasis, a bullet, a pictogram such as `🔄`.
pub fn without_signs(text: &str) -> &str {
    let picture = |c: char| !c.is_ascii() && !c.is_alphanumeric() && !is_quote(c);
    text.trim_start_matches(|c: char| matches!(c, ' ' | '\t' | '~' | '*' | '_' | '-' | '+') || picture(c))
}

/// Punctuation of other scripts that opens a quotation or a note, and so belongs to a title.
fn is_quote(c: char) -> bool {
    matches!(c, '“' | '‘' | '«' | '„' | '「' | '『' | '《' | '（' | '【' | '¿' | '¡' | '…')
}

/// The longest mark in bytes: a word with blanks around it.
const LONGEST: usize = 24;

/// The meaning of a mark.
pub fn meaning(mark: &str) -> Meaning {
    match mark.trim() {
        "" => Meaning::Is(State::Pending),
        "x" | "X" | "✓" | "✔" | "✔\u{fe0f}" | "✅" => Meaning::Is(State::Completed),
        "-" => Meaning::Is(State::InProgress),
        "!" => Meaning::Is(State::Blocked),
        "~" => Meaning::Dropped,
        other => word(other).map_or(Meaning::Unknown, Meaning::Is),
    }
}

/// The state of a mark that is a word. The list is closed: any other word in brackets is a label or a link.
pub fn word(mark: &str) -> Option<State> {
    let mark = mark.trim();
    // Every word is longer than a mark, and most brackets hold neither.
    if mark.len() < 3 || mark.len() > LONGEST {
        return None;
    }
    let plain = mark.to_lowercase().replace(['_', '-'], " ");
    WORDS.iter().find(|(words, _)| words.contains(&plain.as_str())).map(|(_, state)| *state)
}

#[rustfmt::skip]
const WORDS: &[(&[&str], State)] = &[
    (&["pending", "todo", "to do", "not started", "planned", "queued", "未着手", "未开始", "待办", "待处理", "대기"], State::Pending),
    (&["in progress", "inprogress", "wip", "doing", "ongoing", "進行中", "进行中", "진행중", "진행 중"], State::InProgress),
    (&["done", "complete", "completed", "finished", "完了", "完成", "已完成", "완료"], State::Completed),
    (&["blocked", "deferred", "on hold", "paused", "阻塞", "暂停"], State::Blocked),
    (&["failed"], State::Failed),
    (&["skipped", "cancelled", "canceled", "dropped", "abandoned", "won't do", "wontfix", "跳过", "取消"], State::Skipped),
];

/// Whether a box that is not a task counts as ticked.
pub fn is_ticked(mark: &str) -> bool {
    meaning(mark) == Meaning::Is(State::Completed)
}

/// The text after a bullet or number.
pub fn after_bullet(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?;
    let rest = if digits == 0 { rest.strip_prefix(['-', '*', '+'])? } else { rest.strip_prefix(['.', ')'])? };
    rest.starts_with([' ', '\t']).then(|| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_found_whatever_is_in_it() {
        for mark in ["", " ", "x", "X", "~", "?", "-", "✅", "v", " x "] {
            let text = format!("[{mark}] do");
            let (at, after) = find(&text).unwrap();
            assert_eq!(&text[at.start..at.end], mark);
            assert_eq!(&text[after..], "do");
        }
        assert!(find("[x]").is_some());
        assert_eq!(find("[ ]* do"), Some((Extent { start: 1, end: 2 }, 5)));
        assert_eq!(find("[ ]\\* do"), Some((Extent { start: 1, end: 2 }, 6)));
        assert_eq!(find("[US3] T034 do"), Some((Extent { start: 1, end: 4 }, 6)));
        assert_eq!(find("[5] T069 do"), Some((Extent { start: 1, end: 2 }, 4)));
        assert_eq!(find("[SKIPPED — no need] do"), Some((Extent { start: 1, end: 8 }, 22)));
        for other in ["[US3] the T034", "[5] T2 do", "[T001] T002-T004", "[Done: it](url)", "[see: it] do"] {
            assert_eq!(find(other), None, "{other}");
        }
    }

    #[test]
    fn a_word_of_state_is_a_mark_and_no_other_word_is() {
        for (text, state) in [
            ("[completed] do", State::Completed),
            ("[IN_PROGRESS] do", State::InProgress),
            ("[in progress] do", State::InProgress),
            ("[pending] do", State::Pending),
            ("[已完成] do", State::Completed),
        ] {
            let (at, _) = find(text).unwrap();
            assert_eq!(meaning(&text[at.start..at.end]), Meaning::Is(state), "{text}");
        }
        for text in
            ["[US3] do", "[MODIFY] a.rs", "[done](url)", "[pending]: url", "[Story] label", "[TBD] later"]
        {
            assert!(find(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_word_of_state_in_capitals_may_end_the_line() {
        for (line, mark) in [
            ("Dig [COMPLETED]", "COMPLETED"),
            ("Dig [in] [IN_PROGRESS] ", "IN_PROGRESS"),
            ("挖 [已完成]", "已完成"),
            ("Dig [ ]", " "),
            ("**Dig**: a hole [x]", "x"),
        ] {
            let at = at_end(line).unwrap();
            assert_eq!(&line[at.start..at.end], mark, "{line}");
        }
        for line in ["moves to [done]", "[DONE]", "Dig[DONE]", "Dig [API]", "Dig [DONE](url)", "Dig `[DONE]`"]
        {
            assert_eq!(at_end(line), None, "{line}");
        }
    }

    #[test]
    fn a_heading_may_begin_with_signs() {
        for line in ["### [ ] TODO 1", "### 🔄 [ ] TODO 1", "## ~~[ ] a~~", "### - [ ] a", "### ▶️ **[ ] a**"]
        {
            let at = in_heading(line).unwrap();
            assert_eq!(&line[at.start - 1..=at.end], "[ ]", "{line}");
        }
        for line in ["### see [ ] there", "### 1. [ ] a", "### «[ ] a»"] {
            assert!(in_heading(line).is_none(), "{line}");
        }
    }

    #[test]
    fn links_and_footnotes_are_no_boxes() {
        for text in ["[x](y)", "[1] note", "[link] text", "[x]: y", "[", "[x", "[[x]] y", ""] {
            assert!(find(text).is_none(), "{text}");
        }
    }
}
