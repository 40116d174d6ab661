//! Checks in YAML: the front matter of a task's file, an entry of a list, a map of a file. Strings are written in double
//! quotes, where YAML and JSON agree.

use super::{NewCheck, Page};
use crate::write::Edit;
use serde_json::Value;
use std::fmt::Write;

/// `verify:` at the end of the front matter: `{type: bash, run, expect}`.
pub(super) fn front_matter(page: &Page<'_>, checks: &[NewCheck<'_>]) -> Vec<Vec<Edit>> {
    let Some(close) = closing_line(page) else { return Vec::new() };
    let matter = page.text.get(..close).unwrap_or_default();
    if matter.lines().any(|line| line.starts_with("verify:")) {
        return Vec::new();
    }
    let eol = page.eol();
    let mut lines = format!("verify:{eol}");
    for check in checks {
        let _ = write!(lines, "  - type: bash{eol}    run: {}{eol}", quoted(check.command));
        if !check.expected.is_empty() {
            let _ = write!(lines, "    expect: {}{eol}", quoted(check.expected));
        }
    }
    vec![page.put(close, lines)]
}

/// Where the line that closes the front matter begins.
fn closing_line(page: &Page<'_>) -> Option<usize> {
    let mut at = 0;
    for (number, line) in page.text.split_inclusive('\n').enumerate() {
        if line.trim_end() == "---" {
            if number > 0 {
                return Some(at);
            }
        } else if number == 0 {
            return None;
        }
        at += line.len();
    }
    None
}

/// `verify:` as the last key of the entry that is the task.
pub(super) fn entry(page: &Page<'_>, checks: &[NewCheck<'_>]) -> Vec<Vec<Edit>> {
    let (start, eol) = (page.start(), page.eol());
    let end = usize::try_from(page.task.span.end).unwrap_or(usize::MAX).min(page.text.len());
    let column = start - page.line_start(start);
    let lead = " ".repeat(column);
    let text = match checks {
        [one] => format!("{eol}{lead}verify: {}", quoted(one.text)),
        several => {
            let mut text = format!("{eol}{lead}verify:");
            for check in several {
                let _ = write!(text, "{eol}{lead}  - {}", quoted(check.text));
            }
            text
        }
    };
    vec![page.put(end, text)]
}

/// The entry of the task in the map `verify`, which is made at the end of the file.
pub(super) fn map(page: &Page<'_>, checks: &[NewCheck<'_>]) -> Vec<Vec<Edit>> {
    let eol = page.eol();
    let own = page.text.get(page.start()..).unwrap_or_default();
    let Some((key, _)) = own.split_once(':') else { return Vec::new() };
    let mut lines = format!("  {key}:{eol}");
    for check in checks {
        let _ = write!(lines, "    - {}{eol}", quoted(check.text));
    }
    let mut at = 0;
    for line in page.text.split_inclusive('\n') {
        at += line.len();
        if line.trim_end() == "verify:" {
            return vec![page.insert(at, &lines)];
        }
    }
    vec![page.insert(page.text.len(), &format!("verify:{eol}{lines}"))]
}

fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}
