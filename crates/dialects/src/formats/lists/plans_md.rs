//! `plans-md`: a Plans.md whose boxes carry a mark of their state: `- [ ] Build it ``cc:TODO`` `.
//!
//! The mark goes before the box: `cc:WIP` is in progress, `cc:完了` and `cc:done` are done, `pm:` and `cursor:` are the
//! manager's. A box without a mark is what its box says.

use crate::dialect::PLAIN;
use crate::lists::{boxed, items};
use crate::states::markers;
use crate::write;
use crate::{Dialect, Plan, Shape};
use markdown::Outline;
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "plans-md",
    about: "Plans.md with cc: and pm: marks behind its boxes",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    edits: write::markers::edits,
    begins: true,
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let boxes = outline.items.iter().filter(|item| item.mark.is_some() && !item.quoted);
    let marked =
        boxes.filter(|item| markers::find(outline.str(items::line_of(outline, item))).is_some()).count();
    if marked > 1 { 38 } else { 0 }
}

fn read(outline: &Outline) -> Plan {
    let mut plan = boxed::read(outline);
    for task in &mut plan.tasks {
        let Some(mark) = task.mark.as_ref().and_then(|mark| usize::try_from(mark.end).ok()) else { continue };
        let line = markers::rest_of_line(outline.bytes, mark);
        if let Some(marker) = markers::find(&line) {
            task.state = marker.state.unwrap_or(task.state);
        }
    }
    plan
}
