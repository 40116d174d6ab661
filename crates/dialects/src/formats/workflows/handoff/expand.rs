//! The whole run of a packet as a list, including the lines before and after its subtasks.
//!
//! Every line waits for the line before it, so readers of the plan need to know nothing about packets. A subtask
//! keeps its span in the packet; a line that is not in the packet has an empty span at its beginning.

use super::{DIALECT, settle};
use crate::Plan;
use std::fmt::Write;
use toolkit::Fail;
use toolkit::files::sha::Hasher;
use wire::plan::Span;
use wire::{Fingerprint, Task, TaskId, ids};

/// The run of `/execute-task` over the subtasks of a handoff.
pub fn execute_task(plan: &Plan) -> Result<Plan, Fail> {
    if plan.source.dialect != DIALECT.name {
        let message = format!("only a handoff packet is expanded so, not '{}'", plan.source.dialect);
        return Err(Fail::data("not-a-packet", message).at(plan.source.path.as_str(), 1));
    }
    let mut run = Plan { tasks: Vec::with_capacity(plan.tasks.len() + 5), ..plan.clone() };
    let count = plan.tasks.len();
    let path = &plan.source.path;
    run.tasks.push(line(path, "runtime-report", "Runtime Model Report (record runtime model/mode)"));
    run.tasks.push(line(path, "pre-execution-gate", "Pre-Execution Gate: Load and verify prep session"));
    for (index, task) in plan.tasks.iter().enumerate() {
        let id = format!("subtask-{}", index + 1);
        let mut subtask = task.clone();
        subtask.key = ids::key_of(&id);
        subtask.title = format!("Subtask {}: {}", index + 1, task.title);
        subtask.extra.insert("subtask".to_owned(), task.id.0.clone().into());
        subtask.id = TaskId(id);
        for (number, criterion) in subtask.criteria.iter_mut().enumerate() {
            criterion.id = format!("{}:{}", subtask.id, number + 1);
        }
        run.tasks.push(subtask);
    }
    for (number, title) in [(count + 1, "Add/update tests"), (count + 2, "Run quality gates")] {
        run.tasks.push(line(path, &format!("subtask-{number}"), &format!("Subtask {number}: {title}")));
    }
    run.tasks.push(line(path, "complete", "Complete: Update beads and present results"));
    chain(&mut run);
    Ok(run)
}

/// Whether a plan is the list of such a run: it begins with the inspection of a preparation, and ends with the line that
/// a person approves.
pub fn is_run(plan: &Plan) -> bool {
    let has = |id: &str| plan.tasks.iter().any(|task| task.id.as_str() == id);
    has("pre-execution-gate") && has("complete")
}

/// The run as the todo list that a person or agent keeps, one box per line.
pub fn todo_list(run: &Plan) -> String {
    run.tasks.iter().fold(String::new(), |mut text, task| {
        let mark = match task.state {
            wire::State::Completed => "x",
            wire::State::InProgress => "-",
            wire::State::Skipped => "~",
            _ => " ",
        };
        // A title is always a single line.
        let title = task.title.split_whitespace().collect::<Vec<_>>().join(" ");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[{mark}] {title}");
        text
    })
}

fn chain(run: &mut Plan) {
    let before: Vec<TaskId> = run.tasks.iter().map(|task| task.id.clone()).collect();
    for (task, before) in run.tasks.iter_mut().skip(1).zip(before) {
        task.depends_on = vec![before.clone()];
        let hash = Hasher::new().with(task.fingerprint.0.as_bytes()).with(b"\0").with(before.0.as_bytes());
        task.fingerprint = Fingerprint(format!("fp1:{}", hash.finish()));
    }
}

fn line(path: &str, id: &str, title: &str) -> Task {
    let mut task = Task {
        id: TaskId::from(id),
        key: ids::key_of(id),
        title: title.to_owned(),
        span: Span { path: path.into(), line: 1, start: 0, end: 0 },
        fingerprint: Fingerprint(format!("fp1:{}", Hasher::new().with(title.as_bytes()).finish())),
        ..Task::default()
    };
    settle(&mut task);
    task
}
