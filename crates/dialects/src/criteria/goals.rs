//! The goals of a plan: the boxes of its definition of done, outside of all tasks.
//!
//! Only a heading makes a box a goal; boxes of prerequisites, guardrails and open questions are not goals. A goal is
//! known as `note:N`, like every box that belongs to no task.

use wire::Plan;
use wire::plan::{Criterion, Note};

/// The phrases in such headings, in lowercase.
const WORDS: &[&str] = &[
    "definition of done",
    "success criteria",
    "acceptance criteria",
    "completion criteria",
    "exit criteria",
    "done when",
];

/// Whether the boxes below this heading are goals.
pub(crate) fn is_announced_by(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    WORDS.iter().any(|words| lower.contains(words))
}

/// The goals of a plan as criteria, in order. A box with several commands gives one for each; the first has the box.
pub fn goals(plan: &Plan) -> Vec<Criterion> {
    let notes = plan.notes.iter().enumerate().filter(|(_, note)| note.goal);
    notes.flat_map(|(at, note)| goal(&format!("note:{}", at + 1), note)).collect()
}

fn goal(id: &str, note: &Note) -> Vec<Criterion> {
    let base = Criterion {
        category: "goal".to_owned(),
        text: note.text.clone(),
        checked: note.checked,
        span: note.span.clone(),
        boxed: true,
        ..Criterion::default()
    };
    let checks = if note.checks.is_empty() { std::slice::from_ref(&base) } else { &note.checks };
    let numbered = checks.iter().enumerate().map(|(number, check)| Criterion {
        id: if number == 0 { id.to_owned() } else { format!("{id}.{}", number + 1) },
        category: base.category.clone(),
        ..check.clone()
    });
    numbered.collect()
}
