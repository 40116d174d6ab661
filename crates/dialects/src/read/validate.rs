//! Rules for every plan, whatever its dialect.
//!
//! A plan without tasks is a failure at once. A duplicate id, a dependency of a task on itself, and a cycle are error
//! diagnostics that name every member with its line. A dependency on an unknown task blocks the task that has it, and
//! the rest of the plan is usable; in a format that promises a closed graph it is an error too.

use crate::Plan;
use crate::deps::{cycle, dangling};
use std::collections::{BTreeMap, HashMap};
use toolkit::Fail;
use wire::Task;
use wire::plan::{Diagnostic, Severity};

/// Validates the plan and adds its findings to the diagnostics, which are then in document order.
pub(crate) fn check(plan: &mut Plan) -> Result<(), Fail> {
    if plan.tasks.is_empty() {
        return Err(no_tasks(plan));
    }
    let mut found = Vec::new();
    if plan.tasks.iter().any(|task| !task.depends_on.is_empty()) {
        dangling::resolve(plan, &mut found);
    }
    let (first, again) = first_of_each(&plan.tasks);
    duplicates(&plan.tasks, &again, &mut found);
    if plan.tasks.iter().any(|task| !task.depends_on.is_empty()) {
        let edges = edges(&plan.tasks, &first, &mut found);
        for members in cycle::find(&edges) {
            found.extend(cycle(&plan.tasks, &members));
        }
    }
    plan.diagnostics.extend(found);
    plan.diagnostics.sort_by_key(|found| (found.line, found.column));
    Ok(())
}

/// The failure code of a diagnostic.
pub(crate) fn code_word(code: &str) -> &'static str {
    CODES.iter().find(|known| **known == code).copied().unwrap_or("plan-error")
}

/// The codes of all errors that a dialect may report.
const CODES: &[&str] = &[
    "duplicate-id",
    "dangling-dependency",
    "self-dependency",
    "cycle",
    "unknown-dependency",
    "too-many-edges",
    "broken-json",
    "no-model",
    "missing-step-file",
    "phase-cycle",
    "long-range",
    "bad-front-matter",
];

/// The codes of diagnostics about lines that look like tasks but are not.
const TASK_LIKE: &[&str] = &[
    "heading-without-box",
    "heading-without-blank",
    "item-without-blank",
    "box-not-understood",
    "task-unclosed",
    "task-in-code",
    "task-in-comment",
    "task-in-quote",
    "unnumbered-step",
    "step-in-fence",
    "item-not-taken",
    "empty-phase",
];

fn no_tasks(plan: &Plan) -> Fail {
    let seen: Vec<_> =
        plan.diagnostics.iter().filter(|found| TASK_LIKE.contains(&found.code.as_str())).collect();
    let path = plan.source.path.clone();
    let Some(first) = seen.first() else {
        let Some(note) = plan.notes.first() else {
            return Fail::data("no-tasks", "no tasks: no heading or item with a box").at(path, 1);
        };
        let message = format!(
            "no tasks: the boxes below '{}' are about the plan as a whole; '--dialect boxes' reads every box as a task",
            note.section
        );
        return Fail::data("no-tasks", message).at(path, note.span.line);
    };
    let lines: Vec<_> = seen.iter().take(MANY).map(|found| found.line.to_string()).collect();
    let more = if seen.len() > MANY { ", …" } else { "" };
    let many = if seen.len() == 1 { "line" } else { "lines" };
    let message = format!("no tasks: {} ({many} {}{more})", first.message, lines.join(", "));
    Fail::data("no-tasks", message).at(path, first.line)
}

/// The first task of each id; reports each later task with the same id together with the first.
fn first_of_each(tasks: &[Task]) -> (HashMap<&str, usize>, Vec<(usize, usize)>) {
    let mut first = HashMap::with_capacity(tasks.len());
    let mut again = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        let original = *first.entry(task.id.as_str()).or_insert(index);
        if original != index {
            again.push((original, index));
        }
    }
    (first, again)
}

fn duplicates(tasks: &[Task], again: &[(usize, usize)], found: &mut Vec<Diagnostic>) {
    let mut twice: BTreeMap<usize, Vec<&Task>> = BTreeMap::new();
    for &(original, index) in again {
        let members = twice.entry(original).or_insert_with(|| tasks.get(original).into_iter().collect());
        members.extend(tasks.get(index));
    }
    for members in twice.values() {
        let Some(second) = members.get(1) else { continue };
        let lines: Vec<_> = members.iter().take(MANY).map(|task| task.span.line.to_string()).collect();
        let more = if members.len() > MANY { ", …" } else { "" };
        let message = format!("task id '{}' is used on lines {}{more}", second.id, lines.join(", "));
        found.push(at(second, "duplicate-id", message));
    }
}

/// The edges between tasks by index.
fn edges(tasks: &[Task], first: &HashMap<&str, usize>, found: &mut Vec<Diagnostic>) -> Vec<Vec<usize>> {
    let mut edges = Vec::with_capacity(tasks.len());
    for task in tasks {
        let mut to = Vec::with_capacity(task.depends_on.len());
        for id in &task.depends_on {
            match first.get(id.as_str()) {
                _ if *id == task.id => {
                    let message = format!("task '{}' depends on itself", task.id);
                    found.push(at(task, "self-dependency", message));
                }
                Some(&index) => to.push(index),
                None => {}
            }
        }
        edges.push(to);
    }
    edges
}

fn cycle(tasks: &[Task], members: &[usize]) -> Option<Diagnostic> {
    let members: Vec<_> = members.iter().filter_map(|index| tasks.get(*index)).collect();
    let first = members.first()?;
    let named: Vec<_> =
        members.iter().take(MANY).map(|task| format!("'{}' (line {})", task.id, task.span.line)).collect();
    let more = members.len().saturating_sub(MANY);
    let rest = if more > 0 { format!(" → … {more} more") } else { String::new() };
    let message = format!("tasks wait for each other: {}{rest} → '{}'", named.join(" → "), first.id);
    Some(at(first, "cycle", message))
}

/// The number of members that a message lists by name.
const MANY: usize = 100;

/// An error at a task.
pub(crate) fn at(task: &Task, code: &'static str, message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code: code.to_owned(),
        message,
        path: task.span.path.clone(),
        line: task.span.line,
        column: Some(1),
        task: Some(task.id.clone()),
        offer: None,
    }
}
