//! The final report as its workflow prints it: one row a dialect, one file a shape.
//!
//! Each shape has the sections of its source in their order and, where the source would have taken a worker's word, what
//! was measured. What a source has no place for comes last.

mod execution;
mod figures;
mod orchestration;
mod overview;
mod runbook;
mod todowrite;
mod workflow;

use wire::Plan;
use wire::report::Report;

/// Writes a report of a plan.
type Write = fn(&Plan, &Report) -> String;

/// The shapes of one dialect.
struct Shape {
    dialect: &'static str,
    text: Write,
    markdown: Write,
}

/// The dialects whose workflows have a report of their own; all others are told like the first.
const SHAPES: [Shape; 4] = [
    Shape { dialect: "plan-md", text: orchestration::write, markdown: overview::write },
    Shape { dialect: "handoff", text: execution::write, markdown: execution::write },
    Shape { dialect: "runbook", text: runbook::completion, markdown: runbook::progress },
    Shape { dialect: "workflow", text: workflow::write, markdown: workflow::write },
];

fn shape(plan: &Plan) -> &'static Shape {
    SHAPES.iter().find(|shape| shape.dialect == plan.source.dialect).unwrap_or(&SHAPES[0])
}

/// For people at a terminal.
pub(crate) fn text(plan: &Plan, report: &Report) -> String {
    (shape(plan).text)(plan, report)
}

/// For a file or a comment.
pub(crate) fn markdown(plan: &Plan, report: &Report) -> String {
    (shape(plan).markdown)(plan, report)
}

pub(crate) use todowrite::write as todowrite;
