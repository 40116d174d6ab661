//! `outputs.json`: `{"todo-N": {name: value}}`.

use serde_json::{Map, Value};
use wire::order::Worker;
use wire::plan::Output;
use wire::{Order, TaskId};

/// The values that a worker gives. What it wrongly nests once more, under `outputs` or under its own key, is unwrapped:
/// no reference could ever find it there.
pub(crate) fn values(order: &Order, worker: &Worker) -> Map<String, Value> {
    let mut values: Map<String, Value> = worker.outputs.clone().into_iter().collect();
    let own = key(&order.task.id);
    while let Some(inner) = only(&values, &["outputs", &own]) {
        if order.task.outputs.iter().any(|o| values.contains_key(&o.name)) {
            break;
        }
        values = inner;
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

/// The object under the one key that there is, if it is one of these.
fn only(values: &Map<String, Value>, names: &[&str]) -> Option<Map<String, Value>> {
    let (key, value) = values.iter().next().filter(|_| values.len() == 1)?;
    names.contains(&key.as_str()).then(|| value.as_object().cloned()).flatten()
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
