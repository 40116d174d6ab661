//! `handoff`: the handoff packet of an orchestrator, its todo list, and the preparation summary it comes from.
//!
//! The packet is JSON, alone or as the first JSON block of a message. The todo list is lines of boxes, with or without
//! bullets, inside or outside fences, or lines that end in `status: pending`. Whatever the form, subtasks run one at a
//! time, in order.

pub mod expand;
mod line;
mod origin;
mod packet;
mod summary;
mod thought;
mod todo;

pub(crate) use origin::beside;

use crate::sheet::Sheet;
use crate::{Dialect, Outline, Plan, Shape, Text, checklist, context, list, strategy};
use toolkit::Fail;
use wire::Task;
use wire::plan::{GATES, Kind, Model};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "handoff",
    about: "handoff packet, todo list or preparation summary",
    model: Model::Sequential,
    shapes: &[Shape::Data { detect: detect_data, read: read_data }, Shape::Markdown { detect, read }],
    own: |plan| vec![format!("{}/", context::default(plan)), THINKING.to_owned()],
};

/// Where the sessions of a task are kept.
const THINKING: &str = ".kilocode/thinking/";

fn detect_data(text: &Text) -> u32 {
    let Some(node) = Sheet::with_key(text, &["task_id", "thoughts"]) else { return 0 };
    if packet::is_packet(&node) || thought::find(&node).is_some() { 75 } else { 0 }
}

fn read_data(text: &Text) -> Result<Plan, Fail> {
    let sheet = Sheet::new(text);
    let node = sheet.json()?;
    let plan = match thought::find(&node) {
        Some(thought) if !packet::is_packet(&node) => thought::read(&sheet, thought),
        _ => packet::read(&sheet, &node),
    };
    Ok(in_order(plan))
}

fn detect(outline: &Outline) -> u32 {
    if packet::in_message(outline).is_some() {
        75
    } else if summary::section(outline).is_some() {
        70
    } else if line::count(outline) > 1 {
        35
    } else if todo::is_bare(outline) {
        30
    } else {
        0
    }
}

fn read(outline: &Outline) -> Plan {
    let mut plan = Plan::default();
    if let Some(node) = packet::in_message(outline) {
        let sheet = Sheet::new(&Text { path: outline.path, bytes: outline.bytes });
        plan = packet::read(&sheet, &node);
    } else if let Some(section) = summary::section(outline) {
        summary::read(outline, section, &mut plan);
    } else if line::count(outline) > 0 && !todo::is_bare(outline) {
        line::read(outline, &mut plan);
    } else {
        todo::read(outline, &mut plan);
    }
    if plan.title.is_empty() {
        plan.title = checklist::title(outline);
    }
    in_order(plan)
}

fn in_order(mut plan: Plan) -> Plan {
    plan.strategy = Some(strategy::stated(Model::Sequential, "subtasks run one at a time, in order"));
    plan
}

/// Gives a line of the run its kind. The first and the last are the orchestrator's own: no worker can report what runs
/// it or answer for a person. The preparation is looked at by an architect, everything else is code. The quality gates are
/// held against every gate there is.
fn settle(task: &mut Task) {
    let lower = task.title.to_lowercase();
    task.kind = match task.id.as_str() {
        "runtime-report" | "complete" => Kind::Human,
        _ if lower.contains("pre-execution gate") || lower.contains("quality gates") => Kind::Verification,
        _ => Kind::Work,
    };
    let agent = if lower.contains("pre-execution gate") { "architect" } else { "code" };
    task.agent = (task.kind != Kind::Human).then(|| agent.to_owned());
    if lower.contains("quality gates") {
        task.extra.insert(GATES.to_owned(), "end".into());
    }
}

/// The name of a line of the run: `Subtask 2: text` is `subtask-2`, `Subtask B: text` is `subtask-b`.
fn own_name(title: &str) -> Option<String> {
    let lower = title.trim_start_matches('*').to_lowercase();
    if let Some(rest) = lower.strip_prefix("subtask ") {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len());
        let id = rest.get(..end)?.trim_end_matches('.');
        let numbered = id.starts_with(|c: char| c.is_ascii_digit());
        let lettered = id.len() == 1 && rest.get(end..)?.trim_start_matches('*').starts_with(':');
        return (numbered || lettered).then(|| format!("subtask-{id}"));
    }
    let known = NAMES.iter().find(|(word, _)| lower.starts_with(word)).map(|(_, name)| (*name).to_owned());
    known.or_else(|| list::own_id(title).map(str::to_owned))
}

const NAMES: &[(&str, &str)] = &[
    ("runtime model report", "runtime-report"),
    ("pre-execution gate", "pre-execution-gate"),
    ("complete:", "complete"),
];
