//! Output for people: diagnostics with their lines, accounts of lines, and lists.

use crate::lint::word;
use crate::sources::Sources;
use dialects::{Account, Taken};
use serde_json::json;
use std::collections::HashMap;
use std::fmt::Write;
use toolkit::cli::caret;
use toolkit::cli::tool::note;
use wire::Plan;
use wire::plan::{Diagnostic, Severity};

/// Prints every diagnostic on stderr with its line; only errors if quiet.
pub(crate) fn diagnostics(plan: &Plan, sources: &Sources, quiet: bool) {
    let mut lines: HashMap<&str, Vec<&[u8]>> = HashMap::new();
    for found in plan.diagnostics.iter().filter(|d| !quiet || d.severity == Severity::Error) {
        let lines = lines.entry(&found.path).or_insert_with(|| split(sources.bytes(&found.path)));
        let index = usize::try_from(found.line.saturating_sub(1)).unwrap_or(usize::MAX);
        let shown = lines.get(index).zip(found.column);
        let shown = shown.map(|(line, column)| caret::show(line, found.line, column));
        note(&match shown {
            Some(shown) => format!("{}\n{shown}", line(found)),
            None => line(found),
        });
    }
}

/// The dialects, one per line.
pub(crate) fn dialects() -> String {
    dialects::table().iter().fold(String::new(), |mut text, dialect| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:<12} {}", dialect.name, dialect.about);
        text
    })
}

/// The dialects with their guides, as JSON.
pub(crate) fn dialects_as_json() -> String {
    let one = |dialect: &dialects::Dialect| {
        let guide = dialects::guide(dialect);
        json!({
            "name": dialect.name,
            "about": dialect.about,
            "strategy": dialect.model,
            "begins": dialect.begins,
            "tasks": guide.map(|guide| guide.tasks),
            "states": guide.map(|guide| guide.states),
            "dependencies": guide.map(|guide| guide.dependencies),
            "checks": guide.map(|guide| guide.checks),
            "example": guide.map(|guide| json!({ "path": guide.path, "text": guide.example })),
        })
    };
    let all: Vec<_> = dialects::table().iter().map(one).collect();
    format!("{}\n", json!({ "schema": "dialects/1", "dialects": all }))
}

/// One line for each account.
pub(crate) fn accounts(path: &str, accounts: &[Account]) -> String {
    accounts.iter().fold(String::new(), |mut text, account| {
        let short: String =
            account.text.chars().take(WIDE).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let dots = if account.text.chars().nth(WIDE).is_some() { "…" } else { "" };
        let taken = match &account.taken {
            Taken::As(what) => format!("taken as {what}"),
            Taken::Not(why) => format!("not taken: {why}"),
            Taken::Unknown => "NOT ACCOUNTED FOR".to_owned(),
        };
        let _ = writeln!(text, "{path}:{}: {short}{dots} → {taken}", account.line);
        text
    })
}

/// How many characters of a line are shown.
const WIDE: usize = 100;

fn line(d: &Diagnostic) -> String {
    let column = d.column.map(|column| format!("{column}:")).unwrap_or_default();
    format!("plan-parse: {}:{}:{column} {}: {} [{}]", d.path, d.line, word(d.severity), d.message, d.code)
}

fn split(bytes: Option<&[u8]>) -> Vec<&[u8]> {
    let lines = bytes.unwrap_or_default().split(|&byte| byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect()
}
