//! `kiro`: tasks.md with `- [ ] 1. text`, `- [ ] 1.1 text`, `- [ ]* optional`, `_Requirements: 1.1_`, and waves.
//!
//! The waves of a Task Dependency Graph are phases. A wave may name a parent instead of its children; a task in no
//! wave joins the wave of the task before it in the list. Both cases are reported.

pub(crate) mod waves;

use crate::deps::strategy;
use crate::dialect::PLAIN;
use crate::lists::numbered::{self, Nested};
use crate::lists::{items, kiro_task};
use crate::{Dialect, Plan, Shape};
use markdown::Outline;
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "kiro",
    about: "tasks.md of Kiro: numbered boxes, requirements, waves",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    begins: true,
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let (told, boxed) = numbered::count(outline, numbered::is_number);
    if told == 0 || told * 2 < boxed {
        return 0;
    }
    let home = outline.path.contains(".kiro/specs/");
    if home || waves::fence(outline).is_some() || has_requirements(outline) { 55 } else { 0 }
}

fn read(outline: &Outline) -> Plan {
    let (mut plan, entries) = numbered::read(outline, Nested::Criterion);
    numbered::adopt(&mut plan);
    for (task, entry) in plan.tasks.iter_mut().zip(&entries) {
        kiro_task::take(outline, entry, task);
    }
    plan.strategy = Some(strategy::unstated(Model::Sequential));
    waves::read(outline, &mut plan);
    items::seal(outline, &entries, &mut plan);
    plan
}

fn has_requirements(outline: &Outline) -> bool {
    let boxed = outline.items.iter().filter(|item| item.mark.is_some() && item.depth == 0);
    boxed.into_iter().any(|item| {
        numbered::fields(outline, item.at).iter().any(|(name, _)| name.starts_with("requirement"))
    })
}
