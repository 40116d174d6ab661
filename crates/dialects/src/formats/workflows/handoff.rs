//! `handoff`: the handoff packet of an orchestrator, its todo list, and the preparation summary it comes from.
//!
//! The packet is JSON, alone or as the first JSON block of a message. The todo list consists of lines with boxes,
//! with or without bullets, inside or outside fences, or of lines that end in `status: pending`. In every form,
//! subtasks run one at a time, in order.

pub mod expand;
pub(crate) mod line;
pub(crate) mod origin;
pub(crate) mod packet;
pub(crate) mod summary;
pub(crate) mod thought;
pub(crate) mod todo;

pub(crate) use crate::formats::workflows::handoff::origin::beside;

use crate::data::data_file::DataFile;
use crate::deps::strategy;
use crate::dialect::PLAIN;
use crate::lists::items;
use crate::lists::work::{self, Work};
use crate::write::{Form, Member};
use crate::{Dialect, Plan, Shape, context};
use markdown::{Outline, Text};
use std::path::Path;
use toolkit::Fail;
use wire::Task;
use wire::plan::{GATES, Kind, Model, NO_GATES};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "handoff",
    about: "handoff packet, todo list or preparation summary",
    model: Model::Sequential,
    shapes: &[Shape::Data { detect: detect_data, read: read_data }, Shape::Markdown { detect, read }],
    own: |plan| vec![format!("{}/", context::default(plan)), THINKING.to_owned()],
    begins: true,
    notes_errors: true,
    words: ["pending", "in_progress", "complete", "blocked", "failed", "skipped"],
    beside: Some(|plan, folders, _| beside(plan, &folders.root)),
    checks: &[Form::Members(&[Member::list(&["success_criteria"])]), Form::Lines],
    ..PLAIN
};

/// Opens a handoff packet.
pub fn open_packet(path: &Path, root: &Path) -> Result<Plan, Fail> {
    crate::open(path, root, Some(DIALECT.name))
}

/// Reads a text as a handoff packet, a todo list or a subtask plan.
pub fn read_packet(text: &Text) -> Result<Plan, Fail> {
    crate::read(text, Some(DIALECT.name))
}

/// Where the sessions of a task are kept.
const THINKING: &str = ".kilocode/thinking/";

fn detect_data(text: &Text) -> u32 {
    let Some(node) = DataFile::with_key(text, &["task_id", "thoughts"]) else { return 0 };
    if packet::is_packet(&node) || thought::find(&node).is_some() { 75 } else { 0 }
}

fn read_data(text: &Text) -> Result<Plan, Fail> {
    let sheet = DataFile::new(text);
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
    } else if todo::is_bare(outline) && work::of(outline) != Some(Work::Headings) {
        30
    } else {
        0
    }
}

fn read(outline: &Outline) -> Plan {
    let mut plan = Plan::default();
    if let Some(node) = packet::in_message(outline) {
        let sheet = DataFile::new(&Text { path: outline.path, bytes: outline.bytes });
        plan = packet::read(&sheet, &node);
    } else if let Some(section) = summary::section(outline) {
        summary::read(outline, section, &mut plan);
    } else if line::count(outline) > 0 && !todo::is_bare(outline) {
        line::read(outline, &mut plan);
    } else {
        todo::read(outline, &mut plan);
    }
    if plan.title.is_empty() {
        plan.title = markdown::outline::title(outline);
    }
    in_order(plan)
}

fn in_order(mut plan: Plan) -> Plan {
    plan.strategy = Some(strategy::stated(Model::Sequential, "subtasks run one at a time, in order"));
    plan
}

/// Sets the kind of a line of the run. The first and the last line belong to the orchestrator: no worker can report
/// what runs it or answer for a person. An architect inspects the preparation; everything else is code. The
/// quality-gate line is checked by every gate, the line of the tests by those for tests, the inspection by none.
fn settle(task: &mut Task) {
    let lower = task.title.to_lowercase();
    let inspects = task.id.as_str() == "pre-execution-gate" || lower.contains("pre-execution gate");
    task.kind = match task.id.as_str() {
        "runtime-report" | "complete" => Kind::Human,
        _ if inspects || lower.contains("quality gates") => Kind::Verification,
        _ => Kind::Work,
    };
    let agent = if inspects { "architect" } else { "code" };
    task.agent = (task.kind != Kind::Human).then(|| agent.to_owned());
    let moment = match () {
        () if inspects => Some(NO_GATES),
        () if lower.contains("quality gates") => Some("end"),
        () if lower.ends_with("add/update tests") => Some("test"),
        () => None,
    };
    task.extra.extend(moment.map(|moment| (GATES.to_owned(), moment.into())));
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
    known.or_else(|| items::own_id(title).map(str::to_owned))
}

const NAMES: &[(&str, &str)] = &[
    ("runtime model report", "runtime-report"),
    ("pre-execution gate", "pre-execution-gate"),
    ("complete:", "complete"),
];
