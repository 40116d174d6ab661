//! `ralphex`: a plan with `### Task N:` or `### Iteration N:` and boxes, and `## Validation Commands` for the whole.
//!
//! In older plans the tasks are `### 1. name` below `## Tasks`. A plan whose tasks have no boxes but a `**Status**:` is one too.

use crate::{Dialect, Extent, Heading, Outline, Plan, Shape, chapter, expect, list, phase, whole};
use std::cell::Cell;
use wire::Task;
use wire::plan::{Criterion, Model};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "ralphex",
    about: "Task or Iteration headings with boxes or a status, Validation Commands",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    own: |_| Vec::new(),
};

fn detect(outline: &Outline) -> u32 {
    // Plans of that home without boxed headings are plans of the other dialect, and in error.
    let other = [".dev/specs/", ".hoyeon/specs/"].iter().any(|home| outline.path.contains(home));
    let chapters = cut(outline);
    let told = chapter::has_boxes(outline, &chapters) || chapter::has_status(outline, &chapters);
    if !other && told { 40 } else { 0 }
}

fn read(outline: &Outline) -> Plan {
    let mut plan = chapter::read(outline, &cut(outline));
    gates(outline, &mut plan);
    whole::read(outline, &mut plan);
    validate(&mut plan);
    plan
}

/// A task whose boxes are plain words is held against the commands for the whole: each session runs them.
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

fn cut(outline: &Outline) -> Vec<chapter::Chapter> {
    let inside = Cell::new(false);
    chapter::cut(outline, |heading: &Heading, text: &str| {
        if heading.level <= 2 {
            let lower = text.to_lowercase();
            inside.set(["tasks", "implementation steps", "implementation"].contains(&lower.as_str()));
        }
        let task = phase::after_word(text, &["task", "iteration"]).filter(|_| heading.level >= 2);
        task.or_else(|| phase::numbered(text).filter(|_| inside.get() && heading.level == 3))
    })
}

/// The commands that must pass for the whole.
fn gates(outline: &Outline, plan: &mut Plan) {
    let heads: Vec<&Heading> = outline.headings.iter().filter(|head| head.atx && !head.inner).collect();
    for (index, head) in heads.iter().enumerate() {
        if !phase::text(outline, head).to_lowercase().starts_with("validation commands") {
            continue;
        }
        let after = heads.get(index + 1..).unwrap_or_default();
        let end = after.iter().find(|next| next.level <= head.level);
        let at = Extent { start: head.at.start, end: end.map_or(outline.bytes.len(), |next| next.at.start) };
        for item in outline.items_in(at).iter().filter(|item| !item.quoted && item.mark.is_none()) {
            let line = list::line_of(outline, item);
            plan.gates.push(Criterion {
                id: format!("plan:{}", plan.gates.len() + 1),
                category: "validation".to_owned(),
                text: outline.shown(line),
                span: outline.span(line),
                ..expect::told(outline.str(line))
            });
        }
    }
}
