//! Whom a prompt is for, and which template says it.

use crate::case::Case;
use wire::plan::Kind;

/// Whom the prompt is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Role {
    /// Whoever is next: the worker, at a checkpoint the reviewer, after a failed step of a runbook the diagnostician
    Auto,
    /// The worker of the task
    Worker,
    /// The Fitter, for a gate that gave no verdict
    Fitter,
    /// The reviewer of a phase
    Review,
    /// Whoever finds out why a step failed
    Diagnostic,
}

/// The name of the template for a case.
pub(crate) fn template(role: Role, case: &Case<'_>) -> &'static str {
    let failed = case.order.last_failure.is_some();
    match role {
        Role::Fitter => "fitter",
        Role::Review => "checkpoint",
        Role::Diagnostic => "diagnostic",
        Role::Auto if case.sheet.task.kind == Kind::Checkpoint => "checkpoint",
        Role::Auto if failed && case.order.plan.dialect == "runbook" => "diagnostic",
        Role::Auto | Role::Worker => of_dialect(case),
    }
}

fn of_dialect(case: &Case<'_>) -> &'static str {
    match case.order.plan.dialect.as_str() {
        name if wire::plan::is_plan_md(name) => "plan-md",
        "runbook" => "runbook",
        "workflow" => "workflow",
        "handoff" => of_run(case.sheet.task.id.as_str(), &case.sheet.task.title),
        _ => "task",
    }
}

/// The lines of a run of `execute-task` that are no subtask of the packet have prompts of their own.
fn of_run(id: &str, title: &str) -> &'static str {
    let title = title.to_lowercase();
    match id {
        "pre-execution-gate" => "preparation",
        "runtime-report" | "complete" => "task",
        _ if title.contains("quality gate") => "quality",
        _ if title.ends_with("add/update tests") => "tests",
        _ => "subtask",
    }
}
