//! `superpowers`: a plan with `### Task N: name`, `**Files:**` and `- [ ] **Step 1: …**` with `Run:` and `Expected:`.
//!
//! Older plans have no boxes: their steps are `**Step 1: …**` alone, and a task is done where its heading says so.

use crate::chapter::Chapter;
use crate::{Dialect, Heading, Outline, Plan, Shape, chapter, list, phase};
use wire::plan::{Model, Severity};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "superpowers",
    about: "Task headings with boxed steps, Run: and Expected:",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    own: |_| Vec::new(),
};

fn detect(outline: &Outline) -> u32 {
    let chapters = chapter::cut(outline, named);
    if !chapter::has_boxes(outline, &chapters) {
        let told = !chapter::has_status(outline, &chapters) && chapter::has_steps(outline, &chapters);
        // Task headings alone are a plan where nothing else is.
        return if told { 45 } else { 5 * u32::from(chapters.len() > 1) };
    }
    let mut boxed = outline.items.iter().filter(|item| item.mark.is_some());
    let step = |text: &str| text.trim_start_matches('*').starts_with("Step ");
    if boxed.any(|item| step(outline.str(list::line_of(outline, item)))) { 45 } else { 0 }
}

fn read(outline: &Outline) -> Plan {
    let chapters = chapter::cut(outline, named);
    let mut plan = chapter::read(outline, &chapters);
    other_steps(outline, &chapters, &mut plan);
    phase::read(outline, &mut plan, |text| phase::after_word(text, &["chunk", "phase", "part"]));
    plan
}

fn named(heading: &Heading, text: &str) -> Option<(String, String)> {
    phase::after_word(text, &["task"]).filter(|_| (2..=4).contains(&heading.level))
}

/// Steps are boxes of a task here; a heading that says it is one, outside of all tasks, is most often the text of a
/// document that a task quotes in a fence closed too early.
fn other_steps(outline: &Outline, chapters: &[Chapter], plan: &mut Plan) {
    for heading in outline.headings.iter().filter(|heading| heading.atx && !heading.inner) {
        let at = heading.at.start;
        let Some((id, _)) = phase::after_word(phase::text(outline, heading), &["step"]) else { continue };
        let next = chapters.partition_point(|chapter| chapter.at.start <= at);
        let before = next.checked_sub(1).and_then(|last| chapters.get(last));
        if before.is_none_or(|chapter| chapter.at.end <= at) {
            let message =
                format!("the heading 'Step {id}' stands outside the tasks, which say 'Task'; not taken");
            plan.diagnostics.push(outline.diagnostic(Severity::Warning, "step-outside", message, at));
        }
    }
}
