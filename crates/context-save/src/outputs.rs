//! `outputs.json`: `{"todo-N": {name: value}}`.

use serde_json::{Map, Value};
use wire::Order;
use wire::order::Worker;

/// Merges a task's outputs; what a worker wrongly nests in `outputs` once more is unwrapped, since no reference
/// could ever find it there.
pub(crate) fn merge(all: &mut Map<String, Value>, order: &Order, worker: &Worker) {
    if worker.outputs.is_empty() {
        return;
    }
    let mut values: Map<String, Value> = worker.outputs.clone().into_iter().collect();
    // One key named like the field itself, which the task does not declare.
    if values.len() == 1
        && !order.task.outputs.iter().any(|o| o.name == "outputs")
        && let Some(Value::Object(inner)) = values.get("outputs").cloned()
    {
        values = inner;
    }
    all.insert(format!("todo-{}", order.task.id), Value::Object(values));
}
