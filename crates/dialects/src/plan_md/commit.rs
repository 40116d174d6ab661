//! The Commit Strategy, as a table or as bullets: which commit the plan wants after a task.

use super::field::Field;
use super::id::{self, Ids};
use super::parallel::{self, Group};
use super::requires::{self, cell};
use super::section::Sections;
use super::{input, item};
use crate::{Extent, Outline, Plan, Table, code, expect};
use serde_json::json;
use wire::Task;
use wire::plan::{CommitRule, Criterion, Severity};

/// Gives the tasks their commits.
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

/// The commit that a task's own section states: a message, or `YES` with `Message:`, `Files:` and `Pre-commit:`, on the
/// label's line between bars or in the list below.
pub(crate) fn stated(outline: &Outline, field: &Field, texts: &[String], task: &mut Task) {
    let mut rule = CommitRule::default();
    for part in texts.iter().flat_map(|text| parts(text)) {
        let (name, value) = part.split_once(':').unwrap_or(("", part));
        let value = value.trim_start_matches('*').trim();
        match name.trim().trim_matches('*').to_lowercase().as_str() {
            "message" => code::bare(value).clone_into(&mut rule.message),
            "files" => rule.files = paths(value),
            "pre-commit" | "precommit" => {
                task.criteria.push(Criterion {
                    id: format!("{}:{}", task.id, task.criteria.len() + 1),
                    category: "pre-commit".to_owned(),
                    text: value.to_owned(),
                    span: outline.span(outline.trimmed(field.inline)),
                    ..expect::told(value)
                });
            }
            _ => {
                // Whether there is one at all: `YES`, `NO (groups with 3)`, or the message itself in code.
                let code = code::spans(part).into_iter().next().filter(|code| code.at.start == 0);
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

/// The text at each bar outside code.
fn parts(text: &str) -> Vec<&str> {
    let spans = code::spans(text);
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

/// How many tasks all rows together may name: beyond this a plan is no plan.
const BUDGET: usize = 200_000;

/// A row: what it comes after, and the commit.
struct Row {
    after: String,
    rule: CommitRule,
    /// What must hold before it.
    check: String,
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
            message: code::bare(&text(row, Some(message))).to_owned(),
            files: paths(&text(row, files)),
            condition: text(row, condition),
            with: Vec::new(),
        },
        check: text(row, check),
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
            // Any list may have an item that begins with "After": only a task makes it a row.
            if ids.named(after).is_none() && !id::without_keyword(after).0 {
                continue;
            }
            let (message, files) = coded(message);
            rows.push(Row {
                after: after.to_owned(),
                rule: CommitRule { message, files, ..CommitRule::default() },
                check: String::new(),
                at: item.at.start,
            });
        } else if let (Some(files), Some(row)) = (below("Files:"), rows.last_mut()) {
            row.rule.files = paths(files);
        } else if let (Some(condition), Some(row)) = (below("Condition:"), rows.last_mut()) {
            condition.trim().clone_into(&mut row.rule.condition);
        }
    }
    rows
}

/// The message in code with its files in parentheses behind, else the whole text as the message.
fn coded(text: &str) -> (String, Vec<String>) {
    let text = text.trim();
    let first = code::spans(text).into_iter().next().filter(|code| code.at.start == 0);
    let rest = first.and_then(|code| text.get(code.at.end..)).unwrap_or(text).trim();
    let files = rest.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    match first.and_then(|code| text.get(code.inner.start..code.inner.end)) {
        Some(message) if rest.is_empty() || files.is_some() => {
            (message.to_owned(), files.map(paths).unwrap_or_default())
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
    // The commit is made when the last of them is done.
    let last = members.last().and_then(|index| plan.tasks.get_mut(*index));
    if let Some(task) = last.filter(|_| expect::told(&row.check).command.is_some()) {
        task.criteria.push(Criterion {
            id: format!("{}:{}", task.id, task.criteria.len() + 1),
            category: "pre-commit".to_owned(),
            text: row.check.clone(),
            span: outline.span(Extent { start: row.at, end: row.at }),
            ..expect::told(&row.check)
        });
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
            // The task says the same itself; the row may know more of it.
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

/// The paths of a cell: code spans, each perhaps a list, or bare words that can only be paths.
pub(crate) fn paths(text: &str) -> Vec<String> {
    let text = without_notes(text);
    if item::is_none(&text) {
        return Vec::new();
    }
    let spans = code::spans(&text);
    let coded = spans.iter().filter_map(|code| text.get(code.inner.start..code.inner.end));
    let mut paths: Vec<String> = coded.flat_map(entries).map(|path| path.trim().to_owned()).collect();
    if paths.is_empty() {
        let bare = entries(&text).into_iter().map(str::trim);
        paths = bare.filter(|path| input::is_path(path)).map(str::to_owned).collect();
    }
    paths.retain(|path| !path.is_empty());
    paths
}

/// The entries of a list; a comma between braces belongs to its pattern, `src/{a,b}.rs`.
fn entries(list: &str) -> Vec<&str> {
    let mut entries = Vec::new();
    let (mut from, mut depth) = (0, 0usize);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                entries.extend(list.get(from..at));
                from = at + 1;
            }
            _ => {}
        }
    }
    entries.extend(list.get(from..));
    entries
}

/// The text without what stands in parentheses outside code.
fn without_notes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut depth, mut coded) = (0usize, false);
    for c in text.chars() {
        match c {
            '`' if depth == 0 => coded = !coded,
            '(' if !coded => depth += 1,
            ')' if !coded && depth > 0 => {
                depth -= 1;
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            kept.push(c);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::paths;

    #[test]
    fn a_cell_is_a_list_of_paths_and_patterns() {
        assert_eq!(paths("`src/{a,b}.rs`, `docs/`"), ["src/{a,b}.rs", "docs/"]);
        assert_eq!(paths("`a.rs, {x,{y,z}}/b.rs` (both)"), ["a.rs", "{x,{y,z}}/b.rs"]);
        assert_eq!(paths("`odd{a, b`"), ["odd{a, b"]);
    }
}
