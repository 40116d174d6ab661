//! Boxes that belong to no task, kept as notes; those below a heading such as "Definition of done" are goals.

use crate::Plan;
use crate::criteria::goals;
use crate::fields::item_text;
use markdown::{Heading, Outline, marks};
use wire::plan::Note;

/// Adds every boxed item that does not begin inside a task.
pub(crate) fn outside(outline: &Outline, mut held: impl FnMut(usize) -> bool, plan: &mut Plan) {
    let mut headings = outline.headings.iter().filter(|heading| heading.atx && !heading.inner).peekable();
    let mut above: Option<&Heading> = None;
    // The level of the heading that makes the boxes below it, and below its subheadings, goals.
    let mut goals: Option<u8> = None;
    for item in outline.items.iter().filter(|item| !item.quoted) {
        let Some(mark) = item.mark.filter(|_| !held(item.at.start)) else { continue };
        while let Some(heading) = headings.next_if(|heading| heading.at.start < item.at.start) {
            above = Some(heading);
            if goals::is_announced_by(&title(outline, heading)) {
                goals = Some(goals.map_or(heading.level, |level| level.min(heading.level)));
            } else if goals.is_some_and(|level| heading.level <= level) {
                goals = None;
            }
        }
        plan.notes.push(Note {
            section: above.map(|heading| title(outline, heading)).unwrap_or_default(),
            text: item_text::joined(outline, item_text::first(outline, item, item.at.end)),
            checked: marks::is_ticked(outline.str(mark)),
            goal: goals.is_some(),
            span: outline.span(mark),
        });
    }
}

fn title(outline: &Outline, heading: &Heading) -> String {
    outline.shown(heading.at).trim_matches(['#', ' ', '\t']).to_owned()
}
