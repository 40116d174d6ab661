//! Groups of a list: sections that name a unit of work, `#### Task Group 2: …`, with `**Dependencies:** Task Group 1` and
//! `**Acceptance Criteria:**` of the tasks in them.
//!
//! A dependency between groups holds between their outermost tasks. Criteria belong to the task of a group that has one
//! outermost task.

use crate::Plan;
use crate::criteria::acceptance;
use crate::deps::dangling::simple;
use crate::deps::unit_refs::{self, Earlier, UnitRef};
use crate::fields::labels::{self, Name};
use crate::fields::task_fields::{self, TaskField};
use crate::lists::items::Entry;
use crate::lists::numbered;
use crate::sections::Sections;
use crate::sections::units;
use markdown::{Extent, Outline, marks};
use wire::TaskId;
use wire::plan::{Diagnostic, Severity};

/// A section that names a unit.
struct Group {
    at: Extent,
    own: Extent,
    /// The outermost tasks in it, as indices.
    tops: Vec<usize>,
    /// What it waits for: the text behind the label.
    waits: Vec<Extent>,
}

/// Reads the groups of a list; returns whether tasks may have got dependencies.
pub(crate) fn read(outline: &Outline, sections: &Sections, entries: &[Entry], plan: &mut Plan) -> bool {
    let mut units: Vec<(&str, String)> = Vec::new();
    let mut groups: Vec<Group> = Vec::new();
    for section in sections.list() {
        let Some(unit) = units::unit(marks::without_signs(section.title)) else { continue };
        let first = entries.partition_point(|entry| entry.at.start < section.at.start);
        let end = entries.partition_point(|entry| entry.at.start < section.at.end);
        let is_top = |at: &usize| entries.get(*at).is_some_and(|entry| entry.parent.is_none());
        let tops: Vec<usize> = (first..end).filter(is_top).collect();
        let own = section.own();
        let waits = waits(outline, own, &tops, entries);
        units.push((unit.word, simple(&unit.id)));
        groups.push(Group { at: section.at, own, tops, waits });
    }
    let waits = groups.iter().any(|group| !group.waits.is_empty());
    if waits {
        depend(outline, &groups, &units, plan);
    }
    for group in &groups {
        let [top] = group.tops.as_slice() else { continue };
        let (Some(entry), Some(task)) = (entries.get(*top), plan.tasks.get_mut(*top)) else { continue };
        let below = Extent { start: entry.at.end.min(group.own.end), end: group.own.end };
        let (_, fields) = labels::fields(outline, below);
        for field in fields.iter().filter(|field| field.name == Name::Criteria) {
            // Boxes are notes.
            if !outline.items_in(field.body).iter().any(|item| item.mark.is_some()) {
                acceptance::read(outline, &task.id.0, "", field, &mut task.criteria);
            }
        }
    }
    waits
}

/// The statements of a section about what it waits for, outside of its tasks.
fn waits(outline: &Outline, own: Extent, tops: &[usize], entries: &[Entry]) -> Vec<Extent> {
    let lines = outline.lines_in(own).filter(|line| line.veil.is_none());
    let held = |at: usize| {
        let mut tops = tops.iter().filter_map(|top| entries.get(*top));
        tops.any(|entry| entry.at.start <= at && at < entry.at.end)
    };
    lines
        .filter_map(|line| {
            let text = outline.str(line.at).trim();
            let text = marks::after_bullet(text).unwrap_or(text).trim();
            let (field, said) = task_fields::read(text)?;
            let start = line.at.start + outline.str(line.at).rfind(said)?;
            let is_wait = field == TaskField::Depends && !said.is_empty() && !held(line.at.start);
            is_wait.then_some(Extent { start, end: start + said.len() })
        })
        .collect()
}

fn depend(outline: &Outline, groups: &[Group], units: &[(&str, String)], plan: &mut Plan) {
    let mut left = MOST;
    for (place, group) in groups.iter().enumerate() {
        let word = units.get(place).map_or("", |(word, _)| *word);
        for said in &group.waits {
            let found = unit_refs::read(outline.str(*said));
            let such = |at: &usize| units.get(*at).is_some_and(|(other, _)| *other == word);
            let mut on: Vec<usize> = match found.earlier {
                Earlier::All => (0..place).filter(such).collect(),
                Earlier::Previous => (0..place).rev().find(such).into_iter().collect(),
                Earlier::Unsaid => Vec::new(),
            };
            let named = |found: &UnitRef| unit_refs::resolve(found, (word, place), units);
            for found in &found.after {
                let named = named(found);
                if named.is_empty() {
                    plan.diagnostics.push(unknown(outline, *said, found));
                }
                on.extend(named);
            }
            let later: Vec<usize> = found.before.iter().flat_map(named).collect();
            for (waiting, first) in
                on.into_iter().map(|on| (place, on)).chain(later.into_iter().map(|later| (later, place)))
            {
                if !link(groups, waiting, first, &mut left, plan) {
                    let message =
                        format!("more than {MOST} dependencies between groups: name the tasks instead");
                    plan.diagnostics.push(outline.diagnostic(
                        Severity::Error,
                        "too-many-edges",
                        message,
                        said.start,
                    ));
                    return;
                }
            }
        }
    }
}

/// Makes the tasks of one group wait for those of another; false if there are too many.
fn link(groups: &[Group], waiting: usize, first: usize, left: &mut usize, plan: &mut Plan) -> bool {
    let (Some(waiting), Some(first)) = (groups.get(waiting), groups.get(first)) else { return true };
    // A group neither waits for a part of it nor for what it is a part of.
    if waiting.at.start < first.at.end && first.at.start < waiting.at.end {
        return true;
    }
    let Some(rest) = left.checked_sub(waiting.tops.len() * first.tops.len()) else { return false };
    *left = rest;
    let on: Vec<TaskId> =
        first.tops.iter().filter_map(|top| plan.tasks.get(*top)).map(|task| task.id.clone()).collect();
    for top in &waiting.tops {
        if let Some(task) = plan.tasks.get_mut(*top) {
            numbered::depend(task, on.clone());
        }
    }
    true
}

fn unknown(outline: &Outline, said: Extent, found: &UnitRef) -> Diagnostic {
    let word = found.word.unwrap_or("group");
    let message = format!("waits for {word} '{}', which is no heading of this plan: left out", found.first);
    outline.diagnostic(Severity::Hint, "unresolved-requirement", message, said.start)
}

/// The largest number of dependencies that groups may add.
const MOST: usize = 1_000_000;
