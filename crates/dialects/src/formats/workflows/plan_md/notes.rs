//! Boxes that are not tasks, such as the definition of done.

use super::section::Sections;
use crate::Plan;
use crate::criteria::notes;
use markdown::{Extent, Outline, marks};
use wire::plan::Note;

/// Adds every box outside of the tasks' sections, and every boxed heading inside a section that has no id of its own.
pub(crate) fn read(outline: &Outline, sections: &Sections, plan: &mut Plan) {
    notes::outside(outline, |at| sections.hold(at), plan);
    for mark in &sections.inner {
        let line = outline.lines_in(Extent { start: mark.end + 1, end: outline.bytes.len() }).next();
        plan.notes.push(Note {
            section: String::new(),
            text: line.map(|line| outline.shown(line.at).trim().to_owned()).unwrap_or_default(),
            checked: marks::is_ticked(outline.str(*mark)),
            goal: false,
            checks: Vec::new(),
            span: outline.span(*mark),
        });
    }
}
