//! `kiro`: tasks.md with `- [ ] 1. text`, `- [ ] 1.1 text`, `- [ ]* optional`, `_Requirements: 1.1_`, and waves.
//!
//! The waves of a Task Dependency Graph are phases. A wave may name a parent instead of its children; a task that no
//! wave names goes with the task before it in the list, and both are said.

mod waves;

use crate::list::{self, Entry};
use crate::numbered::{self, Nested};
use crate::{Dialect, Outline, Plan, Shape, strategy};
use wire::Task;
use wire::plan::{Kind, Model};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "kiro",
    about: "tasks.md of Kiro: numbered boxes, requirements, waves",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    own: |_| Vec::new(),
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
        take(outline, entry, task);
    }
    plan.strategy = Some(strategy::unstated(Model::Sequential));
    waves::read(outline, &mut plan);
    list::seal(outline, &entries, &mut plan);
    plan
}

/// What is peculiar to a task of Kiro, and of those who took over its list.
pub(crate) fn take(outline: &Outline, entry: &Entry, task: &mut Task) {
    let after = outline.bytes.get(entry.mark.end..entry.mark.end + 2);
    let line = outline.str(entry.line);
    let starred = line.strip_prefix(task.id.as_str()).is_some_and(|rest| rest.starts_with("* "));
    task.optional = after == Some(b"]*".as_slice()) || starred;
    if task.title.to_lowercase().starts_with("checkpoint") {
        task.kind = Kind::Checkpoint;
    }
    for (name, value) in numbered::fields(outline, entry.own) {
        if name.starts_with("requirement") {
            task.references.push(format!("Requirements: {value}"));
        } else {
            task.extra.insert(name, value.into());
        }
    }
}

fn has_requirements(outline: &Outline) -> bool {
    let boxed = outline.items.iter().filter(|item| item.mark.is_some() && item.depth == 0);
    boxed.into_iter().any(|item| {
        numbered::fields(outline, item.at).iter().any(|(name, _)| name.starts_with("requirement"))
    })
}
