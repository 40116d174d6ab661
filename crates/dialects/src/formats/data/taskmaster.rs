//! `taskmaster`: a tasks.json of Taskmaster, `{tag: {tasks: […]}}` or the older `{tasks: […]}`.
//!
//! A subtask is known as `PARENT.ID`; a number in its dependencies means a sibling first and a task second. Each tag
//! numbers its own tasks: with several tags, all but the main one prefix the id with their name.

use crate::data::data_file::DataFile;
use crate::data::json::Node;
use crate::deps::strategy;
use crate::dialect::PLAIN;
use crate::write;
use crate::write::{Form, Member};
use crate::{Dialect, Plan, Shape};
use markdown::Text;
use std::collections::HashSet;
use toolkit::Fail;
use wire::plan::{Kind, Model};
use wire::{Task, TaskId};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "taskmaster",
    about: "tasks.json of Taskmaster, with or without tags",
    model: Model::Parallel,
    shapes: &[Shape::Data { detect, read }],
    edits: write::data::edits,
    begins: true,
    words: ["pending", "in-progress", "done", "blocked", "pending", "cancelled"],
    checks: &[Form::Members(&[Member::text(&["testStrategy"]), Member::text(&["acceptanceCriteria"])])],
    ..PLAIN
};

fn detect(text: &Text) -> u32 {
    DataFile::with_key(text, &["tasks"]).map_or(0, |node| if tags(&node).is_empty() { 0 } else { 60 })
}

fn read(text: &Text) -> Result<Plan, Fail> {
    let sheet = DataFile::new(text);
    let root = sheet.json()?;
    let tags = tags(&root);
    let main = tags.iter().position(|(tag, _)| *tag == "master").unwrap_or(0);
    let mut plan = Plan { strategy: Some(strategy::unstated(Model::Parallel)), ..Plan::default() };
    for (index, (tag, tasks)) in tags.iter().enumerate() {
        let prefix = if index == main { String::new() } else { format!("{tag}:") };
        let known: HashSet<&str> = tasks.iter().filter_map(|node| node.get("id")?.name()).collect();
        let list = List { sheet: &sheet, prefix, tag: if tags.len() > 1 { tag } else { "" }, known };
        for node in *tasks {
            list.take(node, &mut plan);
        }
    }
    let project = root.get("meta").or_else(|| root.get("metadata"));
    project.map_or("", |meta| meta.text("projectName")).clone_into(&mut plan.title);
    Ok(plan)
}

/// The lists of tasks with their tags; a file without tags has one list without a name.
fn tags(root: &Node) -> Vec<(&str, &[Node])> {
    let is_list =
        |tasks: &&[Node]| tasks.first().is_some_and(|task| task.get("id").is_some() && has_title(task));
    if let Some(tasks) = Some(root.entries("tasks")).filter(is_list) {
        return vec![("", tasks)];
    }
    let tagged = root.members().iter().map(|(tag, node)| (tag.as_str(), node.entries("tasks")));
    tagged.filter(|(_, tasks)| is_list(tasks)).collect()
}

fn has_title(task: &Node) -> bool {
    task.get("title").is_some() && task.get("action").is_none()
}

struct List<'l, 'a> {
    sheet: &'l DataFile<'a>,
    prefix: String,
    tag: &'l str,
    known: HashSet<&'l str>,
}

impl List<'_, '_> {
    fn take(&self, node: &Node, plan: &mut Plan) {
        let own = node.get("id").and_then(Node::name).unwrap_or_default();
        let id = format!("{}{own}", self.prefix);
        let mut task = self.task(node, &id, plan);
        let absolute = |name: &str| format!("{}{name}", self.prefix);
        task.depends_on = names(node).map(|name| TaskId(absolute(name))).collect();
        let subtasks = node.entries("subtasks");
        if !subtasks.is_empty() {
            task.kind = Kind::Container;
        }
        task.fingerprint = DataFile::fingerprint(node, &["subtasks", "complexity"], &task.depends_on);
        plan.tasks.push(task);
        let siblings: HashSet<&str> = subtasks.iter().filter_map(|sub| sub.get("id")?.name()).collect();
        for sub in subtasks {
            let number = sub.get("id").and_then(Node::name).unwrap_or_default();
            let mut task = self.task(sub, &format!("{id}.{number}"), plan);
            task.parent = Some(TaskId(id.clone()));
            let resolve = |name: &str| {
                let sibling = siblings.contains(name) && (!name.contains('.') || !self.known.contains(name));
                if sibling { format!("{id}.{name}") } else { absolute(name) }
            };
            let mut seen = HashSet::new();
            let all = names(sub).map(|name| TaskId(resolve(name)));
            task.depends_on = all.filter(|id| seen.insert(id.clone())).collect();
            task.fingerprint = DataFile::fingerprint(sub, &[], &task.depends_on);
            plan.tasks.push(task);
        }
    }

    fn task(&self, node: &Node, id: &str, plan: &mut Plan) -> Task {
        let mut task = self.sheet.task(node, id, node.text("title"), "status", &mut plan.diagnostics);
        for key in ["description", "details"] {
            task.steps.extend(Some(node.text(key)).filter(|text| !text.is_empty()).map(str::to_owned));
        }
        for (key, category) in [("testStrategy", "test"), ("acceptanceCriteria", "functional")] {
            if let Some(value) = node.get(key) {
                self.sheet.criterion(&mut task, category, value.str().unwrap_or_default(), value.inner());
            }
        }
        DataFile::keep(node, &["priority", "complexity"], &mut task);
        if !self.tag.is_empty() {
            task.extra.insert("tag".to_owned(), self.tag.into());
        }
        task
    }
}

fn names(node: &Node) -> impl Iterator<Item = &str> {
    // Plans of other tools use the same form with other keys; a task must not look free because of a key name.
    let keys = ["dependencies", "depends_on", "depends"];
    keys.into_iter().flat_map(|key| node.entries(key)).filter_map(Node::name)
}
