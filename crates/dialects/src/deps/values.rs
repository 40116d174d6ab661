//! The value of `${todo-N.outputs.field}` as saved by an earlier task, or the reason why there is none.
//!
//! A worker must not guess, and neither does this module: the reason mentions a value that the plan merely expects,
//! but never returns it as the saved one.

use crate::{Plan, Reference};
use serde_json::Value;
use wire::{State, Task};

/// The value of a reference. `outputs` is the content of `outputs.json`, or null if the file does not exist.
pub fn value(reference: &Reference, outputs: &Value, plan: &Plan) -> Result<Value, String> {
    let Reference { producer, field, .. } = reference;
    let task = plan.tasks.iter().find(|task| is(task, producer));
    let saved = entry(outputs, producer).or_else(|| entry(outputs, task?.id.as_str()));
    let Some(saved) = saved else {
        return Err(nothing_saved(producer, task, field));
    };
    match find(saved, field) {
        Some(Value::Null) => Err(format!("task '{producer}' saved '{field}' without a value")),
        Some(value) => Ok(value.clone()),
        None => Err(other_saved(producer, saved, task, field)),
    }
}

/// The outputs of a task, by its id in any case; `1` never matches `10`.
fn entry<'v>(outputs: &'v Value, producer: &str) -> Option<&'v Value> {
    let map = outputs.as_object()?;
    let key = format!("todo-{producer}");
    map.get(&key).or_else(|| map.iter().find(|(name, _)| same(name, &key)).map(|(_, value)| value))
}

/// A field by its name, otherwise by its path. Some agents nest everything in another `outputs`.
fn find<'v>(saved: &'v Value, field: &str) -> Option<&'v Value> {
    let direct = |value: &'v Value| value.get(field).or_else(|| walk(value, field));
    direct(saved).or_else(|| saved.get("outputs").filter(|inner| inner.is_object()).and_then(direct))
}

/// `config.paths.0` and `config.paths[0]` lead into objects and lists.
fn walk<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let steps = path.split(['.', '[']).map(|step| step.trim_end_matches(']'));
    steps.filter(|step| !step.is_empty()).try_fold(value, |at, step| match at {
        Value::Array(list) => list.get(step.parse::<usize>().ok()?),
        other => other.get(step),
    })
}

/// Whether a reference names this task; some plans have `todo-` in the id itself.
fn is(task: &Task, producer: &str) -> bool {
    let id = task.id.as_str();
    same(id, producer) || id.strip_prefix("todo-").is_some_and(|id| same(id, producer))
}

fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

fn nothing_saved(producer: &str, task: Option<&Task>, field: &str) -> String {
    let Some(task) = task else { return format!("there is no task '{producer}' in the plan") };
    let fact = match task.state {
        State::Completed => "is done and saved no outputs".to_owned(),
        State::Skipped => "was left out and saved no outputs".to_owned(),
        state => format!("is {} and has saved no outputs yet", state.word().replace('_', " ")),
    };
    format!("task '{producer}' {fact}{}", expected(task, field))
}

fn other_saved(producer: &str, saved: &Value, task: Option<&Task>, field: &str) -> String {
    let known: Vec<&str> =
        saved.as_object().into_iter().flat_map(|map| map.keys().map(String::as_str)).collect();
    let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
    let expected = task.map(|task| expected(task, field)).unwrap_or_default();
    format!("task '{producer}' saved no '{field}'; it saved: {known}{expected}")
}

/// What the plan says about the value, to help a person fix it.
fn expected(task: &Task, field: &str) -> String {
    let output = task.outputs.iter().find(|output| output.name == field);
    match output.map(|output| output.value.as_deref()) {
        Some(Some(value)) => format!(" (the plan expects '{value}')"),
        Some(None) => String::new(),
        None => format!(" (and the plan declares no output '{field}' for it)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::references;
    use serde_json::json;
    use wire::plan::Output;

    fn plan() -> Plan {
        let output = Output { name: "x".into(), value: Some("a.txt".into()), ..Output::default() };
        let task = |id: &str, state| Task { id: id.into(), state, ..Task::default() };
        let one = Task { outputs: vec![output], ..task("1", State::Completed) };
        Plan { tasks: vec![one, task("Final", State::Pending)], ..Plan::default() }
    }

    fn of(text: &str, outputs: &Value) -> Result<Value, String> {
        value(&references(text)[0], outputs, &plan())
    }

    #[test]
    fn lists_and_objects_keep_their_form() {
        let outputs = json!({"todo-1": {"paths": ["a", "b"], "o": {"k": 1}}});
        assert_eq!(of("${todo-1.outputs.paths}", &outputs).unwrap(), json!(["a", "b"]));
        assert_eq!(of("${todo-1.outputs.o}", &outputs).unwrap(), json!({"k": 1}));
        assert_eq!(of("${todo-1.outputs.o.k}", &outputs).unwrap(), json!(1));
        assert_eq!(of("${todo-1.outputs.paths[1]}", &outputs).unwrap(), json!("b"));
    }

    #[test]
    fn what_was_nested_once_more_is_found_and_a_name_with_a_dot_is_a_name() {
        let outputs = json!({"todo-1": {"outputs": {"x": "a"}, "x.y": 2}, "todo-final": {"z": true}});
        assert_eq!(of("${todo-1.outputs.x}", &outputs).unwrap(), json!("a"));
        assert_eq!(of("${todo-1.outputs.x.y}", &outputs).unwrap(), json!(2));
        assert_eq!(of("${todo-Final.outputs.z}", &outputs).unwrap(), json!(true));
    }

    #[test]
    fn each_reason_says_what_is_wrong() {
        let outputs = json!({"todo-10": {"x": 1}, "todo-Final": {"a": 1, "b": null}});
        for (text, reason) in [
            ("${todo-1.outputs.x}", "task '1' is done and saved no outputs (the plan expects 'a.txt')"),
            (
                "${todo-1.outputs.y}",
                "task '1' is done and saved no outputs (and the plan declares no output 'y' for it)",
            ),
            ("${todo-2.outputs.x}", "there is no task '2' in the plan"),
            ("${todo-Final.outputs.b}", "task 'Final' saved 'b' without a value"),
            (
                "${todo-Final.outputs.c}",
                "task 'Final' saved no 'c'; it saved: a, b (and the plan declares no output 'c' for it)",
            ),
        ] {
            assert_eq!(of(text, &outputs).unwrap_err(), reason);
        }
        let waiting = of("${todo-Final.outputs.c}", &json!({})).unwrap_err();
        assert!(waiting.starts_with("task 'Final' is pending and has saved no outputs yet"), "{waiting}");
    }
}
