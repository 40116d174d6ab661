//! The packet: `task_id` with `subtasks`, or with one `objective`; its criteria apply to the whole plan.

use crate::Plan;
use crate::criteria::locate;
use crate::data::data_file::DataFile;
use crate::data::json::{self, Node};
use markdown::{Extent, Outline};
use toolkit::files::sha::Hasher;
use wire::plan::FileUse;
use wire::{Fingerprint, Task, TaskId};

/// Whether an object is a packet of one of the schemas.
pub(crate) fn is_packet(node: &Node) -> bool {
    let any = ["subtasks", "objective", "subtask_description", "success_criteria", "handoff_schema"];
    node.get("task_id").is_some() && any.iter().any(|key| node.get(key).is_some())
}

/// The packet in the first JSON block of a message; positions are relative to the file.
pub(crate) fn in_message(outline: &Outline) -> Option<Node> {
    let fence = outline.fences.iter().find(|fence| {
        fence.language == "json"
            || fence.language.is_empty() && outline.str(fence.content).trim_start().starts_with('{')
    })?;
    let text = outline.str(Extent { start: 0, end: fence.content.end });
    let (node, _) = json::parse(text, fence.content).ok()?;
    is_packet(&node).then_some(node)
}

/// Reads the packet.
pub(crate) fn read(sheet: &DataFile, node: &Node) -> Plan {
    let mut plan = Plan::default();
    let name = node.get("task_id").and_then(Node::name).unwrap_or_default();
    name.clone_into(&mut plan.title);
    let subtasks = node.entries("subtasks");
    for key in KEPT {
        plan.extra.extend(node.get(key).map(|value| ((*key).to_owned(), value.plain())));
    }
    for subtask in subtasks {
        let mut task = subtask_of(sheet, subtask, &mut plan);
        forbid(&mut task, &node.texts("constraints"));
        plan.tasks.push(task);
    }
    if subtasks.is_empty() {
        let task = single(sheet, node, name, &mut plan);
        plan.tasks.push(task);
    } else {
        for (key, category) in [("success_criteria", "success"), ("tests", "test")] {
            for (text, at) in criteria(node, key) {
                locate::number("plan", category, sheet.checks(text, at), &mut plan.gates);
            }
        }
    }
    plan
}

const KEPT: &[&str] = &[
    "handoff_schema",
    "task_id",
    "bead_id",
    "session_export",
    "session_export_path",
    "decision",
    "constraints",
    "files_touched",
    "risks",
    "evidence",
    "deliverables",
    "dependencies",
    "interface_appendix",
    "notes",
    "runtime_attestations",
    "workflow_instruction",
];

fn subtask_of(sheet: &DataFile, node: &Node, plan: &mut Plan) -> Task {
    let place = (plan.tasks.len() + 1).to_string();
    let id = node.get("id").or_else(|| node.get("index")).and_then(Node::name).unwrap_or(&place);
    let told = ["description", "title", "subtask_description", "name"].map(|key| node.text(key));
    let title = told.iter().find(|text| !text.is_empty()).or(Some(&"")).copied();
    let title = title.filter(|text| !text.is_empty()).or_else(|| node.str()).unwrap_or(id);
    let mut task = sheet.task(node, id, title, "status", &mut plan.diagnostics);
    details(sheet, node, &mut task);
    let needs = node.texts("depends_on").into_iter().chain(node.texts("dependencies"));
    task.depends_on = needs.map(TaskId::from).collect();
    task.fingerprint = DataFile::fingerprint(node, &[], &task.depends_on);
    task
}

/// Adds the constraints of the whole task to one of its parts.
pub(crate) fn forbid(task: &mut Task, constraints: &[&str]) {
    for text in constraints {
        if !task.must_not.iter().any(|known| known == text) {
            task.must_not.push((*text).to_owned());
            let hash = Hasher::new().with(task.fingerprint.0.as_bytes()).with(b"\0").with(text.as_bytes());
            task.fingerprint = Fingerprint(hash.finish_as("fp1:"));
        }
    }
}

/// A packet for one worker: the whole packet is the task.
fn single(sheet: &DataFile, node: &Node, name: &str, plan: &mut Plan) -> Task {
    let id = node.get("subtask_index").and_then(Node::name).unwrap_or(name);
    let told = ["objective", "subtask_description", "description"].map(|key| node.text(key));
    let title = told.iter().find(|text| !text.is_empty()).copied().unwrap_or(name);
    let mut task = sheet.task(node, id, title, "status", &mut plan.diagnostics);
    details(sheet, node, &mut task);
    task.fingerprint = DataFile::fingerprint(node, &[], &[]);
    task
}

fn details(sheet: &DataFile, node: &Node, task: &mut Task) {
    for (text, at) in criteria(node, "success_criteria").into_iter().chain(criteria(node, "success")) {
        sheet.criterion(task, "success", text, at);
    }
    task.must_not.extend(node.texts("constraints").into_iter().map(str::to_owned));
    for (key, action) in [("files", "write"), ("deliverables", "create"), ("evidence", "read")] {
        for entry in node.entries(key) {
            let path = entry.str().or_else(|| entry.get("path")?.str());
            task.files.extend(path.map(|path| FileUse { path: path.to_owned(), action: action.to_owned() }));
        }
    }
}

/// The criteria under a key, one string or several, each with its position.
fn criteria<'n>(node: &'n Node, key: &str) -> Vec<(&'n str, Extent)> {
    let Some(value) = node.get(key) else { return Vec::new() };
    let one = value.str().map(|text| (text, value.inner()));
    let several = value.list().iter().filter_map(|entry| Some((entry.str()?, entry.inner())));
    one.into_iter().chain(several).collect()
}
