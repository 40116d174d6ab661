//! The task files of a session: assigns files to tasks, and decides which to open.
//!
//! A file is opened if its task is requested, otherwise only if nothing else states the task's dependencies. The list
//! decides the state; a file that contradicts it is reported.

pub(crate) mod criteria;
pub(crate) mod json;
pub(crate) mod load;
pub(crate) mod stems;
pub(crate) mod task_json;

use super::list;
use crate::formats::workflows::workflow::files::stems::Stems;
use crate::formats::workflows::workflow::files::task_json::Detail;
use crate::formats::workflows::workflow::list::entry::Entry;
use crate::formats::workflows::workflow::list::id::Ids;
use crate::{Ask, Folder, Plan};
use markdown::{Outline, links};
use std::collections::HashSet;
use toolkit::Fail;
use wire::plan::{Detail as DetailRef, Diagnostic, Kind, Severity};
use wire::{State, Task, TaskId};

/// The names in `.task/`.
pub(crate) fn names(folder: &Folder) -> Vec<String> {
    let mut names = folder.names(".task");
    names.retain(|name| has_end(name, ".json"));
    names
}

/// The prefixes of the ids that have a file.
pub(crate) fn prefixes(names: &[String]) -> Vec<String> {
    let mut prefixes: Vec<String> =
        names.iter().filter_map(|name| name.split_once('-')).map(|(word, _)| word.to_uppercase()).collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    prefixes
}

/// Assigns each task its file, and reports files without a task.
pub(crate) fn assign(
    outline: &Outline,
    folder: &Folder,
    names: &[String],
    entries: &[Entry],
    plan: &mut Plan,
) {
    let there: HashSet<String> = names.iter().map(|name| format!(".task/{name}")).collect();
    let stems = Stems::new(names);
    let mut used: HashSet<String> = HashSet::new();
    for (number, entry) in entries.iter().enumerate() {
        let linked = linked(outline, entries, number);
        let found = linked.clone().filter(|name| there.contains(name)).or_else(|| stems.find(&entry.id));
        let Some(task) = plan.tasks.get_mut(number) else { continue };
        if let Some(name) = found {
            task.detail = Some(DetailRef { path: folder.seen(&name) });
            used.insert(name);
        } else if let Some(name) = linked {
            let message = format!("task '{}' leads to '{name}', which is not there", entry.id);
            let mut found =
                outline.diagnostic(Severity::Warning, "missing-task-file", message, entry.line.start);
            found.task = Some(task.id.clone());
            plan.diagnostics.push(found);
        }
    }
    for name in names.iter().map(|name| format!(".task/{name}")).filter(|name| !used.contains(name)) {
        let message = format!("'{name}' belongs to no task of the list: the list decides");
        let mut found = outline.diagnostic(Severity::Warning, "task-not-in-list", message, 0);
        found.path = folder.seen(&name).into();
        plan.diagnostics.push(found);
    }
}

/// Opens the requested and the needed files.
pub(crate) fn open(
    folder: &Folder,
    says: &[bool],
    ids: &Ids,
    ask: &Ask,
    plan: &mut Plan,
) -> Result<(), Fail> {
    let asked: HashSet<&str> = ask.load.iter().map(String::as_str).collect();
    for wanted in &ask.load {
        if ids.known(wanted) != Some(wanted) {
            let message = format!("no task '{wanted}' in the list");
            return Err(Fail::data("unknown-task", message).at(folder.seen("TODO_LIST.md"), 1));
        }
    }
    let mut diagnostics = Vec::new();
    for (number, task) in plan.tasks.iter_mut().enumerate() {
        let wanted = asked.contains(task.id.as_str());
        let Some(path) = task.detail.as_ref().map(|detail| detail.path.clone()) else {
            if wanted {
                let message = format!("task '{}' has no file of its own", task.id);
                diagnostics.push(load::note(
                    Severity::Warning,
                    "missing-task-file",
                    message,
                    &folder.path,
                    task,
                ));
            }
            continue;
        };
        if !wanted && says.get(number) == Some(&true) {
            continue;
        }
        let name = path.strip_prefix(&format!("{}/", folder.path)).unwrap_or(&path).to_owned();
        let Some(detail) = task_json::open(folder, &name)? else { continue };
        let stated = says.get(number) == Some(&true);
        take(&detail, &path, Opened { wanted, stated }, ids, task, &mut diagnostics);
    }
    plan.diagnostics.append(&mut diagnostics);
    Ok(())
}

/// Reads the agent of every open task from its file, and nothing else: a file that cannot be read or is broken is reported
/// when its task is handed out.
pub(crate) fn agents(folder: &Folder, plan: &mut Plan) {
    for task in plan.tasks.iter_mut().filter(|task| !task.state.is_settled()) {
        let Some(path) = task.detail.as_ref().map(|detail| detail.path.clone()) else { continue };
        let name = path.strip_prefix(&format!("{}/", folder.path)).unwrap_or(&path).to_owned();
        if let Ok(Some(Detail { value: Ok(value), .. })) = task_json::open(folder, &name) {
            load::agent(&value, task);
        }
    }
}

/// Reads the groups of the next batch where neither the plan nor the list states how tasks run: the files of the tasks that
/// may run now, one after the other, as long as they name the same group. The others stay closed.
pub(crate) fn next_group(folder: &Folder, plan: &mut Plan) -> Result<(), Fail> {
    if plan.strategy.as_ref().is_none_or(|strategy| strategy.stated) {
        return Ok(());
    }
    let settled: HashSet<TaskId> =
        plan.tasks.iter().filter(|task| task.state.is_settled()).map(|task| task.id.clone()).collect();
    let is_ready = |task: &Task| {
        !task.state.is_settled()
            && task.kind == Kind::Work
            && task.depends_on.iter().all(|id| settled.contains(id))
    };
    let mut group: Option<String> = None;
    let mut found = Vec::new();
    for task in plan.tasks.iter_mut().filter(|task| is_ready(task)) {
        let Some(path) = task.detail.as_ref().map(|detail| detail.path.clone()) else { break };
        if task.group.is_none() {
            let name = path.strip_prefix(&format!("{}/", folder.path)).unwrap_or(&path).to_owned();
            let Some(detail) = task_json::open(folder, &name)? else { break };
            let Ok(value) = &detail.value else { break };
            load::group(value, &path, task, &mut found);
        }
        // A task that was begun may be given up, and then the batch is that of those behind it.
        if task.state == State::InProgress {
            continue;
        }
        if task.group.is_none() || group.as_ref().is_some_and(|group| Some(group) != task.group.as_ref()) {
            break;
        }
        group.clone_from(&task.group);
    }
    plan.diagnostics.append(&mut found);
    Ok(())
}

/// Why a file was opened.
#[derive(Debug, Clone, Copy)]
struct Opened {
    /// The task was requested.
    wanted: bool,
    /// The list or the plan states the task's dependencies.
    stated: bool,
}

fn take(detail: &Detail, path: &str, why: Opened, ids: &Ids, task: &mut Task, found: &mut Vec<Diagnostic>) {
    match &detail.value {
        Ok(value) => {
            depends(task_json::depends_on(value, ids), why.stated, path, task, found);
            conflict(task_json::status(value), path, task, found);
            let own = value.get("id").or_else(|| value.get("task_id")).and_then(|id| id.as_str());
            if let Some(own) = own.filter(|own| !own.eq_ignore_ascii_case(task.id.as_str())) {
                let message = format!("the file of task '{}' calls itself '{own}'", task.id);
                found.push(load::note(Severity::Warning, "id-mismatch", message, path, task));
            }
            if detail.trailing {
                let message = "something stands behind the JSON object and is not read".to_owned();
                found.push(load::note(Severity::Warning, "trailing-data", message, path, task));
            }
            if why.wanted {
                load::fill(detail, value, path, task, found);
            }
        }
        Err(broken) => {
            // The dependencies of a task must be known before it is handed out; for a finished task they no longer
            // matter.
            let severity = if task.state.is_settled() { Severity::Warning } else { Severity::Error };
            let message = format!("the file of task '{}' is no JSON: {}", task.id, broken.message);
            let mut note = load::note(severity, "broken-json", message, path, task);
            (note.line, note.column) = (broken.line, Some(broken.column));
            found.push(note);
        }
    }
}

/// Adds the dependencies in the file. Those of the list stay: an additional edge is safe, a missing one is not.
fn depends(needs: Vec<String>, stated: bool, path: &str, task: &mut Task, found: &mut Vec<Diagnostic>) {
    let before = task.depends_on.len();
    for id in needs.into_iter().map(TaskId) {
        if id.as_str().contains("::") {
            let message =
                format!("task '{}' depends on '{id}', a placeholder that was not replaced", task.id);
            found.push(load::note(Severity::Error, "dangling-dependency", message, path, task));
        } else if !task.depends_on.contains(&id) {
            task.depends_on.push(id);
        }
    }
    if stated && task.depends_on.len() > before {
        let more: Vec<&str> = task.depends_on.iter().skip(before).map(TaskId::as_str).collect();
        let message =
            format!("the file of task '{}' also waits for {}: both count", task.id, more.join(", "));
        found.push(load::note(Severity::Warning, "dependency-conflict", message, path, task));
    }
}

fn conflict(status: Option<&str>, path: &str, task: &Task, found: &mut Vec<Diagnostic>) {
    let Some(status) = status else { return };
    let (list, file) = (task.state.is_settled(), task_json::is_done(status));
    if list != file {
        let word = task.state.word();
        let message =
            format!("task '{}' is {word} in the list and '{status}' in its file: the list decides", task.id);
        found.push(load::note(Severity::Warning, "status-conflict", message, path, task));
    } else if matches!(status, "blocked" | "failed") && task.state == State::Pending {
        let message = format!(
            "task '{}' is '{status}' in its file and not ticked in the list: taken as pending",
            task.id
        );
        found.push(load::note(Severity::Warning, "status-conflict", message, path, task));
    }
}

/// The task file that an entry's own lines link to, relative to the session's folder.
fn linked(outline: &Outline, entries: &[Entry], number: usize) -> Option<String> {
    let text = outline.str(list::own(entries, number));
    text.lines().take(LINES).find_map(|line| {
        links::links(line).iter().find_map(|link| {
            let target = line.get(link.target.start..link.target.end)?;
            let name = target.rsplit_once(".task/")?.1;
            let plain = !name.contains(['/', '\\']) && !name.starts_with('.') && has_end(name, ".json");
            plain.then(|| format!(".task/{name}"))
        })
    })
}

/// The maximum number of lines of an entry to search.
const LINES: usize = 64;

fn has_end(name: &str, end: &str) -> bool {
    name.len() > end.len()
        && name.get(name.len() - end.len()..).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}
