//! Boxes that belong to no task, kept as notes; those below a heading such as "Definition of done" are goals.

use crate::Plan;
use crate::criteria::{goals, locate};
use checks::Role;
use markdown::{Heading, Item, Outline};
use wire::plan::{Criterion, Note};

/// Adds every boxed item that does not begin inside a task.
pub(crate) fn outside(outline: &Outline, mut held: impl FnMut(usize) -> bool, plan: &mut Plan) {
    let mut headings = outline.headings.iter().filter(|heading| heading.atx && !heading.inner).peekable();
    let mut above: Option<&Heading> = None;
    // The level of the heading that makes the boxes below it, and below its subheadings, goals.
    let mut goals: Option<u8> = None;
    for item in outline.items.iter().filter(|item| !item.quoted) {
        if item.mark.is_none() || held(item.at.start) {
            continue;
        }
        while let Some(heading) = headings.next_if(|heading| heading.at.start < item.at.start) {
            above = Some(heading);
            if goals::is_announced_by(&title(outline, heading)) {
                goals = Some(goals.map_or(heading.level, |level| level.min(heading.level)));
            } else if goals.is_some_and(|level| heading.level <= level) {
                goals = None;
            }
        }
        let section = above.map(|heading| title(outline, heading)).unwrap_or_default();
        plan.notes.extend(note(outline, item, &section, goals.is_some()));
    }
}

/// A box that is not a task, with its checks if it is a goal.
pub(crate) fn note(outline: &Outline, item: &Item, section: &str, goal: bool) -> Option<Note> {
    let mark = item.mark?;
    let mut checks = locate::boxed(outline, item, item.at.end, Role::Criterion);
    let first = checks.first()?;
    let (text, checked) = (first.text.clone(), first.checked);
    if !goal || checks.iter().all(|check| *check == Criterion { ..plain(check) }) {
        checks.clear();
    }
    Some(Note { section: section.to_owned(), text, checked, goal, span: outline.span(mark), checks })
}

/// The same criterion without anything that a program judges.
fn plain(check: &Criterion) -> Criterion {
    Criterion {
        command: None,
        clauses: Vec::new(),
        unclear: None,
        runnable: false,
        skip: None,
        ..check.clone()
    }
}

fn title(outline: &Outline, heading: &Heading) -> String {
    outline.shown(heading.at).trim_matches(['#', ' ', '\t']).to_owned()
}
