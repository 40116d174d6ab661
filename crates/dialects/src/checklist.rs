//! `checklist`: any Markdown with task-list items, nested or not.
//!
//! An item that begins with an id of its own (`1.2`, `T001`, `TASK-3`) is known by it as long as no other item has the
//! same; any other is known by its place, `2` or `2.1`. An item with boxed items below it is a container. Plain items below it
//! that begin with a label say what it waits for, what must hold when it is done, and its files.

use crate::list::{self, Ids};
use crate::{Dialect, Outline, Plan, Shape, below, strategy, tracker};
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "checklist",
    about: "any Markdown with task-list items",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    own: |_| Vec::new(),
};

fn detect(outline: &Outline) -> u32 {
    if outline.items.iter().any(|item| item.mark.is_some() && !item.quoted) { 10 } else { 0 }
}

pub(crate) fn read(outline: &Outline) -> Plan {
    let entries = list::entries(outline, |_, _| true);
    let mut plan = Plan { title: title(outline), ..Plan::default() };
    plan.strategy = Some(strategy::unstated(Model::Sequential));
    plan.tasks = list::tasks(outline, &entries, Ids::Lenient, &mut plan.diagnostics);
    below::read(outline, &entries, &mut plan);
    list::seal(outline, &entries, &mut plan);
    list::hidden(outline, &mut plan.diagnostics);
    tracker::unread(outline, &mut plan);
    plan
}

/// The text of the first heading of level 1.
pub(crate) fn title(outline: &Outline) -> String {
    let first = outline.headings.iter().find(|heading| heading.level == 1 && !heading.inner);
    first.map_or_else(String::new, |heading| {
        let text = outline.shown(heading.at);
        let line = text.lines().next().unwrap_or_default();
        line.trim_matches(['#', ' ', '\t']).to_owned()
    })
}
