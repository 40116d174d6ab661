//! `bmad`: a story of BMAD, whose tasks are the boxes below Tasks / Subtasks.
//!
//! Acceptance criteria, review findings and checklists of other sections are no tasks. `(AC: 1, 3)` behind a task refers to
//! acceptance criteria; the state of the story stands in `Status: …`.

use crate::dialect::PLAIN;
use crate::lists::boxed;
use crate::sections::Sections;
use crate::{Dialect, Plan, Shape};
use markdown::{Extent, Outline};
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "bmad",
    about: "a story of BMAD: the boxes below Tasks / Subtasks",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let sections = Sections::new(outline);
    let title = markdown::outline::title(outline).to_lowercase();
    let has = |name: &str| sections.list().iter().any(|section| named(section.title) == name);
    let story = title.starts_with("story") || has("story") || outline.path.ends_with(".story.md");
    let record = has("dev notes") || has("dev agent record") || has("acceptance criteria");
    if !story || !record {
        return 0;
    }
    let roles = sections.items();
    let mut boxes = outline.items.iter().zip(&roles).filter(|(item, _)| item.mark.is_some() && !item.quoted);
    let tasks = boxes.any(|(item, _)| sections.is_below(item.at.start, is_tasks));
    if tasks { 57 } else { 0 }
}

fn named(title: &str) -> String {
    title.trim_matches(['#', '*', ':', ' ']).to_lowercase()
}

/// `Tasks / Subtasks`, `Tasks`, `Implementation Tasks`.
fn is_tasks(title: &str) -> bool {
    let name = named(title);
    let name = name.split('(').next().unwrap_or_default().trim();
    matches!(
        name,
        "tasks / subtasks"
            | "tasks/subtasks"
            | "tasks & subtasks"
            | "tasks and subtasks"
            | "tasks"
            | "implementation tasks"
    )
}

fn read(outline: &Outline) -> Plan {
    let sections = Sections::new(outline);
    let roles = sections.items();
    let own = |index: usize| {
        let inside = outline.items.get(index).is_some_and(|item| sections.is_below(item.at.start, is_tasks));
        let role = roles.get(index).map(|(role, _)| *role).unwrap_or_default();
        inside && matches!(role, crate::sections::Role::Tasks | crate::sections::Role::Open)
    };
    let (mut plan, _) = boxed::with(outline, &roles, own);
    if let Some(status) = status(outline) {
        plan.extra.insert("status".to_owned(), status.into());
    }
    for task in &mut plan.tasks {
        if let Some(criteria) = criteria(&task.title) {
            task.references.push(format!("AC: {criteria}"));
        }
    }
    plan
}

/// `(AC: 1, 3)`.
fn criteria(title: &str) -> Option<&str> {
    let (_, rest) = title.split_once("(AC")?;
    let (list, _) = rest.split_once(')')?;
    Some(list.trim_start_matches(['s', ':', ' ', '#']).trim()).filter(|list| !list.is_empty())
}

/// `Status: done`, or the line below `## Status`.
fn status(outline: &Outline) -> Option<String> {
    let whole = Extent { start: 0, end: outline.bytes.len() };
    let mut lines =
        outline.lines_in(whole).filter(|line| line.veil.is_none()).map(|line| outline.str(line.at).trim());
    while let Some(line) = lines.next() {
        let bare = line.trim_matches(['#', '*', ' ']);
        if let Some(said) = bare.strip_prefix("Status:") {
            return Some(said.trim_matches(['*', ' ']).to_owned());
        }
        if bare == "Status" {
            return lines.find(|line| !line.is_empty()).map(|line| line.trim_matches(['*', ' ']).to_owned());
        }
    }
    None
}
