//! The checks that a worker proposed, as suggestions.

use checks::suggest::{Work, paths};
use dialects::PlanSnapshot;
use serde_json::Value;
use toolkit::Fail;
use toolkit::cli::tool::note;
use wire::Order;
use wire::order::CHECK;
use wire::plan::suggestion::{Kind, Origin, SCHEMA, Suggestion, Sure};

/// The most checks that are taken from one answer.
const MOST: usize = 3;

/// The proposals of an order. One that was halted, or whose worker says that none is possible, has none, and a note says
/// why.
pub(super) fn suggestions(order: &Order) -> Result<Vec<Suggestion>, Fail> {
    let id = &order.task.id;
    let asked = order.handoff.as_ref().is_some_and(|handoff| handoff.template == CHECK);
    if !asked {
        let message = format!("the order of task '{id}' does not ask for checks: use handoff --for check");
        return Err(Fail::data("bad-order", message));
    }
    if let Some(halt) = &order.halt {
        note(&format!("gate-run: task {id}: no checks proposed: {} ({})", halt.message, halt.code));
        return Ok(Vec::new());
    }
    let outputs = order.worker.as_ref().map(|worker| &worker.outputs);
    let said = |key: &str| outputs.and_then(|outputs| outputs.get(key));
    let list = said("checks").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if list.is_empty() {
        let why = said("none").and_then(Value::as_str).filter(|why| !why.trim().is_empty());
        let why = why.unwrap_or("the answer has neither 'checks' nor a reason in 'none'");
        note(&format!("gate-run: task {id}: no check is possible: {}", why.trim()));
        return Ok(Vec::new());
    }
    let field = PlanSnapshot::with_task(&order.plan, id)?;
    let task = field.plan.tasks.iter().find(|task| task.id == *id).unwrap_or(&order.task);
    let body = String::from_utf8_lossy(field.body(task)).into_owned();
    let work = Work { title: &task.title, body: &body, files: &task.files, criteria: &task.criteria };
    let named = paths(&work);
    let one = |entry: &Value| {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let check = entry.as_str().map_or_else(|| text("check"), |check| check.trim().to_owned());
        Suggestion {
            schema: SCHEMA.to_owned(),
            plan: order.plan.clone(),
            task: id.clone(),
            title: task.title.clone(),
            fingerprint: order.task.fingerprint.clone(),
            check,
            kind: Kind::Command,
            origin: Origin::Proposed,
            reason: text("reason"),
            sure: Sure::Medium,
            paths: named.clone(),
            ..Suggestion::default()
        }
    };
    Ok(list.iter().take(MOST).map(one).collect())
}
