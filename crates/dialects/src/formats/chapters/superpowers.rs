//! `superpowers`: a plan with `### Task N: name`, `**Files:**` and `- [ ] **Step 1: …**` with `Run:` and `Expected:`.
//!
//! Older plans have no boxes: their steps are `**Step 1: …**` alone, and a task is done if its heading says so.

use crate::deps::phases;
use crate::dialect::PLAIN;
use crate::lists::chapters::Chapter;
use crate::lists::{chapters, items};
use crate::write::Form;
use crate::{Dialect, Plan, Shape};
use markdown::{Heading, Outline};
use wire::plan::{Model, Severity};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "superpowers",
    about: "Task headings with boxed steps, Run: and Expected:",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    signs: true,
    checks: &[Form::RunExpected, Form::Lines],
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let chapters = chapters::cut(outline, named);
    if !chapters::has_boxes(outline, &chapters) {
        let told = !chapters::has_status(outline, &chapters) && chapters::has_steps(outline, &chapters);
        // Task headings alone are a plan only if no other dialect matches.
        return if told { 45 } else { 5 * u32::from(chapters.len() > 1) };
    }
    let mut boxed = outline.items.iter().filter(|item| item.mark.is_some());
    let step = |text: &str| text.trim_start_matches('*').starts_with("Step ");
    if boxed.any(|item| step(outline.str(items::line_of(outline, item)))) { 45 } else { 0 }
}

fn read(outline: &Outline) -> Plan {
    let chapters = chapters::cut(outline, named);
    let mut plan = chapters::read(outline, &chapters);
    other_steps(outline, &chapters, &mut plan);
    phases::read(outline, &mut plan, |text| phases::after_word(text, &["chunk", "phase", "part"]));
    plan
}

fn named(heading: &Heading, text: &str) -> Option<(String, String)> {
    phases::after_word(text, &["task"]).filter(|_| (2..=4).contains(&heading.level))
}

/// In this dialect steps are boxes of a task. A step heading outside of all tasks usually comes from a document that
/// a task quotes in a fence that was closed too early.
fn other_steps(outline: &Outline, chapters: &[Chapter], plan: &mut Plan) {
    for heading in outline.headings.iter().filter(|heading| heading.atx && !heading.inner) {
        let at = heading.at.start;
        let Some((id, _)) = phases::after_word(phases::text(outline, heading), &["step"]) else { continue };
        let next = chapters.partition_point(|chapter| chapter.at.start <= at);
        let before = next.checked_sub(1).and_then(|last| chapters.get(last));
        if before.is_none_or(|chapter| chapter.at.end <= at) {
            let message =
                format!("the heading 'Step {id}' stands outside the tasks, which say 'Task'; not taken");
            plan.diagnostics.push(outline.diagnostic(Severity::Warning, "step-outside", message, at));
        }
    }
}
