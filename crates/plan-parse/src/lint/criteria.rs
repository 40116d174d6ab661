//! Rules about acceptance criteria: an open task must be checkable.

use super::{Finding, LintContext};
use crate::suggest;
use wire::Task;
use wire::plan::Kind;

/// Work tasks without a criterion that a command decides, in a plan that has criteria at all.
pub(crate) fn none_runnable(ground: &LintContext) -> Vec<Finding> {
    let any = ground.plan.tasks.iter().any(|task| !task.criteria.is_empty());
    let bare = work(ground).filter(|task| any && !task.criteria.iter().any(|one| one.runnable));
    bare.map(|task| {
        let id = &task.id;
        let message = match task.criteria.len() {
            0 => format!("task '{id}' has no check: add \"Verify: `command`\" below it"),
            1 => format!("task '{id}' has no check: its criterion is no command that can be run"),
            count => {
                format!("task '{id}' has no check: its {count} criteria are no commands that can be run")
            }
        };
        Finding::of(task, message)
    })
    .collect()
}

/// How many open tasks have no check that can be run, how many of them have a suggestion, and the command that finds more.
pub(crate) fn without_checks(ground: &LintContext) -> Vec<Finding> {
    let plan = ground.plan;
    let bare: Vec<&Task> = plan.tasks.iter().filter(|task| suggest::needs_check(task)).collect();
    let Some(first) = bare.first() else { return Vec::new() };
    let suggested = suggest::of(plan, ground.sources);
    let mut tasks: Vec<&str> = suggested.iter().map(|one| one.task.as_str()).collect();
    tasks.dedup();
    let path = &plan.source.path;
    let (open, have) = if bare.len() == 1 { ("task", "has") } else { ("tasks", "have") };
    let message = format!(
        "{} open {open} {have} no check, and plan-parse --suggest has one for {}; to find, try and add checks: orchestrate checks {path}",
        bare.len(),
        tasks.len()
    );
    vec![Finding::of(first, message)]
}

/// Work tasks that lack one of the template's categories.
pub(crate) fn missing(ground: &LintContext) -> Vec<Finding> {
    let mut found = Vec::new();
    for task in work(ground).filter(|_| ground.has_template()) {
        let has = |name: &str| task.criteria.iter().any(|one| one.category.starts_with(name));
        let missing: Vec<_> = CATEGORIES.iter().copied().filter(|name| !has(name)).collect();
        // A task that uses none of them is checked in another way, and another rule covers that.
        if !missing.is_empty() && missing.len() < CATEGORIES.len() {
            let message = format!("task '{}' has no {} criteria", task.id, missing.join(" and no "));
            found.push(Finding::of(task, message));
        }
    }
    found
}

/// Work tasks whose static criteria are all prose.
pub(crate) fn static_prose(ground: &LintContext) -> Vec<Finding> {
    let prose = work(ground).filter(|task| {
        let mut checks = task.criteria.iter().filter(|one| one.category.starts_with("static")).peekable();
        checks.peek().is_some() && !checks.any(|one| one.command.is_some())
    });
    prose
        .map(|task| Finding::of(task, format!("no static criterion of task '{}' has a command", task.id)))
        .collect()
}

const CATEGORIES: &[&str] = &["functional", "static", "runtime"];

fn work<'g>(ground: &'g LintContext) -> impl Iterator<Item = &'g Task> {
    ground.plan.tasks.iter().filter(|task| task.kind == Kind::Work)
}
