//! Decides from the text of a line alone whether it looks like a task.

use crate::states::status_cell;
use checks::commands::{self, Shape};
use markdown::code_spans::{self, Code};
use markdown::marks;

/// The part of a line that looks like a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) kind: Kind,
    /// Its offset in the line.
    pub(crate) at: usize,
}

/// The kind of match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A box at the beginning of the text.
    Box,
    /// Brackets at the beginning of an item or heading that are not a box.
    Brackets,
    /// A box later in the line.
    Inline,
    /// A heading with a word such as `TODO` and a number.
    Heading,
}

/// The part of the line that looks like a task, if any.
pub(crate) fn look(line: &str) -> Option<Look> {
    // Most lines have neither brackets nor a heading; return early for them.
    let brackets = line.contains('[');
    let plain = line.trim_start_matches([' ', '\t', '>']);
    if !brackets && !plain.starts_with('#') {
        return None;
    }
    let (text, role) = without_bullets(plain);
    let at = line.len() - text.len();
    if marks::find(text).is_some() || role == Role::Heading && marks::in_heading(plain).is_some() {
        return Some(Look { kind: Kind::Box, at });
    }
    if role != Role::Text && brackets && has_brackets(text) {
        return Some(Look { kind: Kind::Brackets, at });
    }
    if role == Role::Heading && is_numbered(text) {
        return Some(Look { kind: Kind::Heading, at });
    }
    let inline = BOXES.iter().filter_map(|open| line.find(open)).min()?;
    Some(Look { kind: Kind::Inline, at: inline })
}

/// What else may state work in a line: a number, a sign of state or a command, in words.
pub(crate) fn other(line: &str) -> Option<&'static str> {
    let text = line.trim_start();
    let numbered = text.starts_with(|c: char| c.is_ascii_digit());
    let (bare, role) = without_bullets(text);
    let first = text.trim_start_matches(['#', '-', '*', '+', ' ']).chars().next();
    if role != Role::Text && first.is_some_and(|c| status_cell::of_sign(c).is_some()) {
        return Some("a sign");
    }
    if role == Role::Item && numbered {
        return Some("a numbered item");
    }
    let command = |code: &Code| {
        let inner = line.get(code.inner.start..code.inner.end).unwrap_or_default();
        commands::shape(inner) == Shape::Command
    };
    // Most lines have no code.
    let coded = bare.contains('`') && code_spans::spans(line).iter().any(command);
    coded.then_some("a command")
}

const BOXES: &[&str] = &["[ ]", "[x]", "[X]"];

/// The words at the beginning of a task heading.
const WORDS: &[&str] = &["todo", "task", "steps", "step", "cycle", "item", "phase"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Heading,
    Item,
    Text,
}

/// The text without leading heading, item and emphasis marks.
fn without_bullets(line: &str) -> (&str, Role) {
    let mut text = line;
    let mut role = Role::Text;
    // Nested items may begin on one line; eight levels are more than plans use.
    for _ in 0..8 {
        let bare = text.trim_start_matches('#');
        if bare.len() < text.len() && bare.starts_with([' ', '\t']) {
            (text, role) = (bare.trim_start(), Role::Heading);
            continue;
        }
        let Some(after) = bullet(text) else { break };
        (text, role) = (after, if role == Role::Heading { role } else { Role::Item });
    }
    if role == Role::Heading {
        text = marks::without_signs(text).trim_start_matches('`');
    }
    (text, role)
}

fn bullet(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?;
    let rest = if digits == 0 { rest.strip_prefix(['-', '*', '+']) } else { rest.strip_prefix(['.', ')']) };
    let rest = rest?;
    rest.starts_with([' ', '\t']).then(|| rest.trim_start_matches([' ', '\t']))
}

fn has_brackets(text: &str) -> bool {
    let inner = text.strip_prefix('[').unwrap_or_default();
    inner.bytes().take(24).position(|byte| byte == b']').is_some_and(|close| close > 0)
}

fn is_numbered(text: &str) -> bool {
    let Some((_, id)) = named(text) else { return false };
    id.contains(|c: char| c.is_ascii_digit()) || id.eq_ignore_ascii_case("final")
}

/// The word and the number at the beginning of a text: `TODO` and `2a`.
pub(crate) fn named(text: &str) -> Option<(&'static str, &str)> {
    let found = WORDS.iter().find(|word| {
        text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
            && !text.get(word.len()..).is_some_and(|rest| rest.starts_with(char::is_alphabetic))
    });
    let word = found?;
    let id = text.get(word.len()..)?.trim_start_matches([' ', '\t', '-', '_', '#', ':', '*', '[']);
    Some((word, id.split([' ', '\t', ':', '*', '\r', '\n']).next().unwrap_or_default()))
}

/// Like [`named`], for a line that is a heading or an item, with or without a box.
pub(crate) fn names(line: &str) -> Option<(&'static str, &str)> {
    let (text, role) = without_bullets(line.trim_start_matches([' ', '\t', '>']));
    let text = marks::find(text).map_or(text, |(_, after)| text.get(after..).unwrap_or_default());
    numbered(text).filter(|_| role != Role::Text)
}

/// Like [`named`], for the text after bullet and box.
pub(crate) fn numbered(text: &str) -> Option<(&'static str, &str)> {
    named(text.trim_start_matches(['*', '~', '_', '`']))
        .filter(|(_, id)| id.contains(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_like_lines_are_recognised() {
        for (line, kind) in [
            ("### [ ] TODO 1: do", Some(Kind::Box)),
            ("### ~~[x] TODO 1: do~~", Some(Kind::Box)),
            ("### [done] TODO 1: do", Some(Kind::Box)),
            ("- [x] do", Some(Kind::Box)),
            ("> 1. [?] do", Some(Kind::Box)),
            ("[ ] do", Some(Kind::Box)),
            ("- [1] footnote", Some(Kind::Brackets)),
            ("- [TBD] later", Some(Kind::Brackets)),
            ("- [link](there)", Some(Kind::Brackets)),
            ("| a | [ ] |", Some(Kind::Inline)),
            ("### TODO 1: do", Some(Kind::Heading)),
            ("#### Cycle 1.2: do", Some(Kind::Heading)),
            ("## Steps 2.1-2.3: do", Some(Kind::Heading)),
            ("## TODOs", None),
            ("## Stepping 1", None),
            ("text [link] text", None),
            ("a[0] = 1", None),
            ("", None),
        ] {
            assert_eq!(look(line).map(|look| look.kind), kind, "{line}");
        }
    }
}
