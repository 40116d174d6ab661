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
    (writers(shape).0)(plan, report)
}

/// For a file or a comment.
pub(crate) fn markdown(shape: ReportShape, plan: &Plan, report: &Report) -> String {
    (writers(shape).1)(plan, report)
}

pub(crate) use crate::final_report::todowrite::write as todowrite;
