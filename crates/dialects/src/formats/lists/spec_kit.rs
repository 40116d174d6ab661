//! `spec-kit`: tasks.md with `- [ ] T014 [P] [US1] text in path (depends on T012, T013)` under `## Phase N:`.
//!
//! Phases are barriers. Within a phase, tasks run in the order of the list; only neighbours marked `[P]` run
//! together.

use crate::criteria::locate;
use crate::deps::named::Named;
use crate::deps::{lanes, phases};
use crate::dialect::PLAIN;
use crate::lists::items::{self, Entry};
use crate::lists::numbered::{self, Nested};
use crate::{Dialect, Plan, Shape};
use checks::Role;
use markdown::{Extent, Outline};
use serde_json::{Value, json};
use wire::Task;
use wire::plan::{FileUse, Model};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "spec-kit",
    about: "tasks.md of Spec Kit: T001 [P] [US1] under phases",
    model: Model::Phased,
    shapes: &[Shape::Markdown { detect, read }],
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let (told, boxed) = numbered::count(outline, is_id);
    let phased = outline.headings.iter().any(|heading| named(phases::text(outline, heading)).is_some());
    let tagged =
        || outline.items.iter().any(|item| !tags(outline.str(items::line_of(outline, item))).0.is_empty());
    if told > 0 && told * 2 >= boxed && (phased || tagged()) { 60 } else { 0 }
}

fn read(outline: &Outline) -> Plan {
    let (mut plan, entries) = numbered::read(outline, Nested::Criterion);
    phases::read(outline, &mut plan, named);
    checkpoints(outline, &mut plan);
    let known = Named::new(&plan.tasks);
    let mut together = Vec::with_capacity(plan.tasks.len());
    for (task, entry) in plan.tasks.iter_mut().zip(&entries) {
        together.push(take(outline, entry, task, &known));
    }
    let marked = |index: usize| together.get(index) == Some(&true);
    plan.strategy = Some(lanes::read(&plan, Model::Phased, "phases, and [P] within them", marked));
    items::seal(outline, &entries, &mut plan);
    plan
}

/// Reads the fields of a task; returns whether it is marked `[P]`.
fn take(outline: &Outline, entry: &Entry, task: &mut Task, known: &Named) -> bool {
    let text = outline.shown(entry.line);
    let (tags, rest) = tags(&task.title);
    let rest = rest.to_owned();
    let together = tags.iter().any(|tag| tag.eq_ignore_ascii_case("P"));
    let story: Vec<Value> =
        tags.iter().filter(|tag| !tag.eq_ignore_ascii_case("P")).map(|tag| json!(tag)).collect();
    if !story.is_empty() {
        task.extra.insert("story".to_owned(), story.into());
    }
    task.files = path(&rest).into_iter().collect();
    task.title = rest;
    if let Some(said) = depends(&text) {
        let mut ids = Vec::new();
        known.add(said, is_id, &mut ids);
        numbered::depend(task, ids);
    }
    together
}

fn named(heading: &str) -> Option<(String, String)> {
    phases::after_word(heading, &["phase"])
}

fn is_id(id: &str) -> bool {
    id.strip_prefix('T').is_some_and(|rest| rest.len() > 1 && rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The tags in brackets after the id, and the text after them.
fn tags(title: &str) -> (Vec<String>, &str) {
    let mut rest = title;
    if items::own_id(title).is_some() {
        let end = title.find([' ', '\t']).unwrap_or(title.len());
        rest = title.get(end..).unwrap_or_default().trim_start();
    }
    let mut tags = Vec::new();
    while let Some((tag, after)) = rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        let is_tag = tag == "P" || tag == "p" || tag.starts_with("US") || tag == "Story";
        if !is_tag {
            break;
        }
        tags.push(tag.to_owned());
        rest = after.trim_start();
    }
    (tags, rest)
}

/// The text after `depends on`, up to the end of the parenthesis or line.
fn depends(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    let at = ["depends on", "depends:", "requires t"].iter().find_map(|word| {
        let at = lower.find(word)?;
        Some(at + word.len() - usize::from(word.ends_with('t')))
    })?;
    let rest = text.get(at..)?;
    rest.split(')').next()
}

/// The path after the last `in`.
fn path(title: &str) -> Option<FileUse> {
    let (_, rest) = title.rsplit_once(" in ")?;
    // A path may begin with a dot.
    let word = rest.split_whitespace().next()?.trim_start_matches(['`', '(']);
    let word = word.trim_end_matches(['`', ',', '.', ';', ')']);
    let is_path = word.contains('/')
        || word.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && end.len() < 6);
    is_path.then(|| FileUse { path: word.to_owned(), action: "write".to_owned() })
}

/// `**Checkpoint**: text` at the end of a phase states what must be true there.
fn checkpoints(outline: &Outline, plan: &mut Plan) {
    let whole = Extent { start: 0, end: outline.bytes.len() };
    let mut found = Vec::new();
    for line in outline.lines_in(whole).filter(|line| line.veil.is_none()) {
        let text = outline.str(line.at).trim_start();
        let names = ["**Checkpoint**", "**Checkpoint:**", "**Independent Test**", "**Independent Test:**"];
        if let Some(rest) = names.iter().find_map(|name| text.strip_prefix(name)) {
            let said = rest.trim_start_matches([':', ' ']).trim();
            let value =
                Extent { start: line.at.end - rest.len().min(line.at.end - line.at.start), end: line.at.end };
            let start = value.start + rest.len() - rest.trim_start_matches([':', ' ']).len();
            let value = outline.trimmed(Extent { start, ..value });
            let (checks, _) = locate::labelled(outline, value, line.at.end, Role::Step);
            let checks =
                checks.into_iter().filter(|check| check.command.is_some() || check.unclear.is_some());
            locate::number("plan", "checkpoint", checks, &mut plan.gates);
            if text.starts_with("**Independent") {
                continue;
            }
            found.push(json!({ "line": outline.line(line.at.start), "text": said }));
        }
    }
    if !found.is_empty() {
        plan.extra.insert("checkpoints".to_owned(), found.into());
    }
}
