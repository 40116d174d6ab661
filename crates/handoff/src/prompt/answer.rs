//! The required answer of the worker: the fields of its result, with this task's own names.

use crate::case::Case;
use crate::packet::session_chain;
use crate::prompt::block::{Block, Keep};
use crate::prompt::slots::rank;
use crate::prompt::template::Slots;
use serde_json::{Map, Value, json};

/// Adds an example answer.
pub(crate) fn add(case: &Case<'_>, slots: &mut Slots) {
    let text = serde_json::to_string_pretty(&example(case)).unwrap_or_default();
    slots.block(Block::fence("answer", rank::NEEDED, "json", &text, Keep::Head).in_file(case.packet_path()));
}

/// An example with the task's own outputs and criteria. It is not a valid answer, so a client that echoes its prompt
/// and then dies has not answered.
pub(crate) fn example(case: &Case<'_>) -> Value {
    let task = &case.sheet.task;
    let mut outputs = Map::new();
    for output in &task.outputs {
        let value = output.value.clone().unwrap_or_else(|| "…".to_owned());
        outputs.insert(output.name.clone(), value.into());
    }
    let mut rows: Vec<Value> = Vec::new();
    for criterion in case.criteria() {
        let mut row = Map::new();
        row.insert("id".to_owned(), criterion.id.clone().into());
        if !criterion.category.is_empty() {
            row.insert("category".to_owned(), criterion.category.clone().into());
        }
        if let Some(command) = &criterion.command {
            row.insert("command".to_owned(), command.clone().into());
        }
        row.insert("status".to_owned(), "PASS | FAIL | SKIP".into());
        rows.push(row.into());
    }
    let mut answer = json!({
        "status": "SUCCESS | PARTIAL | ERROR",
        "summary": "one sentence",
        "outputs": outputs,
        "acceptance_criteria": rows,
        "files_created": [],
        "files_modified": [],
        "tests": { "added": 0, "modified": 0 },
        "fixes": [],
        "learnings": [],
        "issues": [],
        "decisions": [],
        "error": { "code": "", "message": "", "retry_recommended": false, "retry_hint": "" },
        "runtime_model_reported": "…",
        "runtime_mode_reported": "…",
    });
    let exported = case.preparation.as_ref().and_then(|own| session_chain::export_path(case, own).ok()?);
    if let Some(path) = exported {
        answer["validation"] = json!({ "format": "PASS | FAIL", "lint": "PASS | FAIL" });
        answer["session_export_path"] = path.into();
    }
    if !case.profile.refactoring.is_empty() {
        answer["warnings"] = json!([]);
    }
    if let Some((name, values)) = verdict(case) {
        answer[name] = values.into();
    }
    answer
}

/// The field in which a workflow lets its workers stop it, see [`config::stop_words`].
fn verdict<'c>(case: &'c Case<'_>) -> Option<(&'static str, &'c str)> {
    match case.profile.verdict_choices.as_str() {
        _ if case.sheet.task.is_inspection() => Some(("validity", "PASS | FAIL")),
        "" => None,
        choices => Some(("verdict", choices)),
    }
}
