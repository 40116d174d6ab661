//! The criteria of a task file: acceptance, convergence, test commands.
//!
//! Agents write `… - verify by grep -c 'x' f = 4`. The comparison is removed from the command, because a shell would
//! turn it into a file. Prose stays prose and is not run.

use checks::commands::{self, Shape};
use checks::{criterion, expectation};
use serde_json::Value;
use wire::Task;
use wire::plan::{Criterion, Expect, ExpectKind, Span};

/// The criteria of a task file, appended to the task. `file` is the whole file as a span, `bytes` its text.
pub(crate) fn read(value: &Value, file: &Span, bytes: &[u8], task: &mut Task) {
    let mut from = 0;
    for (path, category) in PLACES {
        let Some(found) = path.iter().try_fold(value, |at, key| at.get(key)) else { continue };
        for text in texts(found) {
            let (command, expect, runnable, skip) = split(text, *category);
            let span = place(text, file, bytes, &mut from);
            task.criteria.push(Criterion {
                id: format!("{}:{}", task.id, task.criteria.len() + 1),
                category: word(*category).to_owned(),
                text: text.to_owned(),
                command,
                expect,
                runnable,
                skip,
                span,
                ..Criterion::default()
            });
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

type Parts = (Option<String>, Option<Expect>, bool, Option<String>);

fn split(text: &str, category: Category) -> Parts {
    let said = criterion::split(text);
    if said.0.is_some() || said.3.is_some() {
        return said;
    }
    let tail = match category {
        Category::Acceptance => match behind_verify(text) {
            Some(tail) => tail,
            None => return said,
        },
        Category::Verify => behind_verify(text).unwrap_or(text),
        Category::Test => text,
    };
    bare(tail).unwrap_or(said)
}

/// The text after `verify by` or `verified via`.
fn behind_verify(text: &str) -> Option<&str> {
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
    let at = found.iter().filter_map(|word| lower.rfind(word).map(|at| at + word.len())).max()?;
    text.get(at..).map(|tail| tail.trim_end_matches([')', '.']).trim()).filter(|tail| !tail.is_empty())
}

/// A command without backticks, with or without an expectation at its end.
fn bare(text: &str) -> Option<Parts> {
    let text = text.trim();
    if text.contains('`') {
        // The exit code by its Chinese name is the same expectation.
        let said = criterion::split(&text.replace("退出码 = ", "→ exit ").replace("退出码 ", "→ exit "));
        return said.0.is_some().then_some(said);
    }
    let (command, wanted) = expectation(text);
    let command = command.trim();
    if !command.is_ascii() || commands::shape(command) != Shape::Command || is_prose(command) {
        return None;
    }
    let expect = (!wanted.is_empty()).then(|| expectation::judge(command, wanted));
    let runnable = expect.as_ref().is_none_or(|expect| expect.kind != ExpectKind::Unclear);
    Some((Some(command.to_owned()), expect, runnable, None))
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

    #[test]
    fn a_comparison_never_stays_in_a_command() {
        for (text, command, op) in [
            ("3 routes: verify by grep -c 'route' src/a.ts >= 3", "grep -c 'route' src/a.ts", Some(">=")),
            ("x - verify by ls src/*.ts | wc -l = 4", "ls src/*.ts | wc -l", Some("==")),
            ("动作可调用：验证命令 `pytest -q tests/a.py` 退出码 = 0", "pytest -q tests/a.py", None),
            ("Suite passes: verify by npm test -- --run (exit code 0)", "npm test -- --run", None),
        ] {
            let (found, expect, runnable, _) = split(text, Category::Acceptance);
            assert_eq!(found.as_deref(), Some(command), "{text}");
            assert!(runnable, "{text}");
            assert_eq!(expect.unwrap().op.as_deref(), op, "{text}");
        }
    }

    #[test]
    fn prose_stays_prose() {
        for text in [
            "16 endpoints documented: verify by counting documented endpoints = 16",
            "matches the original count",
            "verify by make sure that all pages are shown",
        ] {
            assert_eq!(split(text, Category::Acceptance).0, None, "{text}");
        }
    }
}
