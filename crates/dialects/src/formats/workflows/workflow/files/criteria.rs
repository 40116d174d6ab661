//! The criteria of a task file: acceptance, convergence, test commands.
//!
//! Agents write `… - verify by grep -c 'x' f = 4`. The comparison is removed from the command, because a shell would
//! turn it into a file. Prose stays prose and is not run.

use crate::criteria::locate;
use crate::criteria::unclear::without_rewrite;
use checks::commands::{self, Shape};
use checks::{Located, Reading, Synonyms};
use markdown::Extent;
use serde_json::Value;
use wire::Task;
use wire::plan::{Criterion, Span};

/// The criteria of a task file, appended to the task. `file` is the whole file as a span, `bytes` its text.
pub(crate) fn read(value: &Value, file: &Span, bytes: &[u8], task: &mut Task) {
    let mut from = 0;
    for (path, category) in PLACES {
        let Some(found) = path.iter().try_fold(value, |at, key| at.get(key)) else { continue };
        for text in texts(found) {
            let span = place(text, file, bytes, &mut from);
            let base = Criterion { text: text.to_owned(), span: span.clone(), ..Criterion::default() };
            let found = read_one(text, *category).criteria(&base, |_| span.clone());
            // The bytes are those of a JSON string, not of the text in it.
            locate::add(task, word(*category), without_rewrite(found));
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Category {
    Acceptance,
    Verify,
    /// The whole text is a command.
    Test,
}

const PLACES: &[(&[&str], Category)] = &[
    (&["context", "acceptance"], Category::Acceptance),
    (&["context", "acceptance_criteria"], Category::Acceptance),
    (&["acceptance"], Category::Acceptance),
    (&["acceptance_criteria"], Category::Acceptance),
    (&["convergence", "criteria"], Category::Acceptance),
    (&["convergence", "verification"], Category::Verify),
    (&["flow_control", "acceptance_commands"], Category::Test),
    (&["flow_control", "test_commands"], Category::Test),
    (&["test", "commands"], Category::Test),
];

fn word(category: Category) -> &'static str {
    match category {
        Category::Acceptance => "acceptance",
        Category::Verify => "verify",
        Category::Test => "test",
    }
}

/// The strings of a list or a map, or a single string.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().filter_map(text_of).collect(),
        Value::Object(map) => map.values().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::Object(map) => {
            ["criterion", "text", "description", "command"].iter().find_map(|key| map.get(*key)?.as_str())
        }
        other => other.as_str(),
    }
}

/// A text in which the command has backquotes, stands behind `verify by`, or is all there is.
fn read_one(text: &str, category: Category) -> Reading {
    let (synonyms, at) = (Synonyms::project(), Extent::default());
    if text.contains('`') {
        return checks::read(&Located::text(text, at), synonyms);
    }
    let (title, tail) = match (category, behind_verify(text)) {
        (_, Some((title, tail))) => (title, tail),
        (Category::Acceptance, None) => return checks::read(&Located::text(text, at), synonyms),
        (Category::Verify | Category::Test, None) => ("", text),
    };
    let (command, wanted) = expectation(tail);
    let command = command.trim();
    let sure = command.is_ascii() && commands::shape(command) == Shape::Command && !is_prose(command);
    if category == Category::Test || title.is_empty() && sure {
        return checks::read_field(command, Some(wanted).filter(|wanted| !wanted.is_empty()), at, synonyms);
    }
    if !sure {
        return checks::read(&Located::text(text, at), synonyms);
    }
    let arrow = if wanted.is_empty() { "" } else { " → " };
    let written = format!("{title}: `{command}`{arrow}{wanted}");
    checks::read(&Located::text(&written, at), synonyms)
}

/// The text before and after `verify by` or `verified via`.
fn behind_verify(text: &str) -> Option<(&str, &str)> {
    let lower = text.to_ascii_lowercase();
    let found = [
        "verify by ",
        "verify via ",
        "verified by ",
        "verified via ",
        "verify: ",
        "verify with ",
        "验证命令 ",
    ];
    let (start, end) = found
        .iter()
        .filter_map(|word| lower.rfind(word).map(|at| (at, at + word.len())))
        .max_by_key(|at| at.1)?;
    let title = text.get(..start)?.trim_end_matches([' ', '-', '—', ':', '：', '(', ',']);
    let tail = text.get(end..)?.trim_end_matches([')', '.']).trim();
    (!tail.is_empty()).then_some((title, tail))
}

/// Splits `… >= 3`, `… = 4` and `… (exit code 0)` off the end.
fn expectation(text: &str) -> (&str, &str) {
    if let Some((command, note)) = text.rsplit_once(" (exit code ")
        && note.trim_end_matches(')').trim().bytes().all(|byte| byte.is_ascii_digit())
    {
        let start = command.len() + " (".len();
        return (command, text.get(start..).unwrap_or_default().trim_end_matches(')'));
    }
    let number = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - number.len();
    let head = number.trim_end();
    for sign in [">=", "<=", "==", "!=", "≥", "≤", "=", ">", "<"] {
        if let Some(command) = head.strip_suffix(sign).filter(|_| digits > 0)
            && command.ends_with(' ')
        {
            return (command, text.get(command.len()..).unwrap_or_default());
        }
    }
    (text, "")
}

/// Whether a text is a sentence that happens to begin with the name of a program.
fn is_prose(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    let plain =
        |word: &&&str| word.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b',' | b'.'));
    words.len() > 2 && words.iter().filter(plain).count() * 3 > words.len() * 2
}

/// The position of a string in the file; the whole file if it is written differently there.
fn place(text: &str, file: &Span, bytes: &[u8], from: &mut usize) -> Span {
    let written = serde_json::to_string(text).unwrap_or_default();
    let whole = std::str::from_utf8(bytes).unwrap_or_default();
    let find = |from: usize| whole.get(from..)?.find(&written).map(|at| from + at);
    let Some(start) = find(*from).or_else(|| find(0)) else { return file.clone() };
    let end = start + written.len();
    *from = end;
    let line = whole.get(..start).unwrap_or_default().matches('\n').count() as u64 + 1;
    Span { path: file.path.clone(), line, start: start as u64, end: end as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Option<String> {
        match read_one(text, Category::Acceptance) {
            Reading::Check(check) => Some(check.command),
            Reading::Unclear(unclear) => unclear.command,
            _ => None,
        }
    }

    #[test]
    fn a_comparison_never_stays_in_a_command() {
        for (text, run) in [
            ("All routes: verify by grep -c 'route' src/a.ts >= 3", "grep -c 'route' src/a.ts"),
            ("3 routes: verify by grep -c 'route' src/a.ts >= 3", "grep -c 'route' src/a.ts"),
            ("x - verify by ls src/*.ts | wc -l = 4", "ls src/*.ts | wc -l"),
            ("Suite passes: verify by npm test -- --run (exit code 0)", "npm test -- --run"),
        ] {
            assert_eq!(command(text).as_deref(), Some(run), "{text}");
        }
    }

    #[test]
    fn prose_stays_prose() {
        for text in [
            "16 endpoints documented: verify by counting documented endpoints = 16",
            "matches the original count",
            "verify by make sure that all pages are shown",
        ] {
            assert_eq!(command(text), None, "{text}");
        }
    }
}
