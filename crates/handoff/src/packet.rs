//! The packet: everything the worker needs to know, as data.
//!
//! The top level has the fields of the plan's workflow under their own names, so that readers who know the workflow
//! can read it: the handoff packet in both of its schemas with the fields of a subtask, or the Agent Context Package.
//! Below `order` is the task as these tools see it.

pub(crate) mod context_package;
pub(crate) mod earlier_attempts;
pub(crate) mod facts;
pub(crate) mod inputs;
pub(crate) mod package_rules;
pub(crate) mod pinned_changes;
pub(crate) mod preparation;
pub(crate) mod session_chain;
pub(crate) mod variables;

use crate::case::Case;
use crate::prompt::answer;

use crate::packet::context_package::Package;
use crate::packet::inputs::shown;
use crate::roles::fitter;

use crate::packet::preparation::Preparation;
use crate::prompt::Prompt;
use crate::roles::review;
use crate::roles::subtask;
use config::profile::Packet;
use serde_json::{Map, Value, json};
use toolkit::Fail;
use wire::plan::Kind;

/// Composes the packet of a case, with masked strings.
pub(crate) fn compose(case: &Case<'_>, prompt: &Prompt) -> Result<Value, Fail> {
    if prompt.name == "fitter" {
        return Ok(masked(case, of_fitter(case)?));
    }
    let mut packet = handoff(case);
    match &case.preparation {
        Some(preparation) => of_subtask(case, preparation, &mut packet)?,
        None if case.profile.packet == Packet::ContextPackage => of_workflow(case, &mut packet)?,
        None => {}
    }
    if case.sheet.task.kind == Kind::Checkpoint {
        let phase = review::phase(&case.sheet.task);
        let (inside, outside) = review::scope(case, &phase);
        let ids = |tasks: Vec<&wire::Task>| tasks.iter().map(|task| task.id.clone()).collect::<Vec<_>>();
        packet.insert("scope".to_owned(), json!({ "phase": phase, "in": ids(inside), "out": ids(outside) }));
    }
    packet.insert("order".to_owned(), order(case, prompt));
    Ok(masked(case, Value::Object(packet)))
}

/// The general handoff packet: objective, evidence, criteria, risks, constraints, deliverables.
fn handoff(case: &Case<'_>) -> Map<String, Value> {
    let task = &case.sheet.task;
    let criteria: Vec<&str> = case.criteria().iter().map(|criterion| criterion.text.as_str()).collect();
    let risks = facts::risks(case).into_iter().map(|(risk, way)| json!({ "risk": risk, "mitigation": way }));
    let source = format!("{}/outputs.json", case.sheet.context);
    let appendix = case.resolved.written.iter().map(|(written, value)| {
        json!({ "identifier": written, "actual_value": shown(value), "source": source, "citation": case.order.plan.path })
    });
    let packet = json!({
        "handoff_schema": "composability.handoff_packet.v1",
        "task_id": task.id,
        "bead_id": task.extra.get("bead_id"),
        "objective": task.title,
        "evidence": evidence(case),
        "success_criteria": criteria,
        "risks": risks.collect::<Vec<_>>(),
        "constraints": constraints(case),
        "deliverables": deliverables(case),
        "dependencies": task.depends_on,
        "interface_appendix": appendix.collect::<Vec<_>>(),
        "files": case.files(),
        "workflow_instruction": "Do this task alone and answer with one JSON block.",
        "notes": case.warnings,
    });
    let Value::Object(mut map) = packet else { return Map::new() };
    map.retain(|_, value| !value.is_null());
    map
}

/// The nine fields of a subtask, and the other fields of the kit's packet.
fn of_subtask(
    case: &Case<'_>,
    preparation: &Preparation,
    packet: &mut Map<String, Value>,
) -> Result<(), Fail> {
    let task = &case.sheet.task;
    let mut set = |name: &str, value: Value| {
        if !value.is_null() {
            packet.insert(name.to_owned(), value);
        }
    };
    set("task_id", preparation.task_id.clone().into());
    set("bead_id", preparation.text(&["bead_id"]).map_or(Value::Null, Value::from));
    set("subtask_index", preparation.index.map_or(Value::Null, Value::from));
    set("subtask_count", preparation.subtasks.len().into());
    let own = preparation.subtask().map_or(task.title.as_str(), |subtask| &subtask.title);
    set("subtask_description", own.into());
    let session = case.session.as_ref().map(|session| session.path.as_str()).or(preparation.session());
    set("session_export_path", session.map_or(Value::Null, Value::from));
    set("session_export", preparation.session().map_or(Value::Null, Value::from));
    set("session_export_to", session_chain::export_path(case, preparation)?.into());
    set("workflow_instruction", subtask::instruction(preparation).into());
    for key in ["decision", "files_touched", "notes"] {
        set(key, preparation.plan.extra.get(key).cloned().unwrap_or(Value::Null));
    }
    let rows = preparation.subtasks.iter().enumerate().map(|(at, subtask)| {
        json!({ "id": at + 1, "description": subtask.title, "status": state_of(case, at + 1, subtask) })
    });
    set("subtasks", rows.collect::<Vec<_>>().into());
    set("tests", preparation.tests.clone().into());
    set("runtime_attestations", attestations(case)?.into());
    Ok(())
}

/// The state of a subtask: from the todo list if there is one, otherwise from the packet.
fn state_of(case: &Case<'_>, number: usize, subtask: &wire::Task) -> &'static str {
    let name = format!("subtask-{number}");
    let tasks = &case.sheet.plan.tasks;
    let listed = tasks.iter().find(|task| task.id.as_str() == name || task.id == subtask.id);
    listed.map_or(subtask.state, |task| task.state).word()
}

/// The attestations of the clients of earlier subtasks.
fn attestations(case: &Case<'_>) -> Result<Vec<Value>, Fail> {
    let rows = earlier_attempts::of(case)?.into_iter().map(|earlier| {
        let text = |key: &str| earlier.text(key).unwrap_or("none").to_owned();
        json!({
            "subtask": earlier.task, "runtime_model_reported": text("runtime_model_reported"),
            "runtime_mode_reported": text("runtime_mode_reported"),
        })
    });
    Ok(rows.collect())
}

/// The Agent Context Package with its six rules.
fn of_workflow(case: &Case<'_>, packet: &mut Map<String, Value>) -> Result<(), Fail> {
    let package = Package::of(case)?;
    for (name, value) in package.members() {
        packet.insert(name.to_owned(), value);
    }
    let rules = package_rules::check(case, &package).iter().map(package_rules::Ruled::value).collect();
    packet.insert("rules".to_owned(), Value::Array(rules));
    Ok(())
}

/// The Fitter's packet: the contract, and nothing that invites looking further.
fn of_fitter(case: &Case<'_>) -> Result<Value, Fail> {
    let gate = fitter::fault(case, &fitter::records(case)?);
    let log = gate.as_ref().and_then(|gate| gate.log.clone());
    Ok(json!({ "line_fault": gate.as_ref().map(fitter::contract), "files": log }))
}

/// The order as these tools see it.
fn order(case: &Case<'_>, prompt: &Prompt) -> Value {
    let (order, sheet) = (case.order, &case.sheet);
    let left_out: Vec<Value> =
        prompt.left_out.iter().map(|l| json!({ "part": l.part, "bytes": l.bytes, "path": l.path })).collect();
    let (done, all) = case.progress();
    json!({
        "run": order.run, "attempt": order.attempt, "plan": order.plan, "title": sheet.plan.title,
        "progress": { "done": done, "tasks": all }, "why": order.why,
        "task": sheet.task, "section": sheet.section,
        "inputs": case.resolved.values, "resolved": case.resolved.written, "unresolved": case.resolved.unresolved,
        "inherited": { "learnings": sheet.wisdom.learnings, "issues": sheet.wisdom.issues, "decisions": sheet.wisdom.decisions },
        "gates": case.gates(&case.profile.task_gates).iter().map(|gate| json!({ "id": gate.id, "invocation": gate.invocation })).collect::<Vec<_>>(),
        "last_failure": order.last_failure, "answer": answer::example(case), "template": prompt.name, "left_out": left_out,
    })
}

/// Prohibitions: the plan's own, then those for every worker.
fn constraints(case: &Case<'_>) -> Vec<String> {
    let mut out: Vec<String> = case.must_not().into_iter().cloned().collect();
    out.push("do only this task".to_owned());
    out.push("do not edit the plan or anything below .plantools/".to_owned());
    if !case.profile.worker_commits {
        out.push("do not commit".to_owned());
    }
    if case.sheet.task.kind == Kind::Verification {
        out.push("do not change any file".to_owned());
    }
    out
}

/// Every file to read, with the reason, and whether the work requires it.
fn evidence(case: &Case<'_>) -> Vec<Value> {
    let task = &case.sheet.task;
    let mut out: Vec<Value> = Vec::new();
    let mut add = |path: &str, purpose: String, required: bool| {
        if !path.is_empty() && !out.iter().any(|known| known["path"] == path) {
            out.push(json!({ "path": path, "purpose": purpose, "required": required }));
        }
    };
    add(&task.span.path, format!("the task, from line {}", task.span.line), true);
    if let Some(detail) = &task.detail {
        add(&detail.path, "the task's own file".to_owned(), true);
    }
    if let Some(session) = &case.session {
        add(&session.path, "the thinking session to go on from".to_owned(), true);
    }
    let packet = case.preparation.as_ref();
    add(
        packet.and_then(|p| p.path.as_deref()).unwrap_or_default(),
        "the handoff packet of the whole task".to_owned(),
        true,
    );
    for entry in packet.map(|p| p.list("evidence")).unwrap_or_default() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let required = entry.get("required").and_then(Value::as_bool).unwrap_or(false);
        add(entry.as_str().unwrap_or(text("path")), text("purpose").to_owned(), required);
    }
    for reference in &task.references {
        let filled = case.resolved.filled(reference);
        let word = filled.split_whitespace().next().unwrap_or_default().trim_matches(['`', '[', ']', ',']);
        let path = word.split(':').next().unwrap_or_default();
        if case.is_there(path) {
            add(path, filled.clone(), false);
        }
    }
    for file in task.files.iter().filter(|file| file.action == "read") {
        add(&file.path, "the plan says to read it".to_owned(), true);
    }
    for path in facts::conventions(case) {
        add(path, "conventions of the project".to_owned(), false);
    }
    let failed = case
        .order
        .last_failure
        .iter()
        .flat_map(|failure| crate::prompt::failure::rows(failure, "/detail/failed"));
    for row in failed {
        let id = row.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        add(
            row.get("log").and_then(Value::as_str).unwrap_or_default(),
            format!("output of the failed check {id}"),
            false,
        );
    }
    out
}

/// The required results.
fn deliverables(case: &Case<'_>) -> Vec<Value> {
    let task = &case.sheet.task;
    let mut out: Vec<Value> = Vec::new();
    let mut add = |path: &str, description: &str, must_create: bool| {
        if !out.iter().any(|known| known["path"] == path) {
            out.push(json!({ "path": path, "description": description, "must_create": must_create }));
        }
    };
    for output in task.outputs.iter().filter(|output| output.kind.to_lowercase().contains("file")) {
        if let Some(path) = &output.value {
            add(path, &output.description, true);
        }
    }
    for file in case.files().iter().filter(|file| file.action != "read") {
        add(&file.path, &file.action, file.action == "create");
    }
    if let Some(report) = &task.report_path {
        add(report, "the report of this task", true);
    }
    for entry in case.preparation.as_ref().map(|p| p.list("deliverables")).unwrap_or_default() {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
        let must = entry.get("must_create").and_then(Value::as_bool).unwrap_or(false);
        add(entry.as_str().unwrap_or(text("path")), text("description"), must);
    }
    out
}

/// Every string with its secrets masked: the JSON stays valid whatever a pattern matches.
pub(crate) fn masked(case: &Case<'_>, value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(case.redact.text(&text)),
        Value::Array(list) => list.into_iter().map(|value| masked(case, value)).collect(),
        Value::Object(map) => {
            map.into_iter().map(|(key, value)| (case.redact.text(&key), masked(case, value))).collect()
        }
        plain => plain,
    }
}
