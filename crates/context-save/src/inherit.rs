//! `context-save inherit`: what a task would inherit from the tasks that it depends on.

use crate::save::outputs;
use dialects::context::files::Shelf;
use dialects::context::journal;
use std::collections::HashSet;
use std::path::Path;
use toolkit::files::root::{self, inside};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::inherit::{Inherit, Legacy, SCHEMA};
use wire::order::PlanRef;
use wire::{Plan, Task, TaskId};

/// Prints it as one `inherit/1`.
pub(crate) fn show(id: &str, path: &Path, pretty: bool, out: &mut Output) -> Result<Exit, Fail> {
    let root = root::find(path)?;
    let plan = dialects::open(path, &root, None)?;
    let Some(task) = plan.tasks.iter().find(|task| task.id.as_str() == id) else {
        let known: Vec<_> = plan.tasks.iter().take(50).map(|t| t.id.as_str()).collect();
        let message = format!("there is no task '{id}'; tasks are {}", known.join(", "));
        return Err(Fail::new(Exit::No, "no-such-task", message));
    };
    let source = &plan.source;
    let reference = PlanRef {
        path: source.path.clone(),
        dialect: source.dialect.clone(),
        root: source.root.clone(),
        sha256: String::new(),
    };
    let shelf = Shelf::at(&reference)?;
    let before = before(&plan, task);
    let from = plan.tasks.iter().filter(|task| before.contains(&task.id));
    let from = from.map(|task| legacy(&plan, &shelf, &root, task)).collect::<Result<_, Fail>>()?;
    let document =
        Inherit { schema: SCHEMA.to_owned(), plan: source.path.clone(), task: task.id.clone(), from };
    out.document(&document, pretty)?;
    Ok(Exit::Ok)
}

/// The tasks that it waits for, directly or not.
fn before(plan: &Plan, task: &Task) -> HashSet<TaskId> {
    let mut found = HashSet::new();
    let mut left: Vec<&TaskId> = task.depends_on.iter().collect();
    while let Some(id) = left.pop() {
        if found.insert(id.clone()) {
            left.extend(plan.tasks.iter().filter(|task| task.id == *id).flat_map(|task| &task.depends_on));
        }
    }
    found
}

fn legacy(plan: &Plan, shelf: &Shelf, root: &Path, task: &Task) -> Result<Legacy, Fail> {
    let all = shelf.outputs()?;
    let key = outputs::key(&task.id);
    let saved = all.get(&key).or_else(|| all.get(&key.to_lowercase())).and_then(|v| v.as_object());
    let values = saved.cloned().unwrap_or_default();
    let notes = |name: &str| -> Result<Vec<String>, Fail> {
        Ok(journal::items(&shelf.text(name)?, &task.id).into_iter().map(str::to_owned).collect())
    };
    let folder = plan.source.path.trim_end_matches("TODO_LIST.md").trim_end_matches('/');
    let summary = format!("{folder}/.summaries/{}-summary.md", task.key);
    let summary = summary.trim_start_matches("./").trim_start_matches('/').to_owned();
    Ok(Legacy {
        task: task.id.clone(),
        state: task.state,
        missing: outputs::missing(&task.outputs, &values),
        outputs: values.into_iter().collect(),
        learnings: notes("learnings.md")?,
        issues: notes("issues.md")?,
        decisions: notes("decisions.md")?,
        summary: inside(root, &summary).is_ok_and(|path| path.is_file()).then_some(summary),
    })
}
