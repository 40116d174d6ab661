//! `cc-sdd`: Kiro's list with `1.1 (P) text`, `_Depends: 1.2, 2.3_` and `_Boundary: AuthService_`.
//!
//! The order of the list is the order of the work; only neighbours marked `(P)` run together, and never two with the
//! same boundary.

use crate::deps::named::Named;
use crate::deps::{lanes, phases};
use crate::dialect::PLAIN;
use crate::lists::items;
use crate::lists::kiro_task;
use crate::lists::numbered::{self, Nested};
use crate::{Dialect, Plan, Shape};
use markdown::Outline;
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "cc-sdd",
    about: "tasks.md of cc-sdd: (P), _Depends:_, _Boundary:_",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let (told, boxed) = numbered::count(outline, numbered::is_number);
    if told == 0 || told * 2 < boxed {
        return 0;
    }
    let mut boxed = outline.items.iter().filter(|item| item.mark.is_some() && !item.quoted);
    let peculiar = boxed.any(|item| {
        let line = outline.str(items::line_of(outline, item));
        let marked = items::own_id(line).is_some_and(|id| together(&items::without_id(line, id)).is_some());
        marked || item.depth == 0 && numbered::fields(outline, item.at).iter().any(|(name, _)| is_own(name))
    });
    if peculiar { 62 } else { 0 }
}

fn read(outline: &Outline) -> Plan {
    let (mut plan, entries) = numbered::read(outline, Nested::Criterion);
    numbered::adopt(&mut plan);
    phases::read(outline, &mut plan, phases::numbered);
    let known = Named::new(&plan.tasks);
    let mut marked = Vec::with_capacity(plan.tasks.len());
    for (task, entry) in plan.tasks.iter_mut().zip(&entries) {
        kiro_task::take(outline, entry, task);
        let title = together(&task.title).map(str::to_owned);
        marked.push(title.is_some());
        task.title = title.unwrap_or_else(|| task.title.clone());
        for key in ["depends", "depends on"] {
            if let Some(said) = task.extra.remove(key) {
                let mut ids = Vec::new();
                known.add(said.as_str().unwrap_or_default(), numbered::is_number, &mut ids);
                numbered::depend(task, ids);
            }
        }
        if let Some(boundary) = task.extra.get("boundary").and_then(|value| value.as_str()) {
            task.resources = boundary.split(',').map(|name| name.trim().to_owned()).collect();
        }
    }
    let is_marked = |index: usize| marked.get(index) == Some(&true);
    plan.strategy = Some(lanes::read(&plan, Model::Parallel, "the order of the list, and (P)", is_marked));
    items::seal(outline, &entries, &mut plan);
    plan
}

fn is_own(name: &str) -> bool {
    matches!(name, "depends" | "depends on" | "boundary")
}

/// The title after `(P)`.
fn together(title: &str) -> Option<&str> {
    title.trim_start().strip_prefix("(P)").map(str::trim_start)
}
