//! The Commit Strategy, as a table or as bullets: the commit that the plan wants after a task.

use super::parallel::{self, Group};
use super::section::Sections;
use crate::Plan;
use crate::criteria::locate;
use crate::criteria::unclear::without_rewrite;
use crate::deps::ids::{self, Ids};
use crate::deps::requires::{self, cell};
use crate::fields::labels::LabelledField;
use crate::fields::paths;
use checks::Located;
use markdown::{Extent, Outline, Table, code_spans};
use serde_json::json;
use wire::Task;
use wire::plan::{CommitRule, Criterion, Severity};

/// Sets the commits of the tasks.
pub(crate) fn read(outline: &Outline, sections: &Sections, ids: &Ids, groups: &[Group], plan: &mut Plan) {
    let mut rows = Vec::new();
    for table in outline.tables.iter().filter(|table| !sections.hold(table.at.start)) {
        rows.extend(table_rows(outline, table));
    }
    rows.extend(bullets(outline, sections, ids));
    let mut left = BUDGET;
    for row in rows {
        let members = members(&row.after, ids, groups);
        let Some(rest) = left.checked_sub(members.len()) else { return };
        left = rest;
        give(outline, &row, &members, plan);
    }
}

/// The commit stated in a task's own section: a message, or `YES` with `Message:`, `Files:` and `Pre-commit:`, on the
/// label's line separated by bars or in the list below.
pub(crate) fn stated(outline: &Outline, field: &LabelledField, texts: &[String], task: &mut Task) {
    let mut rule = CommitRule::default();
    for part in texts.iter().flat_map(|text| parts(text)) {
        let (name, value) = part.split_once(':').unwrap_or(("", part));
        let value = value.trim_start_matches('*').trim();
        match name.trim().trim_matches('*').to_lowercase().as_str() {
            "message" => code_spans::bare(value).clone_into(&mut rule.message),
            "files" => rule.files = paths::listed(value),
            "pre-commit" | "precommit" => {
                let at = outline.trimmed(field.inline);
                let base =
                    Criterion { text: value.to_owned(), span: outline.span(at), ..Criterion::default() };
                let found = locate::read(outline, &Located::text(value, at), &base);
                locate::add(task, "pre-commit", without_rewrite(found));
            }
            _ => {
                // Whether there is a commit: `YES`, `NO (groups with 3)`, or the message itself in code.
                let code = code_spans::spans(part).into_iter().next().filter(|code| code.at.start == 0);
                if let Some(message) = code.and_then(|code| part.get(code.inner.start..code.inner.end)) {
                    message.clone_into(&mut rule.message);
                }
            }
        }
    }
    let no = texts.first().is_some_and(|text| text.get(..2).is_some_and(|no| no.eq_ignore_ascii_case("no")));
    if !rule.message.is_empty() && !no {
        task.commit = Some(Box::new(rule));
    }
}

/// The text split at each bar outside of code.
fn parts(text: &str) -> Vec<&str> {
    let spans = code_spans::spans(text);
    let coded = |at: usize| spans.iter().any(|code| code.at.start <= at && at < code.at.end);
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices('|').filter(|(at, _)| !coded(*at)) {
        parts.extend(text.get(from..at).map(str::trim));
        from = at + 1;
    }
    parts.extend(text.get(from..).map(str::trim));
    parts
}

/// The number of tasks that all rows together may name; no real plan has more.
const BUDGET: usize = 200_000;

/// A row: the task it comes after, and the commit.
struct Row {
    after: String,
    rule: CommitRule,
    /// The check before the commit.
    check: String,
    check_at: Extent,
    at: usize,
}

fn table_rows(outline: &Outline, table: &Table) -> Vec<Row> {
    let header = requires::header(outline, table);
    let column = |name: &str| header.iter().position(|title| title.starts_with(name));
    let (Some(after), Some(message)) = (column("after"), column("message").or_else(|| column("commit")))
    else {
        return Vec::new();
    };
    let (files, condition) = (column("files"), column("condition"));
    let check = column("verif").or_else(|| column("pre-commit"));
    let text = |row: &[Extent], at: Option<usize>| cell(outline, at.and_then(|at| row.get(at).copied()));
    let rows = table.rows.iter().skip(1).map(|row| Row {
        after: text(row, Some(after)),
        rule: CommitRule {
            message: code_spans::bare(&text(row, Some(message))).to_owned(),
            files: paths::listed(&text(row, files)),
            condition: text(row, condition),
            ..CommitRule::default()
        },
        check: text(row, check),
        check_at: check.and_then(|at| row.get(at).copied()).unwrap_or_default(),
        at: row.first().map_or(table.at.start, |at| outline.trimmed(*at).start),
    });
    rows.filter(|row| !row.rule.message.is_empty()).collect()
}

/// ``- After `todo-1`: `message` `` with `Files:` and `Condition:` below.
fn bullets(outline: &Outline, sections: &Sections, ids: &Ids) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for item in outline.items.iter().filter(|item| !item.quoted && !sections.hold(item.at.start)) {
        let line =
            outline.str(Extent { start: item.text, end: item.at.end }).lines().next().unwrap_or_default();
        let below = |label| line.strip_prefix(label).filter(|_| item.depth > 0);
        if let Some(after) = line.strip_prefix("After ").filter(|_| item.depth == 0) {
            let Some((after, message)) = after.split_once(": ") else { continue };
            // Any list may have an item that begins with "After": it is a row only if a task follows.
            if ids.named(after).is_none() && !ids::without_keyword(after).0 {
                continue;
            }
            let (message, files) = coded(message);
            rows.push(Row {
                after: after.to_owned(),
                rule: CommitRule { message, files, ..CommitRule::default() },
                check: String::new(),
                check_at: Extent::default(),
                at: item.at.start,
            });
        } else if let (Some(files), Some(row)) = (below("Files:"), rows.last_mut()) {
            row.rule.files = paths::listed(files);
        } else if let (Some(condition), Some(row)) = (below("Condition:"), rows.last_mut()) {
            condition.trim().clone_into(&mut row.rule.condition);
        }
    }
    rows
}

/// The message in code with its files in parentheses after it, otherwise the whole text as the message.
fn coded(text: &str) -> (String, Vec<String>) {
    let text = text.trim();
    let first = code_spans::spans(text).into_iter().next().filter(|code| code.at.start == 0);
    let rest = first.and_then(|code| text.get(code.at.end..)).unwrap_or(text).trim();
    let files = rest.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    match first.and_then(|code| text.get(code.inner.start..code.inner.end)) {
        Some(message) if rest.is_empty() || files.is_some() => {
            (message.to_owned(), files.map(paths::listed).unwrap_or_default())
        }
        _ => (text.to_owned(), Vec::new()),
    }
}

fn give(outline: &Outline, row: &Row, members: &[usize], plan: &mut Plan) {
    if members.is_empty() {
        let message =
            format!("the commit strategy has a row for '{}', which is no task: left out", row.after);
        plan.diagnostics.push(outline.diagnostic(Severity::Warning, "unknown-row", message, row.at));
        return;
    }
    // The commit comes after the last of them.
    let last = members.last().and_then(|index| plan.tasks.get_mut(*index));
    if let Some(task) = last.filter(|_| row.check.contains('`')) {
        let at = outline.trimmed(row.check_at);
        let base = Criterion { text: row.check.clone(), span: outline.span(at), ..Criterion::default() };
        let found = locate::read(outline, &Located::text(&row.check, at), &base);
        locate::add(
            task,
            "pre-commit",
            found.into_iter().filter(|check| check.command.is_some() || check.unclear.is_some()),
        );
    }
    let named: Vec<_> =
        members.iter().filter_map(|index| plan.tasks.get(*index)).map(|task| task.id.clone()).collect();
    for index in members {
        let Some(task) = plan.tasks.get_mut(*index) else { continue };
        let with = named.iter().filter(|id| **id != task.id).cloned().collect();
        let rule = CommitRule { with, ..row.rule.clone() };
        match &mut task.commit {
            None => {
                task.commit = Some(Box::new(rule));
                continue;
            }
            // The task states the same commit itself; the row may add details.
            Some(own) if own.message == rule.message => {
                own.with = rule.with;
                if own.files.is_empty() {
                    own.files = rule.files;
                }
                continue;
            }
            Some(_) => {}
        }
        let more = task.extra.entry("commits".to_owned()).or_insert_with(|| json!([]));
        if let Some(more) = more.as_array_mut() {
            more.push(json!({"message": rule.message, "files": rule.files, "condition": rule.condition}));
        }
        let message = format!("a second commit after task '{}': kept beside the first, not made", task.id);
        let mut found = outline.diagnostic(Severity::Warning, "second-commit", message, row.at);
        found.task = Some(task.id.clone());
        plan.diagnostics.push(found);
    }
}

/// The tasks of a row: `1`, `1+2`, `4 (after group A)`, `(after Final)`.
fn members(after: &str, ids: &Ids, groups: &[Group]) -> Vec<usize> {
    let plain = after.trim_matches(['(', ')', '*', '`', ' ']);
    let plain = plain.strip_prefix("after ").unwrap_or(plain);
    let mut members = requires::tasks(&plain.replace(" & ", "+"), ids);
    let lower = after.to_lowercase();
    let group = lower.split("group ").nth(1).map(|name| name.trim_end_matches([')', ' ']));
    if let Some(group) = group.and_then(|name| parallel::find(groups, name)) {
        members.extend(group.members.iter().copied());
    }
    members.sort_unstable();
    members.dedup();
    members
}
