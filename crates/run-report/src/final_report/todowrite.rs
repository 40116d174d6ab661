//! The input of an agent's todo tool, in the form of the workflow session's source.

use crate::plain_text::plain;
use serde::Serialize;
use wire::report::{Line, Report, Stand};
use wire::{Plan, State, Task, TaskId};

#[derive(Serialize)]
struct List {
    todos: Vec<Todo>,
}

#[derive(Serialize)]
struct Todo {
    content: String,
    status: &'static str,
    #[serde(rename = "activeForm")]
    active_form: String,
}

/// The list, as one line of JSON; the tasks that begin now are in progress.
pub(crate) fn write(plan: &Plan, report: &Report, begins: &[TaskId]) -> String {
    let tasks = plan.tasks.iter().zip(&report.tasks).filter(|(t, _)| t.kind != wire::plan::Kind::Container);
    let list = List { todos: tasks.map(|(task, line)| todo(task, line, begins)).collect() };
    // Strings always serialize as JSON.
    serde_json::to_string(&list).unwrap_or_default() + "\n"
}

fn todo(task: &Task, line: &Line, begins: &[TaskId]) -> Todo {
    let name = format!("{}: {}", plain(task.id.as_str()), plain(&task.title));
    let mut content = format!("Execute {name}");
    let mut mark = |text: String| {
        content.push_str(" [");
        content.push_str(&plain(&text));
        content.push(']');
    };
    if let Some(agent) = &task.agent {
        mark(agent.trim_start_matches('@').to_owned());
    }
    if task.extra.contains_key("flow_control") {
        mark("FLOW_CONTROL".to_owned());
    }
    if let Some(group) = &task.group {
        mark(format!("execution_group: {group}"));
    }
    if !task.depends_on.is_empty() {
        let ids: Vec<&str> = task.depends_on.iter().map(TaskId::as_str).collect();
        mark(format!("depends_on: {}", ids.join(", ")));
    }
    let status = match line.stand {
        Stand::Done | Stand::Unverified | Stand::Overridden | Stand::Skipped => "completed",
        _ if begins.contains(&task.id) => "in_progress",
        // A halted task stays in progress, as in its list.
        Stand::Running | Stand::Failed => "in_progress",
        Stand::Pending | Stand::Waiting | Stand::Human if line.state == State::InProgress => "in_progress",
        Stand::Blocked | Stand::Human | Stand::Waiting | Stand::Pending => "pending",
    };
    Todo { content, status, active_form: format!("Executing {name}") }
}
