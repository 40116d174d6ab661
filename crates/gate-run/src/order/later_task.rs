//! A check that waits for a later task: it names a file that is not there, that this task does not make, and that a later
//! one does. No attempt at this task could pass it.

use crate::order::acts::simple_commands;
use dialects::PlanSnapshot;
use std::path::Path;
use wire::Task;

/// Which check waits for which task, as a sentence; `None` if none does.
pub(crate) fn waits(task: &Task, field: &PlanSnapshot, root: &Path) -> Option<String> {
    let tasks = &field.plan.tasks;
    let at = tasks.iter().position(|other| other.id == task.id)?;
    let later: Vec<&Task> = tasks.get(at + 1..)?.iter().filter(|other| !other.state.is_settled()).collect();
    let body = String::from_utf8_lossy(field.body(task)).into_owned();
    let commands: Vec<&str> = task.criteria.iter().filter_map(|c| c.command.as_deref()).collect();
    // A path that the task's own text names outside of its checks is its own business.
    let is_own = |path: &str| {
        let in_checks: usize = commands.iter().map(|command| command.matches(path).count()).sum();
        task.files.iter().any(|file| clean(&file.path) == path) || body.matches(path).count() > in_checks
    };
    let runnable = task.criteria.iter().filter(|c| c.runnable && c.skip.is_none());
    runnable.filter_map(|c| Some((c, c.command.as_deref()?))).find_map(|(criterion, command)| {
        let words = simple_commands(command).into_iter().flatten();
        let missing = words.map(|word| clean(&word).to_owned()).filter(|word| !root.join(word).exists());
        missing.filter(|word| !is_own(word)).find_map(|path| {
            let maker = later.iter().find(|other| other.files.iter().any(|file| clean(&file.path) == path))?;
            Some(format!(
                "check {} needs '{path}', which task {} makes later: move the check there, or let task {} depend on task {}",
                criterion.id, maker.id, task.id, maker.id
            ))
        })
    })
}

fn clean(path: &str) -> &str {
    path.trim_start_matches("./").trim_end_matches('/')
}
