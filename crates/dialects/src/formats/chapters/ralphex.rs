//! `ralphex`: a plan with `### Task N:` or `### Iteration N:` and boxes, and `## Validation Commands` for the whole
//! plan.
//!
//! In older plans the tasks are `### 1. name` below `## Tasks`. A plan whose tasks have a `**Status**:` and no boxes
//! counts too.

use crate::criteria::locate::{self, Purpose};
use crate::criteria::plan_wide;
use crate::deps::phases;
use crate::dialect::PLAIN;
use crate::lists::chapters::{self, Chapter};
use crate::{Dialect, Plan, Shape};
use markdown::{Extent, Heading, Outline};
use std::cell::Cell;
use wire::Task;
use wire::plan::{Criterion, Model};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "ralphex",
    about: "Task or Iteration headings with boxes or a status, Validation Commands",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    signs: true,
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    // Plans in those folders without boxed headings are faulty plans of the other dialect.
    let other = [".dev/specs/", ".hoyeon/specs/"].iter().any(|home| outline.path.contains(home));
    let chapters = cut(outline);
    let told = chapters::has_boxes(outline, &chapters) || chapters::has_status(outline, &chapters);
    if !other && told { 40 } else { 0 }
}

fn read(outline: &Outline) -> Plan {
    let chapters = cut(outline);
    let mut plan = chapters::read(outline, &chapters);
    gates(outline, &chapters, &mut plan);
    plan_wide::read(outline, &mut plan);
    validate(&mut plan);
    plan
}

/// A task whose boxes are plain words is checked with the commands for the whole plan, since each session runs them.
fn validate(plan: &mut Plan) {
    let gates: Vec<Criterion> = plan.gates.iter().filter(|gate| gate.runnable).cloned().collect();
    let bare = |task: &&mut Task| !task.criteria.iter().any(|c| c.runnable && c.skip.is_none());
    for task in plan.tasks.iter_mut().filter(bare) {
        for gate in &gates {
            let id = format!("{}:{}", task.id, task.criteria.len() + 1);
            task.criteria.push(Criterion { id, ..gate.clone() });
        }
    }
}

fn cut(outline: &Outline) -> Vec<Chapter> {
    let inside = Cell::new(false);
    chapters::cut(outline, |heading: &Heading, text: &str| {
        if heading.level <= 2 {
            let lower = text.to_lowercase();
            inside.set(["tasks", "implementation steps", "implementation"].contains(&lower.as_str()));
        }
        let task = phases::after_word(text, &["task", "iteration"]).filter(|_| heading.level >= 2);
        task.or_else(|| phases::numbered(text).filter(|_| inside.get() && heading.level == 3))
    })
}

/// The commands that must pass for the whole plan, and what a person looks at.
fn gates(outline: &Outline, chapters: &[Chapter], plan: &mut Plan) {
    let tasks: Vec<Extent> = chapters.iter().map(|chapter| chapter.at).collect();
    for (title, at) in plan_wide::sections(outline, &tasks) {
        if title.to_lowercase().starts_with("validation commands") {
            let found = locate::find(outline, at, Purpose::Criteria, &locate::boxes_in(outline, at));
            locate::number("plan", "validation", found, &mut plan.gates);
        }
    }
}
