//! `outputs.json`: `{"todo-N": {name: value}}`.

use serde_json::{Map, Value};
use std::path::Path;
use wire::order::only;
use wire::plan::Output;
use wire::{Order, TaskId};

/// The values of a task: those that its worker gives, and the files that the plan names and that are there.
pub(crate) fn values(order: &Order) -> Map<String, Value> {
    let mut values = order.given_outputs();
    for output in &order.task.outputs {
        let path = output.planned_path().filter(|path| Path::new(&order.plan.root).join(path).exists());
        if let Some(path) = path.filter(|_| !values.contains_key(&output.name)) {
            values.insert(output.name.clone(), path.into());
        }
    }
    values
}

/// Merges a task's values into those of the others.
pub(crate) fn merge(all: &mut Map<String, Value>, order: &Order, values: &Map<String, Value>) {
    if !values.is_empty() {
        all.insert(key(&order.task.id), Value::Object(values.clone()));
    }
}

/// The names that are declared and not given.
pub(crate) fn missing(declared: &[Output], values: &Map<String, Value>) -> Vec<String> {
    declared.iter().filter(|o| !values.contains_key(&o.name)).map(|o| o.name.clone()).collect()
}

/// The tasks whose saved values are nested once too deep.
pub(crate) fn nested(all: &Map<String, Value>) -> Vec<TaskId> {
    let is_nested = |value: &Value| value.as_object().is_some_and(|map| only(map, &["outputs"]).is_some());
    let found = all.iter().filter(|(_, value)| is_nested(value));
    found.filter_map(|(key, _)| key.strip_prefix("todo-")).map(|id| TaskId(id.to_owned())).collect()
}

/// The key of a task.
pub(crate) fn key(id: &TaskId) -> String {
    format!("todo-{id}")
}

#[cfg(test)]
mod tests {
    use super::{nested, only};
    use serde_json::json;

    #[test]
    fn what_is_nested_once_too_deep_is_seen() {
        let all =
            json!({"todo-1": {"outputs": {"dir": "x"}}, "todo-2": {"outputs": "a", "b": 1}, "todo-3": {}});
        let all = all.as_object().unwrap();
        assert_eq!(nested(all), ["1".into()]);
        assert_eq!(only(all, &["todo-1"]), None);
    }
}
