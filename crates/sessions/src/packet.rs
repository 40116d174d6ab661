//! Handoff packets: built from a preparation, and checked in any of their schemas.

mod check;

pub use crate::packet::check::check;

use crate::SessionText;
use crate::summary::brief::Brief;
use serde_json::{Value, json};
use toolkit::Fail;
use wire::Task;
use wire::result::ResultDoc;

/// The schema of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schema {
    /// The whole task for its orchestrator: decision, subtasks, files, risks, attestations.
    Kit,
    /// A child's task: objective, evidence, criteria, risks.
    Composability,
    /// One subtask for its worker.
    Subtask,
}

impl Schema {
    /// The word for the schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kit => "kit",
            Self::Composability => "composability",
            Self::Subtask => "subtask",
        }
    }
}

/// The input of a packet besides the session.
#[derive(Debug, Clone, Default)]
pub struct Order {
    /// The task's id.
    pub task: String,
    /// The session's path relative to the root.
    pub session: String,
    /// The number of the subtask.
    pub subtask: Option<u64>,
    /// Things that must not be touched.
    pub constraints: Vec<String>,
    /// The results of the children, in the order of their subtasks.
    pub results: Vec<ResultDoc>,
}

/// The tag of the composability schema.
const COMPOSABILITY: &str = "composability.handoff_packet.v1";
/// The instruction to a worker.
const INSTRUCTION: &str = "Follow `/execute-subtask` workflow. Your punch card is `execute-subtask`.";

/// Builds the packet of a session.
pub fn build(sheet: &SessionText, schema: Schema, order: &Order) -> Result<Value, Fail> {
    let file = sheet.thoughts()?;
    let brief = Brief::of(&file.thoughts);
    let tasks = subtasks(sheet);
    match schema {
        Schema::Kit => Ok(kit(&brief, &tasks, order)),
        Schema::Composability => composability(&brief, &tasks, order),
        Schema::Subtask => subtask(&brief, &tasks, order),
    }
}

/// The subtasks that a preparation plans: its last Conclusion tagged `subtask-plan`.
pub(crate) fn subtasks(sheet: &SessionText) -> Vec<Task> {
    let planned =
        sheet.thoughts().is_ok_and(|file| file.thoughts.iter().any(|t| t.is_tagged("subtask-plan")));
    if !planned {
        return Vec::new();
    }
    let text = markdown::Text { path: &sheet.path, bytes: sheet.text().as_bytes() };
    dialects::read_packet(&text).map(|plan| plan.tasks).unwrap_or_default()
}

fn kit(brief: &Brief, tasks: &[Task], order: &Order) -> Value {
    let decision = brief.approach.clone().unwrap_or_default();
    let row = |(index, task): (usize, &Task)| {
        let mut row = json!({ "id": index + 1, "description": task.title, "status": "pending" });
        let files: Vec<&str> = task.files.iter().map(|file| file.path.as_str()).collect();
        let success: Vec<&str> = task.criteria.iter().map(|check| check.text.as_str()).collect();
        for (name, list) in [("files", files), ("success_criteria", success)] {
            if !list.is_empty() {
                row[name] = list.into();
            }
        }
        row
    };
    let subtasks: Vec<Value> = tasks.iter().enumerate().map(row).collect();
    let mut packet = json!({
        "task_id": order.task,
        "session_export": order.session,
        "decision": { "approach": decision.approach, "rationale": decision.rationale },
        "success_criteria": brief.success_criteria,
        "subtasks": subtasks,
        "files_touched": files(tasks, |path, task| json!({ "path": path, "purpose": task.title })),
        "risks": brief.risks,
        "tests": brief.tests,
        "runtime_attestations": attestations(&order.results),
    });
    if !order.constraints.is_empty() {
        packet["constraints"] = json!(order.constraints);
    }
    packet
}

fn composability(brief: &Brief, tasks: &[Task], order: &Order) -> Result<Value, Fail> {
    let Some(decision) = &brief.approach else {
        return Err(Fail::data("no-decision", "the session decides nothing").at(order.session.as_str(), 1));
    };
    let deliverables =
        files(tasks, |path, task| json!({ "path": path, "description": task.title, "must_create": false }));
    Ok(json!({
        "handoff_schema": COMPOSABILITY,
        "task_id": order.task,
        "objective": decision.approach,
        "evidence": [{ "path": order.session, "purpose": "the preparation: decision, criteria, risks", "required": true }],
        "success_criteria": brief.success_criteria,
        "risks": brief.risks,
        "constraints": order.constraints,
        "deliverables": deliverables,
    }))
}

fn subtask(brief: &Brief, tasks: &[Task], order: &Order) -> Result<Value, Fail> {
    let Some(number) = order.subtask else {
        return Err(Fail::usage("the schema 'subtask' needs --subtask N"));
    };
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let Some(task) = index.and_then(|index| tasks.get(index)) else {
        let message = format!("the session foresees {} subtasks, not {number}", tasks.len());
        return Err(Fail::data("no-subtask", message).at(order.session.as_str(), 1));
    };
    let own: Vec<&str> = task.criteria.iter().map(|criterion| criterion.text.as_str()).collect();
    let criteria = if own.is_empty() { json!(brief.success_criteria) } else { json!(own) };
    Ok(json!({
        "task_id": order.task,
        "subtask_index": number,
        "subtask_description": task.title,
        "files": task.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
        "success_criteria": criteria,
        "session_export_path": order.session,
        "constraints": order.constraints,
        "workflow_instruction": INSTRUCTION,
    }))
}

/// Every file once, with the first subtask that names it.
fn files(tasks: &[Task], row: impl Fn(&str, &Task) -> Value) -> Vec<Value> {
    let mut seen = Vec::new();
    let mut rows = Vec::new();
    for (task, file) in tasks.iter().flat_map(|task| task.files.iter().map(move |file| (task, file))) {
        if !seen.contains(&file.path.as_str()) {
            seen.push(&file.path);
            rows.push(row(&file.path, task));
        }
    }
    rows
}

/// Attestations: this program, which is not a model, and each child by its own statement.
fn attestations(results: &[ResultDoc]) -> Vec<Value> {
    let parent = json!({
        "subtask": "Parent (Orchestrator)",
        "runtime_model_reported": "none",
        "runtime_mode_reported": "orchestrate/execute-task",
    });
    let word = |told: &Option<String>| told.clone().unwrap_or_else(|| "unknown".to_owned());
    let child = |(index, result): (usize, &ResultDoc)| {
        json!({
            "subtask": format!("Subtask {}", index + 1),
            "runtime_model_reported": word(&result.runtime_model_reported),
            "runtime_mode_reported": word(&result.runtime_mode_reported),
        })
    };
    std::iter::once(parent).chain(results.iter().enumerate().map(child)).collect()
}
