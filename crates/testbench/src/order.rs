//! Orders about the tasks of a plan, as `dag-next` writes them.

use serde_json::{Value, json};
use wire::Plan;

/// The run that the orders and records of a test belong to.
pub const RUN: &str = "r1";

/// The first attempt at a task of this plan.
#[track_caller]
pub fn order(plan: &Plan, id: &str) -> Value {
    let task = plan.tasks.iter().find(|task| task.id.as_str() == id);
    let task = task.unwrap_or_else(|| panic!("no task {id} in {:?}", plan.tasks));
    let source = &plan.source;
    json!({
        "schema": "order/1", "run": RUN, "task": task, "attempt": 1, "why": { "ready": "no dependencies" },
        "plan": { "path": source.path, "dialect": source.dialect, "root": source.root, "sha256": source.sha256 },
    })
}
