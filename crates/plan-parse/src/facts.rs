//! `--show facts`: what a program that conducts a run needs to know about a plan.

mod programs;

use checks::conditions::{self, CommitCondition};
use config::Config;
use std::collections::BTreeSet;
use toolkit::Fail;
use wire::facts::{Facts, SCHEMA};
use wire::plan::{Criterion, Diagnostic, Model, Severity, Span};
use wire::{Plan, Task, TaskId};

/// The facts about a plan.
pub(crate) fn of(plan: &Plan, config: &Config) -> Result<Facts, Fail> {
    let source = &plan.source;
    let open = || plan.tasks.iter().filter(|task| !task.state.is_settled());
    // A check that is unclear is named as such; what a file states that is still closed is not known.
    let is_closed = |task: &Task| task.detail.is_some() && !task.extra.contains_key("task_file");
    let is_checked = |task: &&Task| {
        let states = |criterion: &Criterion| criterion.runnable || criterion.unclear.is_some();
        is_closed(task) || task.criteria.iter().any(states)
    };
    let named: BTreeSet<&String> = open().flat_map(|task| [&task.agent, &task.model]).flatten().collect();
    let files: BTreeSet<String> =
        open().flat_map(|task| task.files.iter().map(|file| file.path.clone())).collect();
    let commands = open().flat_map(|task| &task.criteria).filter(|criterion| criterion.runnable);
    let programs: BTreeSet<String> =
        commands.filter_map(|criterion| criterion.command.as_deref()).flat_map(programs::of).collect();
    Ok(Facts {
        schema: SCHEMA.to_owned(),
        dialect: source.dialect.clone(),
        profile: config.profile(&source.dialect)?.name,
        root: source.root.clone(),
        path: source.path.clone(),
        parallel: plan.strategy.as_ref().is_some_and(|s| s.stated && s.model == Model::Parallel),
        sequential: plan.strategy.as_ref().is_some_and(|s| s.model == Model::Sequential),
        tasks: plan.tasks.len() as u64,
        unchecked: open().filter(|task| !is_checked(task)).map(|task| task.id.clone()).collect(),
        agents: named.into_iter().cloned().collect(),
        files: files.into_iter().collect(),
        programs: programs.into_iter().collect(),
        diagnostics: plan.diagnostics.iter().cloned().chain(unclear(plan)).chain(conditions(plan)).collect(),
    })
}

/// Checks that hold the box of a task until they are clear.
fn unclear(plan: &Plan) -> impl Iterator<Item = Diagnostic> {
    let found = dialects::unclear(plan).into_iter();
    found.map(|found| {
        let span = &found.unclear.span;
        warning("unclear-check", found.task, span, found.unclear.message.clone())
    })
}

/// Conditions of commits that no program can judge.
fn conditions(plan: &Plan) -> impl Iterator<Item = Diagnostic> {
    let open = plan.tasks.iter().filter(|task| !task.state.is_settled());
    open.filter_map(|task| {
        let CommitCondition::Asked(text) = conditions::commit(&task.commit.as_ref()?.condition) else {
            return None;
        };
        let message =
            format!("the commit after task '{}' waits for a person: no program can judge '{text}'", task.id);
        Some(warning("condition-asked", Some(&task.id), &task.span, message))
    })
}

fn warning(code: &str, task: Option<&TaskId>, span: &Span, message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        code: code.to_owned(),
        message,
        path: span.path.clone(),
        line: span.line,
        column: None,
        task: task.cloned(),
        offer: None,
    }
}
