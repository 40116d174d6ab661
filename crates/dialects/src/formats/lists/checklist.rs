//! `checklist`: any Markdown with task-list items, nested or not. `boxes` is the same with every box as a task.
//!
//! An item that begins with an id of its own (`1.2`, `T001`, `TASK-3`) keeps that id if it is unique; any other item
//! is known by its position, `2` or `2.1`. An item with boxed items below it is a container. Plain items below it
//! that begin with a label give its dependencies, criteria and files. Boxes below headings such as Acceptance Criteria
//! are no tasks.

use crate::dialect::PLAIN;
use crate::lists::boxed;
use crate::{Dialect, Shape};
use markdown::Outline;
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "checklist",
    about: "any Markdown with task-list items",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read: boxed::read }],
    ..PLAIN
};

/// The row of the same where every box is a task; it is read only by its name.
pub(crate) const EVERY_BOX: Dialect = Dialect {
    name: "boxes",
    about: "any Markdown, every box a task whatever its section; only with --dialect",
    shapes: &[Shape::Markdown { detect: |_| 0, read: boxed::read_all }],
    ..DIALECT
};

fn detect(outline: &Outline) -> u32 {
    if outline.items.iter().any(|item| item.mark.is_some() && !item.quoted) { 10 } else { 0 }
}
