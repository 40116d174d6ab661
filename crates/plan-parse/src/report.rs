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
    let shown = plan.diagnostics.iter().filter(|d| !quiet || d.severity == Severity::Error);
    let (offers, others): (Vec<&Diagnostic>, Vec<&Diagnostic>) = shown.partition(|d| d.offer.is_some());
    for found in others {
        let lines = lines.entry(&found.path).or_insert_with(|| split(sources.bytes(&found.path)));
        let index = usize::try_from(found.line.saturating_sub(1)).unwrap_or(usize::MAX);
        let shown = lines.get(index).zip(found.column);
        let shown = shown.map(|(line, column)| caret::show(line, found.line, column));
        note(&match shown {
            Some(shown) => format!("{}\n{shown}", line(found)),
            None => line(found),
        });
    }
    self::offers(&offers);
}

/// Prints the offers, one note for each group: one answer settles all of a group.
fn offers(found: &[&Diagnostic]) {
    let mut groups: Vec<(&str, Vec<&Diagnostic>)> = Vec::new();
    for one in found {
        let group = one.offer.as_ref().map_or("", |offer| offer.group.as_str());
        match groups.iter_mut().find(|(name, _)| *name == group) {
            Some((_, members)) => members.push(one),
            None => groups.push((group, vec![one])),
        }
    }
    for (group, members) in groups {
        let Some(first) = members.first() else { continue };
        let count =
            if members.len() == 1 { "1 check".to_owned() } else { format!("{} checks", members.len()) };
        let lines: Vec<String> = members.iter().map(|one| format!("{}:{}", one.path, one.line)).collect();
        note(&format!("plan-parse: {}: {count}: {group} [{}]", word(first.severity), first.code));
        note(&format!("  at {}", lines.join(", ")));
        note(&format!("  {}", first.message));
    }
}

/// One line for each check of a plan: its command and its clauses, or why it is unclear.
pub(crate) fn checks(path: &str, plan: &Plan) -> String {
    let own = plan.tasks.iter().flat_map(|task| &task.criteria);
    let goals = plan.notes.iter().flat_map(|note| &note.checks);
    let all = own.chain(&plan.gates).chain(goals).filter(|check| check.span.path == path);
    all.fold(String::new(), |mut text, check| {
        let name = if check.id.is_empty() { "goal" } else { &check.id };
        let command = check.command.as_deref().unwrap_or_default().replace('\n', "; ");
        let _ = match (&check.unclear, &check.skip) {
            (_, Some(reason)) if check.command.is_some() => {
                writeln!(text, "{path}:{}: check {name}: `{command}` is left out: {reason}", check.span.line)
            }
            (Some(unclear), None) => {
                let rewrite =
                    unclear.rewrite.as_deref().map(|text| format!("; write: {text}")).unwrap_or_default();
                writeln!(
                    text,
                    "{path}:{}: check {name}: UNCLEAR: {}{rewrite}",
                    check.span.line, unclear.message
                )
            }
            (None, None) if check.runnable => {
                writeln!(text, "{path}:{}: check {name}: `{command}` → {}", check.span.line, check.required())
            }
            _ => Ok(()),
        };
        text
    })
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
