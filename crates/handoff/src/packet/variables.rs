//! `[variable]`: the output of an earlier step of the same task, under the name in its `output_to`.
//!
//! The worker runs the steps and has the values. This module checks only their order: a name counts as a variable if
//! some step declares it, and every other word in brackets is prose or code.

use serde_json::Value;
use wire::Task;
use wire::order::Unresolved;

/// One step of a task file that may declare a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) declares: Option<String>,
    pub(crate) on_error: String,
    /// Everything that the step does, verbatim.
    pub(crate) does: Vec<String>,
    /// Its commands alone.
    pub(crate) runs: Vec<String>,
}

/// The steps that prepare the work, then those of the work itself.
pub(crate) fn steps(task: &Task) -> Vec<Step> {
    let Some(file) = task.extra.get("task_file") else { return Vec::new() };
    let list = |places: &[&str]| places.iter().find_map(|at| file.pointer(at)?.as_array()).cloned();
    let before = list(&["/flow_control/pre_analysis", "/pre_analysis"]).unwrap_or_default();
    let work = list(&["/flow_control/implementation_approach", "/implementation"]).unwrap_or_default();
    before
        .iter()
        .map(|step| read(step, "output_to"))
        .chain(work.iter().map(|step| read(step, "output")))
        .collect()
}

/// Only the steps of `pre_analysis`.
pub(crate) fn preparing(task: &Task) -> Vec<Step> {
    let file = task.extra.get("task_file");
    let list = file.and_then(|file| {
        ["/flow_control/pre_analysis", "/pre_analysis"].iter().find_map(|at| file.pointer(at)?.as_array())
    });
    list.into_iter().flatten().map(|step| read(step, "output_to")).collect()
}

/// Variables that a step uses before any step declares them.
pub(crate) fn undeclared(task: &Task) -> Vec<Unresolved> {
    let steps = steps(task);
    let mut found: Vec<Unresolved> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        for (later, declarer) in steps.iter().enumerate().skip(at) {
            let Some(name) = &declarer.declares else { continue };
            let before = steps[..at].iter().any(|step| step.declares.as_ref() == Some(name));
            let reference = format!("[{name}]");
            let used = step.does.iter().any(|text| text.contains(&reference));
            if before || !used || found.iter().any(|known| known.reference == reference) {
                continue;
            }
            let reason = if later == at {
                format!("step '{}' uses its own output", step.name)
            } else {
                format!("step '{}' uses it before step '{}' declares it", step.name, declarer.name)
            };
            found.push(Unresolved { reference, producer: Some(task.id.clone()), reason });
        }
    }
    found
}

fn read(step: &Value, declares: &str) -> Step {
    let text = |key: &str| step.get(key).and_then(Value::as_str).unwrap_or_default();
    let name = step.get("step").map(|name| name.as_str().map_or_else(|| name.to_string(), str::to_owned));
    let mut does = Vec::new();
    for key in ["title", "description", "action", "command"] {
        does.extend(Some(text(key)).filter(|text| !text.is_empty()).map(str::to_owned));
    }
    for key in ["commands", "modification_points", "logic_flow"] {
        let list = step.get(key).and_then(Value::as_array).into_iter().flatten();
        does.extend(list.filter_map(Value::as_str).map(str::to_owned));
    }
    does.extend(step.as_str().map(str::to_owned));
    let list = step.get("commands").and_then(Value::as_array).into_iter().flatten();
    let runs = Some(text("command")).filter(|text| !text.is_empty()).into_iter();
    let runs = runs.chain(list.filter_map(Value::as_str)).chain(step.as_str());
    Step {
        runs: runs.map(str::to_owned).collect(),
        name: name.unwrap_or_else(|| text("title").to_owned()),
        declares: Some(text(declares)).filter(|name| !name.is_empty()).map(str::to_owned),
        on_error: text("on_error").to_owned(),
        does,
    }
}

#[cfg(test)]
mod tests {
    use super::undeclared;
    use serde_json::json;
    use wire::Task;

    fn task(file: serde_json::Value) -> Task {
        let mut task = Task { id: "IMPL-1".into(), ..Task::default() };
        task.extra.insert("task_file".to_owned(), file);
        task
    }

    #[test]
    fn a_name_is_a_variable_only_where_a_step_declares_it() {
        let file = json!({"flow_control": {
            "pre_analysis": [
                {"step": "load", "command": "cat spec [optional] [link](x)", "output_to": "spec"},
                {"step": "look", "command": "grep [spec] src", "output_to": "found"}],
            "implementation_approach": [{"step": 1, "description": "use [spec] and [found]", "output": "code"}]}});
        assert!(undeclared(&task(file)).is_empty());
    }

    #[test]
    fn a_variable_that_comes_too_late_is_said_with_both_steps() {
        let file = json!({"pre_analysis": [
            {"step": "look", "commands": ["grep [spec] src", "again [spec]"], "output_to": "found"},
            {"step": "load", "command": "cat [spec]", "output_to": "spec"}]});
        let found = undeclared(&task(file));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].reference, "[spec]");
        assert_eq!(found[0].reason, "step 'look' uses it before step 'load' declares it");
    }
}
