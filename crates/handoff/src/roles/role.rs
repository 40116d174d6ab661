//! Whom a prompt is for, and which template it is made from.

use crate::case::Case;
use crate::prompt::templates;
use config::profile::Packet;
use toolkit::Fail;
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
    /// The reviewer of a phase; of any other task, the reviewer of its change
    Review,
    /// Whoever proposes checks for a task that has none
    Check,
    /// Whoever finds out why a step failed
    Diagnostic,
}

/// The name of the template for a case.
pub(crate) fn template(role: Role, case: &Case<'_>) -> Result<&'static str, Fail> {
    let profile = &case.profile;
    let around = match profile.packet {
        Packet::Subtask => around_subtasks(case.sheet.task.id.as_str(), &case.sheet.task.title),
        _ => None,
    };
    let name = match role {
        Role::Fitter => "fitter",
        Role::Review | Role::Auto if case.sheet.task.kind == Kind::Checkpoint => "checkpoint",
        Role::Review => "review",
        Role::Check => wire::order::CHECK,
        Role::Diagnostic => wire::order::DIAGNOSTIC,
        Role::Auto if has_warnings(case) => "refactor",
        Role::Auto if case.is_simplified() => "simple",
        Role::Auto if case.order.last_failure.is_some() && !case.order.is_resumed() => {
            around.unwrap_or(&profile.retry_prompt)
        }
        Role::Auto | Role::Worker => around.unwrap_or(&profile.prompt),
    };
    templates::known(name)
}

/// Whether the last attempt ended with quality warnings, which the refactor agent of the workflow gets.
fn has_warnings(case: &Case<'_>) -> bool {
    let code = case.order.last_failure.as_ref().and_then(|failure| failure.pointer("/halt/code")?.as_str());
    code == Some("quality-warnings") && !case.profile.refactoring.is_empty()
}

/// The lines of a run of `execute-task` that are no subtask of the packet have prompts of their own.
fn around_subtasks(id: &str, title: &str) -> Option<&'static str> {
    let title = title.to_lowercase();
    match id {
        "pre-execution-gate" => Some("preparation"),
        "runtime-report" | "complete" => Some("task"),
        _ if title.contains("quality gate") => Some("quality"),
        _ if title.ends_with("add/update tests") => Some("tests"),
        _ => None,
    }
}
