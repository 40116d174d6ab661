//! A criterion in words, taken apart: the command, what it must give, whether a program can judge it.
//!
//! The command is exactly what the plan has in its code span; a comparison or an arrow never stays in it. Prose, a
//! bare path and the name of an output are no commands.

use crate::commands::{self, Shape};
use crate::expectation::judge;
use crate::remarks;
use markdown::code_spans::{self, Code};
use wire::plan::{Criterion, Expect, ExpectKind};

/// A criterion with what its words say of a command; its name and its place are the caller's.
pub fn told(text: &str) -> Criterion {
    let (command, expect, runnable, skip) = split(text);
    Criterion { command, expect, runnable, skip, ..Criterion::default() }
}

/// The command, the expectation, whether it can be run and judged, and why it is to be left out.
pub fn split(text: &str) -> (Option<String>, Option<Expect>, bool, Option<String>) {
    let text = text.trim();
    if let Some(reason) = skip(text) {
        return (None, None, false, Some(reason));
    }
    let Some((command, label, rest)) = spanned(text).or_else(|| bare(text)) else {
        return (None, None, false, None);
    };
    if let Some(reason) = skip(rest.trim_start_matches(ARROWS).trim()) {
        return (Some(command), None, false, Some(reason));
    }
    let (runnable, expect) = match said(rest) {
        "" => announced(&command, label),
        said => {
            let expect = judge(&command, said);
            (expect.kind != ExpectKind::Unclear && !more_commands(rest), Some(expect))
        }
    };
    (Some(command), expect, runnable, None)
}

/// What is said of a command before it, `Should fail: …`, or in a comment of its own, where nothing follows it.
fn announced(command: &str, label: &str) -> (bool, Option<Expect>) {
    let label = label.trim_matches([':', '：', '*', ' ']);
    for said in [label, comment(command)].into_iter().filter(|said| !said.is_empty()) {
        let said =
            said.strip_prefix("expected:").or_else(|| said.strip_prefix("expect:")).unwrap_or(said).trim();
        let expect = judge(command, said);
        match expect.kind {
            ExpectKind::Exit if expect.number == Some(0) => {}
            ExpectKind::Unclear if remarks::denies(said) || begins_with_verb(said) => {
                return (false, Some(expect));
            }
            ExpectKind::Unclear => {}
            // A word such as `Count` or `Tests` is the name of a check.
            _ => return (true, Some(expect)),
        }
    }
    (true, None)
}

/// `Prints the name` is about the output.
fn begins_with_verb(said: &str) -> bool {
    let first = said.split(' ').next().unwrap_or_default().to_lowercase();
    said.contains(' ') && matches!(first.as_str(), "prints" | "outputs" | "returns" | "shows")
}

/// What stands behind a `#` in a command, outside of quotes.
fn comment(command: &str) -> &str {
    let mut quote = None;
    let mut blank = false;
    for (at, c) in command.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if blank && c == '#' => return command.get(at + 1..).unwrap_or_default().trim(),
            _ => {}
        }
        blank = c == ' ';
    }
    ""
}

/// The reason in `(SKIP - …)`, `(no tests)`, `(deferred to …)`, `(manual: …)`.
fn skip(text: &str) -> Option<String> {
    let whole = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let said = whole.unwrap_or(text).trim_start();
    // Nearly every criterion begins with another letter or sign than any of the words.
    if !said.starts_with(|c: char| SKIPS.iter().any(|word| word.starts_with(c.to_ascii_lowercase()))) {
        return None;
    }
    let lower = said.to_lowercase();
    // Whether it is the case somebody has to say.
    if ["skip on ", "skip if ", "skip when ", "skip unless ", "skip in "]
        .iter()
        .any(|when| lower.starts_with(when))
    {
        return None;
    }
    let noted = whole.is_some() && SKIPS.iter().any(|word| begins(&lower, word));
    // Outside parentheses only words that cannot begin an ordinary sentence count.
    let said = ["skip", "n/a"].iter().any(|word| begins(&lower, word));
    (noted || said).then(|| whole.unwrap_or(text).trim().to_owned())
}

const SKIPS: &[&str] = &[
    "skip",
    "skipped",
    "no",
    "none",
    "n/a",
    "deferred",
    "manual",
    "manually",
    "not applicable",
    "없음",
    "해당 없음",
    "생략",
    "수동",
];

fn begins(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

const ARROWS: [char; 6] = ['→', '⇒', '➜', '➔', ':', ' '];

/// A command in the first code span, alone or behind a label.
fn spanned(text: &str) -> Option<(String, &str, &str)> {
    let spans = code_spans::spans(text);
    let first: &Code = spans.first()?;
    let label = text.get(..first.at.start)?.trim();
    let (span, label) = match spans.get(1) {
        // `name`: `command`
        Some(second) if is_label(text.get(first.at.end..second.at.start)?.trim()) && label.is_empty() => {
            (second, ":")
        }
        _ => (first, label),
    };
    if !(label.is_empty() || is_label(label)) {
        return None;
    }
    let inner = text.get(span.inner.start..span.inner.end)?;
    let rest = text.get(span.at.end..)?;
    let (command, within) = cut(inner);
    let shape = commands::shape(command);
    let wanted = match shape {
        Shape::Command => true,
        Shape::Script => is_expected(rest) && !names_file(label),
        Shape::Other => false,
    };
    if !wanted {
        return None;
    }
    let rest = if within.is_empty() { rest } else { within };
    Some((command.trim().to_owned(), label, rest))
}

/// A command without backticks counts only before an arrow, where it can be nothing else.
fn bare(text: &str) -> Option<(String, &str, &str)> {
    if text.contains('`') {
        return None;
    }
    let (command, rest) = cut(text);
    let arrow = !rest.is_empty() && ARROW_WORDS.iter().any(|arrow| rest.trim_start().starts_with(arrow));
    let sure =
        arrow && command.is_ascii() && commands::shape(command) == Shape::Command && !is_prose(command);
    sure.then(|| (command.trim().to_owned(), "", rest))
}

/// `grep for the name`: every word plain means that a person is spoken to.
fn is_prose(command: &str) -> bool {
    command.split_whitespace().skip(1).all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase()))
        && command.split_whitespace().count() > 3
}

/// The arrows before a result.
pub const ARROW_WORDS: &[&str] = &["→", "⇒", "->", "=>"];

/// Splits what stands in one code span at an arrow or a comparison outside quotes: neither is part of a command.
fn cut(text: &str) -> (&str, &str) {
    let mut quote = None;
    // Whether a blank stands before.
    let mut blank = false;
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if blank => {
                let rest = text.get(at..).unwrap_or_default();
                if is_arrow(rest) || is_comparison(rest) {
                    return (text.get(..at).unwrap_or_default(), rest);
                }
            }
            _ => {}
        }
        blank = c == ' ';
    }
    (text, "")
}

fn is_arrow(text: &str) -> bool {
    ARROW_WORDS.iter().any(|arrow| text.strip_prefix(arrow).is_some_and(|rest| rest.starts_with(' ')))
}

/// `>= 2` and the like at the very end. A file whose name is a number does not occur.
fn is_comparison(text: &str) -> bool {
    let rest =
        [">=", "<=", "==", "!=", "≥", "≤", "≠", ">", "<"].iter().find_map(|sign| text.strip_prefix(sign));
    rest.is_some_and(|rest| {
        let number = rest.trim();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// What is said about the result, without the arrow before it.
fn said(rest: &str) -> &str {
    let rest = rest.trim();
    let rest = ARROW_WORDS.iter().find_map(|arrow| rest.strip_prefix(arrow)).unwrap_or(rest);
    rest.trim_start_matches([':', '—', '–', ' ']).trim()
}

fn is_expected(rest: &str) -> bool {
    let said = said(rest);
    !said.is_empty()
        && judge("", said).kind != ExpectKind::Unclear
        && !said.to_lowercase().starts_with("exist")
}

fn is_label(text: &str) -> bool {
    let text = text.trim_end_matches('*').trim_end();
    text.ends_with([':', '：'])
        || matches!(text.to_lowercase().as_str(), "run" | "running" | "execute" | "executing" | "실행")
}

/// A label that announces a file, not a command.
fn names_file(label: &str) -> bool {
    if label.is_empty() {
        return false;
    }
    let lower = label.to_lowercase();
    ["exist", "존재", "file", "파일", "path", "created"].iter().any(|word| lower.contains(word))
}

/// Whether the rest holds another command: judging one of two would prove half.
fn more_commands(rest: &str) -> bool {
    // A note in parentheses may name other commands as examples.
    let rest = rest.split('(').next().unwrap_or(rest);
    code_spans::spans(rest).iter().any(|code| {
        let inner = rest.get(code.inner.start..code.inner.end).unwrap_or_default();
        commands::shape(inner) == Shape::Command
    })
}
