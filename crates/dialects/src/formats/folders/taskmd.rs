//! `taskmd`: a folder of files with `id`, `title`, `status`, `dependencies`, `parent`, `touches` and `verify`.
//!
//! Folders of Backlog.md have the same front matter and are read alike.

use crate::criteria::locate;
use crate::data::data_file::DataFile;
use crate::data::task_files::{self, Card};
use crate::deps::{dangling, strategy};
use crate::dialect::PLAIN;
use crate::write::Form;
use crate::{Ask, Dialect, Folder, Folders, Plan, Shape};
use markdown::front_matter::{Field, Matter, Reads};
use markdown::{Outline, Text};
use std::collections::HashSet;
use toolkit::Fail;
use wire::plan::{Criterion, Kind, Model};
use wire::{Task, TaskId};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "taskmd",
    about: "a folder of task files with id, status and dependencies",
    model: Model::Parallel,
    shapes: &[Shape::Folder { detect, read }, Shape::Markdown { detect: detect_one, read: read_one }],
    beside: Some(read_beside),
    begins: true,
    words: ["pending", "in-progress", "completed", "blocked", "pending", "cancelled"],
    checks: &[Form::FrontMatter, Form::Lines],
    ..PLAIN
};

fn detect(folder: &Folder) -> u32 {
    if task_files::most(folder, is_task) { 50 } else { 0 }
}

fn is_task(_: &str, matter: &Matter) -> bool {
    !matter.text("id").is_empty() && !matter.text("status").is_empty()
}

const ACTS_ON: &[(&str, Reads)] = &[
    ("id", Reads::Value),
    ("status", Reads::Word),
    ("dependencies", Reads::List),
    ("parent", Reads::Value),
    ("parent_task_id", Reads::Value),
    ("touches", Reads::List),
    ("group", Reads::Value),
    ("verify", Reads::Checks),
];

fn read(folder: &Folder, _: &Ask) -> Result<Plan, Fail> {
    let mut plan = Plan { strategy: Some(strategy::unstated(Model::Parallel)), ..Plan::default() };
    let cards = task_files::cards(folder, is_task, ACTS_ON, &mut plan.diagnostics)?;
    let parents: HashSet<&str> = cards.iter().map(|card| parent(&card.matter)).collect();
    for card in &cards {
        let mut task = task(&folder.seen(&card.name), card, &mut plan);
        if parents.contains(task.id.as_str()) {
            task.kind = Kind::Container;
        }
        plan.tasks.push(task);
    }
    Ok(plan)
}

fn detect_one(outline: &Outline) -> u32 {
    if task_files::alone(outline, is_task).is_some() { 70 } else { 0 }
}

/// One task file as a plan of one task.
fn read_one(outline: &Outline) -> Plan {
    let mut plan = Plan { strategy: Some(strategy::unstated(Model::Parallel)), ..Plan::default() };
    if let Some(card) = task_files::alone(outline, is_task) {
        task_files::refuse(outline, &card.matter, ACTS_ON, &mut plan.diagnostics);
        let mut task = task(outline.path, &card, &mut plan);
        let status = card.matter.text("status").to_owned();
        if !task.depends_on.is_empty() {
            task.extra.insert(task_files::OWN_STATE.to_owned(), status.into());
        }
        // The parent is another file.
        task.parent = None;
        card.matter.text("title").clone_into(&mut plan.title);
        plan.tasks.push(task);
    }
    plan
}

fn read_beside(plan: &mut Plan, folders: &Folders, _: &Ask) -> Result<(), Fail> {
    task_files::free(plan, &folders.beside, |_, matter, id| {
        dangling::simple(matter.text("id")) == dangling::simple(id)
    })
}

fn parent(matter: &Matter) -> &str {
    if matter.text("parent").is_empty() { matter.text("parent_task_id") } else { matter.text("parent") }
}

fn task(path: &str, card: &Card, plan: &mut Plan) -> Task {
    let matter = &card.matter;
    let id = matter.text("id");
    let title = if matter.text("title").is_empty() { id } else { matter.text("title") };
    let depends_on = matter.list("dependencies").into_iter().map(TaskId::from).collect();
    let mut task = task_files::task(path, card, id, title, depends_on, &mut plan.diagnostics);
    task.parent = Some(parent(matter)).filter(|parent| !parent.is_empty()).map(TaskId::from);
    task.resources = matter.list("touches").into_iter().map(str::to_owned).collect();
    task.group = Some(matter.text("group")).filter(|group| !group.is_empty()).map(str::to_owned);
    for key in ["priority", "effort", "tags", "labels"] {
        let list = matter.list(key);
        if !list.is_empty() {
            task.extra.insert(key.to_owned(), list.join(", ").into());
        }
    }
    if let Some(verify) = matter.get("verify") {
        check(&DataFile::new(&Text { path, bytes: &card.bytes }), verify, &mut task);
    }
    task
}

/// `{type: bash, run, dir, expect}` is a command and its result, `{type: assert, check}` is for a reader.
fn check(sheet: &DataFile, verify: &Field, task: &mut Task) {
    for step in &verify.maps {
        let value = |key: &str| step.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
        let command = value("run").map(|run| match value("dir") {
            Some(dir) if dir != "." => format!("cd '{}' && {run}", dir.replace('\'', "'\\''")),
            _ => run.to_owned(),
        });
        let text = command.clone().or_else(|| value("check").map(str::to_owned)).unwrap_or_default();
        let base = Criterion {
            category: "verify".to_owned(),
            text,
            // The position of the list: the front matter keeps no position for each of its entries.
            span: sheet.span(verify.at),
            ..Criterion::default()
        };
        match command {
            Some(command) => sheet.command(task, &base, &command, value("expect"), verify.at),
            None => locate::add(task, "", [base]),
        }
    }
}
