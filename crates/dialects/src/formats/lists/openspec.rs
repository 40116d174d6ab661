//! `openspec`: tasks.md of a change, `## 1. Group` with `- [ ] 1.1 text`, nested or not.
//!
//! Every box is a task, whatever its bullet, depth or mark: an uncounted box would make the change look complete.

use crate::deps::{phases, strategy};
use crate::dialect::PLAIN;
use crate::lists::items;
use crate::lists::numbered::{self, Nested};
use crate::{Dialect, Plan, Shape};
use markdown::Outline;
use std::collections::HashSet;
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "openspec",
    about: "tasks.md of an OpenSpec change: numbered groups",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    if outline.own_ids(numbered::own_ids).1 == 0 {
        return 0;
    }
    if outline.path.contains("openspec/changes/") {
        return 48;
    }
    let groups: HashSet<String> = outline
        .headings
        .iter()
        .filter(|heading| heading.atx && !heading.inner && heading.level == 2)
        .filter_map(|heading| phases::numbered(phases::text(outline, heading)))
        .map(|(id, _)| id)
        .collect();
    let inside = |id: &str| id.split_once('.').is_some_and(|(group, _)| groups.contains(group));
    let (told, boxed) = numbered::count(outline, inside);
    if told > 0 && told * 2 >= boxed { 45 } else { 0 }
}

fn read(outline: &Outline) -> Plan {
    let (mut plan, entries) = numbered::read(outline, Nested::Task);
    numbered::adopt(&mut plan);
    phases::read(outline, &mut plan, phases::numbered);
    plan.strategy = Some(strategy::unstated(Model::Sequential));
    items::seal(outline, &entries, &mut plan);
    plan
}
