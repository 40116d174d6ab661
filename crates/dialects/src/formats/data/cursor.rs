//! `cursor`: a `.plan.md` of Cursor, whose tasks are the `todos` of its front matter: `{id, content, status}`.
//!
//! Boxes and steps in the text below are a second list beside them and no tasks.

use crate::criteria::locate::{self, Purpose};
use crate::criteria::{self, notes};
use crate::deps::{named, strategy};
use crate::dialect::PLAIN;
use crate::lists::items;
use crate::read::fingerprint;
use crate::states::words;
use crate::write::Form;
use crate::{Dialect, Plan, Shape};
use markdown::yaml::{Node, What};
use markdown::{Extent, Outline, front_matter, yaml};
use wire::plan::{Model, Severity};
use wire::{State, Task, TaskId, ids};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "cursor",
    about: "a .plan.md of Cursor: todos in the front matter",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    begins: true,
    words: ["pending", "in_progress", "completed", "pending", "pending", "cancelled"],
    checks: &[Form::Entry],
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let start = outline.str(Extent { start: 0, end: outline.bytes.len() });
    if !start.trim_start().starts_with("---") {
        return 0;
    }
    if todos(outline).is_some_and(|todos| !todos.is_empty()) { 75 } else { 0 }
}

/// One entry of `todos`.
struct Todo {
    at: Extent,
    id: Option<String>,
    content: String,
    status: Option<Extent>,
    depends: Vec<String>,
    verify: Vec<String>,
}

fn todos(outline: &Outline) -> Option<Vec<Todo>> {
    let whole = outline.str(Extent { start: 0, end: outline.bytes.len() });
    let entry = front_matter::entry(whole, "todos")?;
    let value = yaml::value_of(outline.str(entry)).ok()?;
    let What::List(list) = value.what else { return None };
    let starts: Vec<usize> = list.iter().map(|node| entry.start + node.at).chain([entry.end]).collect();
    let mut found = Vec::with_capacity(list.len());
    for (index, node) in list.iter().enumerate() {
        let What::Map(pairs) = &node.what else { return None };
        let start = *starts.get(index)?;
        // The dash of the next entry is no part of this one.
        let end = *starts.get(index + 1)?;
        let body = outline.str(Extent { start, end });
        let body = body.trim_end().trim_end_matches('-').trim_end();
        let get = |key: &str| pairs.iter().find(|(name, _)| text(name) == Some(key)).map(|(_, value)| value);
        let content = get("content").or_else(|| get("title")).and_then(text)?.to_owned();
        found.push(Todo {
            at: Extent { start, end: start + body.len() },
            id: get("id").and_then(text).map(str::to_owned),
            content,
            status: get("status").and_then(|value| place(outline, entry, value)),
            depends: get("dependencies").map(listed).unwrap_or_default(),
            verify: get("verify").map(listed).unwrap_or_default(),
        });
    }
    Some(found)
}

fn text(node: &Node) -> Option<&str> {
    if let What::Text(text) = &node.what { Some(text) } else { None }
}

fn listed(node: &Node) -> Vec<String> {
    match &node.what {
        What::List(list) => list.iter().filter_map(text).map(str::to_owned).collect(),
        What::Text(text) => vec![text.clone()],
        _ => Vec::new(),
    }
}

/// The bytes of a value that can be replaced in its place.
fn place(outline: &Outline, entry: Extent, value: &Node) -> Option<Extent> {
    let said = text(value)?;
    let start = entry.start + value.at;
    let quoted = usize::from(outline.str(Extent { start, end: entry.end }).starts_with(['"', '\'']));
    let at = Extent { start: start + quoted, end: start + quoted + said.len() };
    (outline.str(at) == said && said.chars().count() > 1).then_some(at)
}

fn read(outline: &Outline) -> Plan {
    let todos = todos(outline).unwrap_or_default();
    let whole = outline.str(Extent { start: 0, end: outline.bytes.len() });
    let matter = front_matter::read(whole).unwrap_or_default();
    let mut plan = Plan { title: matter.text("name").to_owned(), ..Plan::default() };
    if plan.title.is_empty() {
        plan.title = markdown::outline::title(outline);
    }
    let waits = todos.iter().any(|todo| !todo.depends.is_empty());
    plan.strategy = Some(strategy::unstated(if waits { Model::Parallel } else { Model::Sequential }));
    let own: Vec<Option<&str>> = todos.iter().map(|todo| todo.id.as_deref()).collect();
    for (todo, id) in todos.iter().zip(named::ids(&own)) {
        let task = task(outline, todo, &id, &mut plan);
        plan.tasks.push(task);
    }
    notes::outside(outline, |at| at < matter.body, &mut plan);
    items::hidden(outline, &mut plan.diagnostics);
    plan
}

fn task(outline: &Outline, todo: &Todo, id: &str, plan: &mut Plan) -> Task {
    let depends_on: Vec<TaskId> = todo.depends.iter().map(|id| TaskId::from(id.as_str())).collect();
    let marks: Vec<Extent> = todo.status.into_iter().collect();
    let none = Extent { start: todo.at.end, end: todo.at.end };
    let mut task = Task {
        id: TaskId::from(id),
        key: ids::key_of(id),
        title: todo.content.lines().next().unwrap_or_default().trim().to_owned(),
        span: outline.span(todo.at),
        mark: todo.status.map(|at| outline.span(at)),
        state_from: todo.status.map(|at| outline.place(at.start)),
        fingerprint: fingerprint::with_boxes(outline, todo.at, &marks, none, &depends_on),
        depends_on,
        ..Task::default()
    };
    for check in &todo.verify {
        let found = criteria::text::string(outline.path, check, &task.span, Purpose::Criteria);
        locate::add(&mut task, "verify", found);
    }
    if let Some(at) = todo.status {
        let said = outline.shown(at);
        task.state = words::state(&said).unwrap_or_else(|| {
            let message = format!("unknown status '{said}' is taken as not done");
            let mut warning = outline.diagnostic(Severity::Warning, "unknown-status", message, at.start);
            warning.task = Some(task.id.clone());
            plan.diagnostics.push(warning);
            State::Pending
        });
    } else {
        let message =
            format!("task '{id}' has no status that can be changed: add 'status: pending' below its id");
        let mut warning = outline.diagnostic(Severity::Warning, "unknown-status", message, todo.at.start);
        warning.task = Some(task.id.clone());
        plan.diagnostics.push(warning);
    }
    task
}
