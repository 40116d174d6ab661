//! Boxes that are no tasks: the definition of done and the like.

use super::item;
use super::section::Sections;
use crate::{Extent, Heading, Outline, Plan, goal, mark};
use wire::plan::Note;

/// Every box outside the tasks' sections, and headings with a box inside one that have no name of their own.
pub(crate) fn read(outline: &Outline, sections: &Sections, plan: &mut Plan) {
    outside(outline, |at| sections.hold(at), plan);
    for mark in &sections.inner {
        let line = outline.lines_in(Extent { start: mark.end + 1, end: outline.bytes.len() }).next();
        plan.notes.push(Note {
            section: String::new(),
            text: line.map(|line| outline.shown(line.at).trim().to_owned()).unwrap_or_default(),
            checked: mark::is_ticked(outline.str(*mark)),
            goal: false,
            span: outline.span(*mark),
        });
    }
}

/// Every item with a box whose beginning no task holds.
pub(crate) fn outside(outline: &Outline, mut held: impl FnMut(usize) -> bool, plan: &mut Plan) {
    let mut headings = outline.headings.iter().filter(|heading| heading.atx && !heading.inner).peekable();
    let mut above: Option<&Heading> = None;
    // The heading that makes goals of the boxes below it, and below the smaller headings in its section.
    let mut goals: Option<u8> = None;
    for item in outline.items.iter().filter(|item| !item.quoted) {
        let Some(mark) = item.mark.filter(|_| !held(item.at.start)) else { continue };
        while let Some(heading) = headings.next_if(|heading| heading.at.start < item.at.start) {
            above = Some(heading);
            if goal::is_announced_by(&title(outline, heading)) {
                goals = Some(goals.map_or(heading.level, |level| level.min(heading.level)));
            } else if goals.is_some_and(|level| heading.level <= level) {
                goals = None;
            }
        }
        plan.notes.push(Note {
            section: above.map(|heading| title(outline, heading)).unwrap_or_default(),
            text: item::joined(outline, item::first(outline, item, item.at.end)),
            checked: mark::is_ticked(outline.str(mark)),
            goal: goals.is_some(),
            span: outline.span(mark),
        });
    }
}

fn title(outline: &Outline, heading: &Heading) -> String {
    outline.shown(heading.at).trim_matches(['#', ' ', '\t']).to_owned()
}
