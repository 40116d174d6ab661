//! Files beside a plan that a worker must not write, just like the plan: task files, and the notes that later tasks
//! read.
//!
//! This module opens no files. It does not list the files that a source workflow asks its worker to write (the
//! worker's own summary, thoughts and reports).

use crate::{PlanSnapshot, context, row};
use std::collections::HashSet;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::fs;
use toolkit::files::root::inside;
use wire::{Order, Task, TaskId};

/// A file that is guarded while a worker runs, whether or not it exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guarded {
    /// The path relative to the root.
    pub path: String,
    /// The task that it belongs to, if any.
    pub task: Option<TaskId>,
}

/// The guarded files of a plan for the worker of an order, in the tree at `top`.
pub fn guarded(field: &PlanSnapshot, order: &Order, top: &Path) -> Result<Vec<Guarded>, Fail> {
    let plan = &field.plan;
    let (path, dialect) = (plan.source.path.as_str(), plan.source.dialect.as_str());
    let (mut out, mut known) = (Vec::new(), HashSet::new());
    let mut add = |path: String, task: Option<&TaskId>| {
        if known.insert(path.clone()) {
            out.push(Guarded { path, task: task.cloned() });
        }
    };
    for task in plan.tasks.iter().chain([&order.task]) {
        if let Some(detail) = &task.detail {
            add(detail.path.clone(), Some(&task.id));
        }
    }
    for file in context::within(&context::dir(path, dialect)) {
        add(file, None);
    }
    let mut folders = (row(dialect).own)(path);
    if let Some(folder) = row(dialect).session_folder.map(|folder| folder(path)) {
        for task in plan.tasks.iter().filter(|task| task.id != order.task.id) {
            add(format!("{folder}.summaries/{}-summary.md", task.key), Some(&task.id));
        }
        folders.push(format!("{folder}.process/"));
    }
    for own in folders {
        if !own.ends_with('/') {
            add(own, None);
            continue;
        }
        for name in names(top, &own)?.into_iter().filter(|name| !is_written_by(name, &order.task)) {
            add(format!("{own}{name}"), None);
        }
    }
    Ok(out)
}

/// The files added since to a folder of task files: a worker must not add tasks.
pub fn added(
    field: &PlanSnapshot,
    order: &Order,
    top: &Path,
    before: &[Guarded],
) -> Result<Vec<Guarded>, Fail> {
    let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let details = field.plan.tasks.iter().filter_map(|task| folder(&task.detail.as_ref()?.path));
    let folders: HashSet<String> = details.collect();
    let known: HashSet<&str> = before.iter().map(|file| file.path.as_str()).collect();
    let mut now = guarded(field, order, top)?;
    now.retain(|file| {
        !known.contains(file.path.as_str()) && folder(&file.path).is_some_and(|at| folders.contains(&at))
    });
    Ok(now)
}

/// The task that a plan file belongs to; `None` if it belongs to several.
pub fn task_of(field: &PlanSnapshot, path: &str) -> Option<TaskId> {
    let mut tasks = field.plan.tasks.iter().filter(|task| task.span.path == path);
    let first = tasks.next()?;
    tasks.all(|task| task.parent.as_ref() == Some(&first.id)).then(|| first.id.clone())
}

/// Whether a worker of this task is asked to write a file of this name: its summary, or its thoughts.
fn is_written_by(name: &str, task: &Task) -> bool {
    name == format!("{}-summary.md", task.key) || name.contains(&format!("-{}-", task.key))
}

/// The names of the files in a folder, which may be missing. A link out of the tree counts as missing.
fn names(top: &Path, folder: &str) -> Result<Vec<String>, Fail> {
    let Ok(place) = inside(top, folder.trim_end_matches('/')) else { return Ok(Vec::new()) };
    if !place.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = fs::names(&place)?;
    names.retain(|name| !place.join(name).symlink_metadata().is_ok_and(|about| about.is_dir()));
    Ok(names)
}
