//! `ccpm`: the folder of an epic, one file per task with `name`, `status`, `depends_on`, `parallel` and
//! `conflicts_with`.
//!
//! A task is known by the name of its file. Two tasks in conflict share a resource, so they never run together.

use crate::criteria::notes;
use crate::data::task_files;
use crate::deps::unit_refs::{self, UnitRef};
use crate::deps::{dangling, strategy};
use crate::dialect::PLAIN;
use crate::lists::numbered;
use crate::sections::Sections;
use crate::{Ask, Dialect, Folder, Folders, Plan, Shape};
use markdown::front_matter::{Matter, Reads};
use markdown::{Outline, Text};
use std::collections::HashMap;
use toolkit::Fail;
use wire::TaskId;
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "ccpm",
    about: "a folder of an epic with depends_on, parallel, conflicts_with",
    model: Model::Parallel,
    shapes: &[Shape::Folder { detect, read }, Shape::Markdown { detect: detect_one, read: read_one }],
    beside: Some(read_beside),
    begins: true,
    words: ["open", "in-progress", "closed", "blocked", "open", "closed"],
    ..PLAIN
};

fn detect(folder: &Folder) -> u32 {
    if task_files::most(folder, |name, matter| is_task(name, matter) || stem(name) == "epic") {
        55
    } else {
        0
    }
}

fn is_task(name: &str, matter: &Matter) -> bool {
    let own = ["depends_on", "parallel", "conflicts_with"].iter().any(|key| matter.get(key).is_some());
    let named = !matter.text("name").is_empty() && !matter.text("status").is_empty();
    own && named && matter.get("id").is_none() && stem(name) != "epic"
}

fn stem(name: &str) -> &str {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.strip_suffix(".md").unwrap_or(file)
}

const ACTS_ON: &[(&str, Reads)] = &[
    ("status", Reads::Word),
    ("depends_on", Reads::List),
    ("conflicts_with", Reads::List),
    ("parallel", Reads::Value),
];

fn detect_one(outline: &Outline) -> u32 {
    if task_files::alone(outline, is_task).is_some() { 70 } else { 0 }
}

/// One task file as a plan of one task.
fn read_one(outline: &Outline) -> Plan {
    let mut plan = Plan { strategy: Some(strategy::unstated(Model::Parallel)), ..Plan::default() };
    if let Some(card) = task_files::alone(outline, is_task) {
        task_files::refuse(outline, &card.matter, ACTS_ON, &mut plan.diagnostics);
        let id = stem(&card.name);
        let depends_on: Vec<TaskId> = card.matter.list("depends_on").into_iter().map(TaskId::from).collect();
        let waits = !depends_on.is_empty();
        let title = card.matter.text("name");
        let mut task = task_files::task(outline.path, &card, id, title, depends_on, &mut plan.diagnostics);
        if waits {
            task.extra.insert(task_files::OWN_STATE.to_owned(), card.matter.text("status").into());
        }
        title.clone_into(&mut plan.title);
        plan.notes.extend(task_files::prerequisites(outline.path, &card));
        plan.tasks.push(task);
    }
    plan
}

fn read_beside(plan: &mut Plan, folders: &Folders, _: &Ask) -> Result<(), Fail> {
    task_files::free(plan, &folders.beside, |name, _, id| {
        dangling::simple(stem(name)) == dangling::simple(id)
    })
}

fn read(folder: &Folder, _: &Ask) -> Result<Plan, Fail> {
    let mut plan = Plan { strategy: Some(strategy::unstated(Model::Parallel)), ..Plan::default() };
    if let Some(bytes) = folder.read("epic.md")? {
        let matter = markdown::front_matter::read(&markdown::outline::readable(&bytes)).unwrap_or_default();
        matter.text("name").clone_into(&mut plan.title);
        // Its boxes repeat the tasks or belong to the epic as a whole: the files of the tasks decide.
        let path = folder.seen("epic.md");
        let outline = Outline::new(&Text { path: &path, bytes: &bytes });
        let sections = Sections::new(&outline);
        for item in outline.items.iter().filter(|item| item.mark.is_some() && !item.quoted) {
            let section = sections.at(item.at.start).map_or("", |section| section.title);
            plan.notes.extend(notes::note(&outline, item, section, false));
        }
    }
    let mut conflicts: HashMap<String, Vec<String>> = HashMap::new();
    let mut named: Vec<Vec<UnitRef>> = Vec::new();
    for card in task_files::cards(folder, is_task, ACTS_ON, &mut plan.diagnostics)? {
        let id = stem(&card.name).to_owned();
        let depends_on = card.matter.list("depends_on").into_iter().map(TaskId::from).collect();
        let title = card.matter.text("name");
        let path = folder.seen(&card.name);
        let mut task = task_files::task(&path, &card, &id, title, depends_on, &mut plan.diagnostics);
        plan.notes.extend(task_files::prerequisites(&path, &card));
        named.push(task_files::named_there(&card));
        if !card.matter.text("parallel").is_empty() {
            task.extra.insert("parallel".to_owned(), (card.matter.text("parallel") == "true").into());
        }
        for other in card.matter.list("conflicts_with") {
            let mut pair = [id.as_str(), other];
            pair.sort_unstable();
            let shared = format!("conflict {} {}", pair[0], pair[1]);
            for side in [id.as_str(), other] {
                let list = conflicts.entry(side.to_owned()).or_default();
                if !list.contains(&shared) {
                    list.push(shared.clone());
                }
            }
        }
        plan.tasks.push(task);
    }
    // A name below Dependencies counts where it is a task of the epic; other names are things.
    let units: Vec<(&str, String)> =
        plan.tasks.iter().map(|task| ("task", dangling::simple(task.id.as_str()))).collect();
    let ids: Vec<TaskId> = plan.tasks.iter().map(|task| task.id.clone()).collect();
    for (place, (task, named)) in plan.tasks.iter_mut().zip(named).enumerate() {
        let had: Vec<String> = task.depends_on.iter().map(|id| dangling::simple(id.as_str())).collect();
        let on = named.iter().flat_map(|found| unit_refs::resolve(found, ("task", place), &units));
        let on = on.filter(|at| units.get(*at).is_some_and(|(_, id)| !had.contains(id)));
        numbered::depend(task, on.filter_map(|at| ids.get(at).cloned()).collect());
    }
    for task in &mut plan.tasks {
        task.resources = conflicts.remove(task.id.as_str()).unwrap_or_default();
    }
    Ok(plan)
}
