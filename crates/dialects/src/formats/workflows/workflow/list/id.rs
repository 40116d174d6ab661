//! Ids of a session's tasks: `IMPL-001`, `IMPL-1.2`, `IMPL-A1`, `TEST-3`, `IMPL-001.5-review`.
//!
//! An id is a name: `IMPL-1` is never `IMPL-10` nor `IMPL-001`. A dot does not make a child: `IMPL-001.5` may be a
//! task inserted between two others.

use std::collections::{HashMap, HashSet};

/// The id at the beginning of `text`.
pub(crate) fn leading(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let letters = bytes.iter().take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()).count();
    let begins = bytes.first().is_some_and(u8::is_ascii_uppercase);
    if !begins || letters > 12 || bytes.get(letters) != Some(&b'-') || text.starts_with("WFS-") {
        return None;
    }
    let mut end = letters + 1;
    end += count(bytes, end, u8::is_ascii_uppercase).min(2);
    let digits = count(bytes, end, u8::is_ascii_digit);
    if digits == 0 || digits > 9 {
        return None;
    }
    end += digits;
    if bytes.get(end).is_some_and(u8::is_ascii_lowercase) && !is_word(bytes.get(end + 1)) {
        end += 1;
    }
    while bytes.get(end) == Some(&b'.') && count(bytes, end + 1, u8::is_ascii_digit) > 0 {
        end += 1 + count(bytes, end + 1, u8::is_ascii_digit);
    }
    while bytes.get(end) == Some(&b'-') && count(bytes, end + 1, u8::is_ascii_lowercase) > 0 {
        end += 1 + count(bytes, end + 1, u8::is_ascii_lowercase);
    }
    if is_word(bytes.get(end)) || end > 64 {
        return None;
    }
    text.get(..end)
}

/// The id at the beginning of a task's text, plain, in bold or in code, and the text after it.
///
/// `SHA-256 sums` looks like an id too: a prefix without a task file must be wrapped or followed by a colon.
pub(crate) fn of_task<'t>(text: &'t str, prefixes: &[String]) -> Option<(&'t str, &'t str)> {
    let bare = text.trim_start_matches(['*', '`', '_', '~', ' ', '\t']);
    let id = leading(bare)?;
    let rest = bare.get(id.len()..)?;
    let closed = rest.trim_start_matches(['*', '`', '_', '~']);
    let wrapped = bare.len() < text.trim_start().len() && closed.len() < rest.len();
    let colon = closed.starts_with([':', '：']);
    let prefix = id.split('-').next().unwrap_or_default();
    let known = KNOWN.contains(&prefix) || prefixes.iter().any(|known| known == prefix);
    if !(wrapped || colon || known) || is_arrow(closed) {
        return None;
    }
    let rest = closed.trim_start_matches([':', '：', ' ', '\t', '*', '—', '–']);
    Some((id, rest.strip_prefix("- ").unwrap_or(rest)))
}

const KNOWN: &[&str] = &["IMPL", "TASK", "TEST", "FIX", "CMD", "ANALYSIS", "T"];

/// `IMPL-1 → IMPL-2` is about two tasks and names neither.
fn is_arrow(text: &str) -> bool {
    let signs = ["→", "->", "=>", ",", "+", "、", "，", "||"];
    // A slash with a blank before it begins the name of a command.
    text.starts_with('/') || signs.iter().any(|sign| text.trim_start().starts_with(sign))
}

/// The ids of a plan, for searching texts.
pub(crate) struct Ids {
    names: Vec<String>,
    index: HashMap<String, usize>,
    prefixes: HashSet<String>,
}

/// One id in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    /// As written, or spelled out from an abbreviation.
    pub(crate) id: String,
    /// Where it begins.
    pub(crate) start: usize,
    /// One past its end.
    pub(crate) end: usize,
}

impl Ids {
    /// The ids of tasks, in list order.
    pub(crate) fn new(names: impl Iterator<Item = String>) -> Self {
        let names: Vec<String> = names.collect();
        let mut index = HashMap::with_capacity(names.len());
        for (number, name) in names.iter().enumerate() {
            index.entry(name.to_uppercase()).or_insert(number);
        }
        let prefixes = names.iter().filter_map(|name| name.split_once('-')).map(|(word, _)| word.to_owned());
        let prefixes = prefixes.collect();
        Self { names, index, prefixes }
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[String] {
        &self.names
    }

    /// The index of an id in the list.
    pub(crate) fn number(&self, id: &str) -> Option<usize> {
        self.index.get(&id.to_uppercase()).copied()
    }

    /// The id as spelled in the list; the oldest task files write it in lowercase.
    pub(crate) fn known(&self, id: &str) -> Option<&str> {
        self.names.get(self.number(id)?).map(String::as_str)
    }

    /// Every id in `text`, with `IMPL-002/003` and `IMPL-007 to IMPL-013` spelled out.
    pub(crate) fn mentions(&self, text: &str) -> Vec<Mention> {
        let mut found: Vec<Mention> = Vec::new();
        let mut at = 0;
        let mut word = false;
        while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let id = if word { None } else { text.get(at..).and_then(leading) };
            // `SHA-256` is not a task: an unknown id counts only if other ids share its prefix.
            let id = id.filter(|id| self.known(id).is_some() || self.has_prefix(id));
            let Some(id) = id else {
                word = c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
                at += c.len_utf8();
                continue;
            };
            let end = at + id.len();
            let from = found.last().filter(|last| is_range(text.get(last.end..at).unwrap_or_default()));
            let between = from.map(|from| self.between(&from.id, id)).unwrap_or_default();
            found.extend(between.into_iter().map(|id| Mention { id, start: at, end }));
            found.push(Mention { id: self.known(id).unwrap_or(id).to_owned(), start: at, end });
            at = self.short(text, id, end, &mut found);
            word = true;
        }
        found
    }

    fn has_prefix(&self, id: &str) -> bool {
        let prefix = id.split('-').next().unwrap_or_default();
        self.prefixes.contains(prefix)
    }

    /// Numbers after a slash stand for ids with the same prefix. Returns the end of the last one.
    fn short(&self, text: &str, id: &str, mut end: usize, found: &mut Vec<Mention>) -> usize {
        let stem = id.trim_end_matches(|c: char| c.is_ascii_digit());
        while let Some(rest) = text.get(end..).and_then(|rest| rest.strip_prefix('/')) {
            let digits = count(rest.as_bytes(), 0, u8::is_ascii_digit);
            let next = rest.as_bytes().get(digits);
            if digits == 0 || digits > 9 || is_word(next) || next == Some(&b'/') && stem.len() == id.len() {
                break;
            }
            let id = format!("{stem}{}", rest.get(..digits).unwrap_or_default());
            let start = end + 1;
            end = start + digits;
            found.push(Mention { id: self.known(&id).unwrap_or(&id).to_owned(), start, end });
        }
        end
    }

    /// The known ids between two others by number.
    fn between(&self, from: &str, to: &str) -> Vec<String> {
        let (Some((stem, low)), Some((other, high))) = (numbered(from), numbered(to)) else {
            return Vec::new();
        };
        let inside = |name: &&String| {
            numbered(name).is_some_and(|(own, number)| own == stem && low < number && number < high)
        };
        if stem == other { self.names.iter().filter(inside).cloned().collect() } else { Vec::new() }
    }
}

fn numbered(id: &str) -> Option<(&str, u64)> {
    let stem = id.trim_end_matches(|c: char| c.is_ascii_digit());
    Some((stem, id.get(stem.len()..)?.parse().ok()?))
}

fn is_range(between: &str) -> bool {
    matches!(
        between.trim_matches(['`', '*', ' ']),
        "to" | "through" | "~" | "–" | "—" | ".." | "..." | "至" | "到"
    )
}

fn is_word(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn count(bytes: &[u8], from: usize, is: impl Fn(&u8) -> bool) -> usize {
    bytes.get(from..).unwrap_or_default().iter().take_while(|byte| is(byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_all_forms_are_read() {
        for (text, id) in [
            ("IMPL-001: x", Some("IMPL-001")),
            ("IMPL-1.2", Some("IMPL-1.2")),
            ("IMPL-001.5-review x", Some("IMPL-001.5-review")),
            ("IMPL-A1", Some("IMPL-A1")),
            ("P0-2b rest", Some("P0-2b")),
            ("IMPL-1.", Some("IMPL-1")),
            ("IMPL-001.json", Some("IMPL-001")),
            ("WFS-20260227-083208", None),
            ("IMPL-", None),
            ("impl-1", None),
            ("IMPL-1x2", None),
        ] {
            assert_eq!(leading(text), id, "{text}");
        }
    }

    #[test]
    fn a_word_that_only_looks_like_an_id_is_none() {
        let none: &[String] = &[];
        assert!(of_task("SHA-256 sums everywhere", none).is_none());
        assert!(of_task("IMPL-1 → IMPL-2 first", none).is_none());
        assert_eq!(of_task("**SHA-256**: sums", none), Some(("SHA-256", "sums")));
        assert_eq!(of_task("`IMPL-005` P1-2 title", none), Some(("IMPL-005", "P1-2 title")));
        assert_eq!(of_task("CMD-001 /plan (`a.md`)", none), Some(("CMD-001", "/plan (`a.md`)")));
        assert_eq!(of_task("QA-1 look", &["QA".to_owned()]), Some(("QA-1", "look")));
    }

    #[test]
    fn abbreviations_and_ranges_are_spelled_out() {
        let ids = Ids::new((1..=9).map(|number| format!("IMPL-00{number}")));
        let names = |text: &str| ids.mentions(text).into_iter().map(|m| m.id).collect::<Vec<_>>();
        assert_eq!(names("IMPL-002/003/004 → IMPL-007"), ["IMPL-002", "IMPL-003", "IMPL-004", "IMPL-007"]);
        assert_eq!(names("IMPL-007 to IMPL-009"), ["IMPL-007", "IMPL-008", "IMPL-009"]);
        assert_eq!(names("{IMPL-001, XIMPL-002} 与 IMPL-003"), ["IMPL-001", "IMPL-003"]);
    }
}
