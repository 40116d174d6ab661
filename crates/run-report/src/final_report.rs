//! The final report as its workflow prints it: one file a shape, which the workflow's profile names.
//!
//! Each shape has the sections of its source in their order; where the source would have trusted a worker's claim,
//! it has the measured result. Data that the source has no section for comes last.

pub(crate) mod check;
pub(crate) mod end;
pub(crate) mod execution;
pub(crate) mod figures;
pub(crate) mod orchestration;
pub(crate) mod overview;
pub(crate) mod runbook;
pub(crate) mod todowrite;
pub(crate) mod why;
pub(crate) mod workflow;

use config::profile::ReportShape;
use wire::Plan;
use wire::report::Report;

/// Writes the report of a plan.
type Write = fn(&Plan, &Report) -> String;

/// How each shape is written: for people at a terminal, and for a file or a comment.
fn writers(shape: ReportShape) -> (Write, Write) {
    match shape {
        ReportShape::Orchestration => (orchestration::write, overview::write),
        ReportShape::Execution => (execution::write, execution::write),
        ReportShape::Steps => (runbook::completion, runbook::progress),
        ReportShape::Session => (workflow::write, workflow::write),
    }
}

/// For people at a terminal.
pub(crate) fn text(shape: ReportShape, plan: &Plan, report: &Report) -> String {
    with_evidence(shape, (writers(shape).0)(plan, report), report)
}

/// For a file or a comment.
pub(crate) fn markdown(shape: ReportShape, plan: &Plan, report: &Report) -> String {
    with_evidence(shape, (writers(shape).1)(plan, report), report)
}

/// The report with the levels of evidence in its first lines; one shape has a line of its own for them.
fn with_evidence(shape: ReportShape, text: String, report: &Report) -> String {
    let found = report.numbers.as_ref().map(figures::evidence).unwrap_or_default();
    if shape == ReportShape::Orchestration || found.is_empty() {
        return text;
    }
    match text.split_once('\n') {
        Some((title, rest)) if title.starts_with('#') => format!("{title}\n\n**Evidence**: {found}\n{rest}"),
        _ => format!("Evidence: {found}\n\n{text}"),
    }
}

pub(crate) use crate::final_report::todowrite::write as todowrite;
