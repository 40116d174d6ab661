//! The goals of a plan: the boxes of its definition of done, outside of all tasks.
//!
//! Only a heading makes a box a goal; boxes of prerequisites, guardrails and open questions are not goals. A goal is
//! known as `note:N`, like every box that belongs to no task.

use checks::criterion;
use wire::Plan;
use wire::plan::Criterion;

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

/// The goals of a plan as criteria, in order.
pub fn goals(plan: &Plan) -> Vec<Criterion> {
    let notes = plan.notes.iter().enumerate().filter(|(_, note)| note.goal);
    let criterion = |(at, note): (usize, &wire::plan::Note)| Criterion {
        id: format!("note:{}", at + 1),
        category: "goal".to_owned(),
        text: note.text.clone(),
        checked: note.checked,
        span: note.span.clone(),
        boxed: true,
        ..criterion::told(&note.text)
    };
    notes.map(criterion).collect()
}
