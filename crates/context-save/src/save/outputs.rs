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

/// Merges a task's values into those of the others. The place of a key is the same in whichever order tasks end.
pub(crate) fn merge(all: &mut Map<String, Value>, task: &TaskId, values: &Map<String, Value>) {
    if values.is_empty() {
        return;
    }
    let (key, values) = (key(task), Value::Object(values.clone()));
    if let Some(old) = all.get_mut(&key) {
        *old = values;
        return;
    }
    let place = all.keys().position(|other| (key.len(), &key) < (other.len(), other));
    all.shift_insert(place.unwrap_or(all.len()), key, values);
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
    use super::{merge, nested, only};
    use serde_json::{Map, json};

    #[test]
    fn the_order_of_the_keys_does_not_depend_on_who_ends_first() {
        let mut all = Map::new();
        for id in ["10", "2", "1", "2"] {
            merge(&mut all, &id.into(), json!({"by": id}).as_object().unwrap());
        }
        assert_eq!(all.keys().collect::<Vec<_>>(), ["todo-1", "todo-2", "todo-10"]);
    }

    #[test]
    fn what_is_nested_once_too_deep_is_seen() {
        let all =
            json!({"todo-1": {"outputs": {"dir": "x"}}, "todo-2": {"outputs": "a", "b": 1}, "todo-3": {}});
        let all = all.as_object().unwrap();
        assert_eq!(nested(all), ["1".into()]);
        assert_eq!(only(all, &["todo-1"]), None);
    }
}
