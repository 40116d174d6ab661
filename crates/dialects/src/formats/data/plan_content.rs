//! `plan-content`: the plan-content.json that a PLAN.md is generated from. It has no states: all of its tasks are
//! open.

use crate::data::data_file::DataFile;
use crate::data::json::Node;
use crate::deps::strategy;
use crate::dialect::PLAIN;
use crate::write::{Form, Member};
use crate::{Dialect, Plan, Shape};
use markdown::Text;
use std::collections::{HashMap, HashSet};
use toolkit::Fail;
use wire::plan::{CommitRule, FileUse, Input, Kind, Model, Output};
use wire::{Task, TaskId};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "plan-content",
    about: "plan-content.json, the data behind a PLAN.md",
    model: Model::Parallel,
    shapes: &[Shape::Data { detect, read }],
    checks: &[Form::Members(&[Member::list(&["acceptanceCriteria", "functional"])])],
    ..PLAIN
};

fn detect(text: &Text) -> u32 {
    let Some(root) = DataFile::with_key(text, &["todos"]) else { return 0 };
    let told =
        root.entries("todos").iter().any(|todo| todo.get("id").is_some() && todo.get("title").is_some());
    if told { 60 } else { 0 }
}

fn read(text: &Text) -> Result<Plan, Fail> {
    let sheet = DataFile::new(text);
    let root = sheet.json()?;
    let mut plan = Plan { strategy: Some(strategy::unstated(Model::Parallel)), ..Plan::default() };
    root.get("objectives").map_or("", |goals| goals.text("core")).clone_into(&mut plan.title);
    for key in ["context", "objectives", "taskFlow", "verificationSummary"] {
        plan.extra.extend(root.get(key).map(|value| (key.to_owned(), value.plain())));
    }
    let requires = requires(&root);
    let mut commits: HashMap<&str, &Node> = HashMap::new();
    for row in root.entries("commitStrategy") {
        commits.entry(row.text("afterTodo")).or_insert(row);
    }
    for node in root.entries("todos") {
        let mut task = task(&sheet, node, &mut plan);
        if let Some(ids) = requires.get(task.id.as_str()) {
            task.depends_on = ids.iter().map(|id| TaskId::from(*id)).collect();
        }
        task.commit = commits.get(task.id.as_str()).map(|row| Box::new(commit(row)));
        task.fingerprint = DataFile::fingerprint(node, &[], &task.depends_on);
        plan.tasks.push(task);
    }
    Ok(plan)
}

/// The requirements of each task; the name of a product stands for the task that produces it.
fn requires(root: &Node) -> HashMap<&str, Vec<&str>> {
    let rows = root.entries("dependencyGraph");
    let mut producer: HashMap<&str, &str> = HashMap::new();
    for row in rows {
        for name in row.texts("produces") {
            producer.entry(name).or_insert(row.text("todo"));
        }
    }
    let todos: HashSet<&str> = root.entries("todos").iter().map(|todo| todo.text("id")).collect();
    let mut requires = HashMap::new();
    for row in rows {
        let mut ids: Vec<&str> = Vec::new();
        let mut seen: HashSet<&str> = HashSet::new();
        for name in row.texts("requires") {
            let bare = name.rsplit_once('.').map_or(name, |(_, field)| field);
            let id = if todos.contains(name) {
                name
            } else {
                producer.get(name).or_else(|| producer.get(bare)).copied().unwrap_or(name)
            };
            if seen.insert(id) {
                ids.push(id);
            }
        }
        requires.insert(row.text("todo"), ids);
    }
    requires
}

fn task(sheet: &DataFile, node: &Node, plan: &mut Plan) -> Task {
    let id = node.get("id").and_then(Node::name).unwrap_or_default();
    let mut task = sheet.task(node, id, node.text("title"), "status", &mut plan.diagnostics);
    if node.text("type") == "verification" {
        task.kind = Kind::Verification;
    }
    let owned = |key: &str| node.texts(key).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    task.steps = owned("steps");
    task.must_not = owned("mustNotDo");
    task.references = owned("references");
    for input in node.entries("inputs") {
        let (name, kind) = (input.text("name").to_owned(), input.text("type").to_owned());
        task.inputs.push(Input { name, kind, reference: some(input.text("ref")), value: None });
    }
    for output in node.entries("outputs") {
        let kind = output.text("type").to_owned();
        let value = some(output.text("value"));
        if let Some(path) = value.clone().filter(|_| kind == "file") {
            task.files.push(FileUse { path, action: "write".to_owned() });
        }
        let (name, description) = (output.text("name").to_owned(), output.text("description").to_owned());
        task.outputs.push(Output { name, kind, value, description });
    }
    for (category, list) in node.get("acceptanceCriteria").map(Node::members).unwrap_or_default() {
        for entry in list.list() {
            if let Some(text) = entry.str() {
                sheet.criterion(&mut task, category, text, entry.inner());
            }
        }
    }
    DataFile::keep(node, &["risk"], &mut task);
    task
}

fn commit(row: &Node) -> CommitRule {
    CommitRule {
        message: row.text("message").to_owned(),
        files: row.texts("files").into_iter().map(str::to_owned).collect(),
        condition: row.text("condition").to_owned(),
        ..CommitRule::default()
    }
}
