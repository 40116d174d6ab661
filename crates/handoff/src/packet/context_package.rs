//! The Agent Context Package of a `workflow` task: `task artifacts flow_context session dependencies inherited`.
//!
//! The parts are in the order of their priority: the task file itself, the artifacts of planning, the results of the
//! steps before the work, the earlier tasks, the session, and inherited context. Nothing is paraphrased: files are
//! named, and the summaries of earlier tasks are included unchanged.

use crate::case::Case;
use crate::packet::variables;
use serde_json::{Map, Value, json};
use toolkit::Fail;
use wire::Task;

/// The package of one task.
pub(crate) struct Package {
    pub(crate) task: Value,
    pub(crate) artifacts: Map<String, Value>,
    pub(crate) flow_context: Value,
    pub(crate) session: Map<String, Value>,
    pub(crate) dependencies: Vec<Value>,
    pub(crate) inherited: Value,
}

/// The paths of a session, relative to the root.
pub(crate) fn paths(plan: &str, task: &Task) -> Vec<(&'static str, String)> {
    let folder = plan.strip_suffix("TODO_LIST.md").unwrap_or(plan).trim_end_matches(['/', '.']);
    let below = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    let json = task.detail.as_ref().map(|detail| detail.path.clone());
    vec![
        ("workflow_dir", below("")),
        ("context_package_path", below(".process/context-package.json")),
        ("todo_list_path", below("TODO_LIST.md")),
        ("summaries_dir", below(".summaries/")),
        ("task_json_path", json.unwrap_or_else(|| below(&format!(".task/{}.json", task.id)))),
    ]
}

impl Package {
    /// Assembles the package in the order of priority.
    pub(crate) fn of(case: &Case<'_>) -> Result<Self, Fail> {
        let sheet = &case.sheet;
        let paths = paths(&case.order.plan.path, &sheet.task);
        let path = |name: &str| paths.iter().find(|(key, _)| *key == name).map_or("", |(_, path)| path);
        let task = sheet.task.extra.get("task_file").cloned().unwrap_or(Value::Null);
        let context = case.text_of(path("context_package_path"))?.unwrap_or_default();
        let context: Value = serde_json::from_str(&context).unwrap_or(Value::Null);
        let artifacts = artifacts(&task, &context);
        let names: Vec<_> = variables::steps(&sheet.task)
            .into_iter()
            .filter_map(|step| Some(json!({ "name": step.declares?, "step": step.name })))
            .collect();
        let flow_context = json!({ "step_outputs": step_outputs(case)?, "declared": names });
        let session = paths.iter().map(|(name, path)| ((*name).to_owned(), path.clone().into())).collect();
        let dependencies = dependencies(case, path("summaries_dir"))?;
        let inherited = inherited(case, &task);
        Ok(Self { task, artifacts, flow_context, session, dependencies, inherited })
    }

    /// The package as members of the packet.
    pub(crate) fn members(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("task", self.task.clone()),
            ("artifacts", Value::Object(self.artifacts.clone())),
            ("flow_context", self.flow_context.clone()),
            ("session", Value::Object(self.session.clone())),
            ("dependencies", Value::Array(self.dependencies.clone())),
            ("inherited", self.inherited.clone()),
        ]
    }

    /// Every artifact with its path, most important first.
    pub(crate) fn artifact_paths(&self) -> Vec<(String, String, String)> {
        let mut found: Vec<(String, String, String)> = Vec::new();
        for (name, value) in &self.artifacts {
            let entries: Vec<&Value> =
                value.as_array().map_or_else(|| vec![value], |list| list.iter().collect());
            for entry in entries {
                let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
                if !text("path").is_empty() && !found.iter().any(|(_, path, _)| *path == text("path")) {
                    found.push((name.clone(), text("path"), text("priority")));
                }
            }
        }
        let rank =
            |priority: &str| ["highest", "high", "medium", "", "low"].iter().position(|p| *p == priority);
        found.sort_by_key(|(_, _, priority)| rank(priority).unwrap_or(3));
        found
    }
}

/// What the steps before the work can be told already: a step that only reads files has their text, so that the agent need
/// not run it; the others are the agent's.
fn step_outputs(case: &Case<'_>) -> Result<Map<String, Value>, Fail> {
    let mut out = Map::new();
    for step in variables::preparing(&case.sheet.task) {
        let Some(name) = step.declares else { continue };
        let paths = step.runs.iter().map(|text| text.strip_prefix("Read(")?.strip_suffix(')').map(str::trim));
        let Some(paths) = paths.collect::<Option<Vec<&str>>>().filter(|paths| !paths.is_empty()) else {
            continue;
        };
        let mut texts = Vec::new();
        for path in paths {
            texts.extend(case.text_of(path)?);
        }
        let text = texts.join("\n");
        if !text.is_empty() && text.len() <= LARGEST {
            out.insert(name, text.into());
        }
    }
    Ok(out)
}

/// The longest output of a step that stands in the package; the agent reads longer ones itself.
const LARGEST: usize = 16 << 10;

/// The four artifacts that the source workflow names, from the context package, and all others that the task file
/// lists.
fn artifacts(task: &Value, context: &Value) -> Map<String, Value> {
    let from = |key: &str| context.pointer(&format!("/brainstorm_artifacts/{key}"));
    let path = |key: &str| from(key).and_then(|value| value.get("path").or(Some(value))?.as_str());
    let mut out = Map::new();
    if let Some(path) = path("synthesis_output") {
        out.insert("synthesis_specification".to_owned(), json!({ "path": path, "priority": "highest" }));
    }
    if let Some(path) = path("guidance_specification") {
        out.insert("guidance_specification".to_owned(), json!({ "path": path, "priority": "medium" }));
    }
    if let Some(Value::Array(list)) = from("role_analyses") {
        out.insert("role_analyses".to_owned(), Value::Array(flat(list)));
    }
    if let Some(path) = path("conflict_resolution") {
        out.insert("conflict_resolution".to_owned(), json!({ "path": path, "conditional": true }));
    }
    let own = task.pointer("/context/artifacts").or_else(|| task.get("artifacts")).and_then(Value::as_array);
    let own: Vec<Value> = own.into_iter().flatten().map(|artifact| named(artifact, context)).collect();
    if !own.is_empty() {
        out.insert("of_task".to_owned(), Value::Array(own));
    }
    out
}

/// Some packages nest the files of role analyses one level deeper.
fn flat(list: &[Value]) -> Vec<Value> {
    let mut out = Vec::new();
    for entry in list {
        match entry.get("files").and_then(Value::as_array) {
            None if entry.is_string() => out.push(json!({ "path": entry })),
            None => out.push(entry.clone()),
            Some(files) => {
                let role = entry.get("role").cloned().unwrap_or(Value::Null);
                for file in files {
                    let path = file.get("path").unwrap_or(file);
                    out.push(json!({ "role": role, "path": path }));
                }
            }
        }
    }
    out
}

/// An artifact whose path is `{{… context-package.json …}}` gets its path from its `source`.
fn named(artifact: &Value, context: &Value) -> Value {
    let mut artifact = artifact.clone();
    let text = |key: &str| artifact.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    if !text("path").contains("{{") {
        return artifact;
    }
    let place =
        text("source").split('→').nth(1).map(|place| place.trim().trim_end_matches("[]").replace('.', "/"));
    let found = place.and_then(|place| context.pointer(&format!("/{place}")));
    let path = found.and_then(|value| value.get("path").or(Some(value))).filter(|value| value.is_string());
    if let Some(path) = path {
        artifact["path"] = path.clone();
    }
    artifact
}

/// The summary of each task that this one depends on, and its path.
fn dependencies(case: &Case<'_>, summaries: &str) -> Result<Vec<Value>, Fail> {
    let mut out = Vec::new();
    for id in &case.sheet.task.depends_on {
        let task = case.sheet.plan.tasks.iter().find(|task| task.id == *id);
        let path = format!("{summaries}{}-summary.md", wire::ids::key_of(id.as_str()));
        let summary = case.text_of(&path)?;
        let title = task.map(|task| task.title.as_str()).unwrap_or_default();
        let there = summary.is_some();
        let path = there.then_some(path);
        out.push(json!({ "id": id, "title": title, "summary_path": path, "summary": summary }));
    }
    Ok(out)
}

/// The parent with what its own file gives its children: requirements, acceptance, focus and shared context.
fn of_parent(case: &Case<'_>, parent: &Task) -> Value {
    let mut out = json!({ "id": parent.id, "title": parent.title });
    let text = parent.detail.as_ref().and_then(|detail| case.text_of(&detail.path).ok().flatten());
    let file: Value = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null);
    for name in ["requirements", "acceptance", "focus_paths", "shared_context", "inherited"] {
        let value = file.pointer(&format!("/context/{name}")).or_else(|| file.get(name));
        if let Some(value) = value.filter(|value| !value.is_null()) {
            out[name] = value.clone();
        }
    }
    out
}

/// The inherited context of the task file, the parent's title, and the notes of earlier workers.
fn inherited(case: &Case<'_>, task: &Value) -> Value {
    let own = task.pointer("/context/inherited").or_else(|| task.get("inherited"));
    let shared = task.pointer("/context/shared_context").or_else(|| task.get("shared_context"));
    let parent = case.sheet.task.parent.as_ref();
    let parent = parent.and_then(|id| case.sheet.plan.tasks.iter().find(|task| task.id == *id));
    let wisdom = &case.sheet.wisdom;
    json!({
        "from": own.and_then(|own| own.get("from")),
        "context": own.and_then(|own| own.get("context")).or(own),
        "shared_context": shared,
        "parent": parent.map(|task| of_parent(case, task)),
        "learnings": wisdom.learnings, "issues": wisdom.issues, "decisions": wisdom.decisions,
    })
}
