//! `${todo-N.outputs.field}`: what earlier tasks left for this one.

use serde_json::Value;
use std::collections::BTreeMap;
use wire::Task;
use wire::order::Unresolved;

/// The inputs with their values, and references that have none.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    pub(crate) values: BTreeMap<String, Value>,
    pub(crate) unresolved: Vec<Unresolved>,
    /// Each reference as written, with its value.
    pub(crate) references: BTreeMap<String, Value>,
}

/// Resolves every reference in the task's own text. Lists and objects keep their form.
pub(crate) fn resolve(task: &Task, body: &str, outputs: &Value) -> Resolved {
    let mut resolved = Resolved::default();
    for reference in dialects::references(body) {
        if resolved.references.contains_key(&reference.whole) {
            continue;
        }
        match look_up(outputs, &reference.producer, &reference.field) {
            Ok(value) => {
                resolved.references.insert(reference.whole, value);
            }
            Err(reason) if !resolved.unresolved.iter().any(|u| u.reference == reference.whole) => {
                let producer = Some(reference.producer.into());
                resolved.unresolved.push(Unresolved { reference: reference.whole, producer, reason });
            }
            Err(_) => {}
        }
    }
    for input in &task.inputs {
        let value = match (&input.reference, &input.value) {
            (Some(reference), _) => resolved.references.get(reference).cloned(),
            (None, Some(value)) => Some(Value::String(value.clone())),
            (None, None) => None,
        };
        if let Some(value) = value {
            resolved.values.insert(input.name.clone(), value);
        }
    }
    resolved
}

/// A value in text: strings as they are, the rest as JSON.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn look_up(outputs: &Value, producer: &str, field: &str) -> Result<Value, String> {
    let key = format!("todo-{producer}");
    let of_task = outputs.get(&key).or_else(|| outputs.get(key.to_lowercase()));
    let Some(of_task) = of_task else {
        return Err(format!("task '{producer}' has saved no outputs"));
    };
    of_task.get(field).cloned().ok_or_else(|| {
        let known: Vec<_> = of_task.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect();
        format!("task '{producer}' saved no '{field}'; it saved: {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::{look_up, resolve};
    use serde_json::json;
    use wire::Task;

    #[test]
    fn lists_and_objects_keep_their_form() {
        let outputs = json!({"todo-1": {"paths": ["a", "b"]}});
        assert_eq!(look_up(&outputs, "1", "paths").unwrap(), json!(["a", "b"]));
    }

    #[test]
    fn a_reference_to_1_is_never_answered_by_10() {
        let outputs = json!({"todo-10": {"x": 1}});
        assert!(look_up(&outputs, "1", "x").is_err());
    }

    #[test]
    fn what_cannot_be_resolved_is_named_once_with_its_producer() {
        let body = "${todo-2.outputs.x} and ${todo-2.outputs.x}";
        let resolved = resolve(&Task::default(), body, &json!({}));
        assert_eq!(resolved.unresolved.len(), 1);
        assert_eq!(resolved.unresolved[0].producer, Some("2".into()));
    }
}
