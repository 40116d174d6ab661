//! The six named rules for a context package.
//!
//! A package that no worker could follow is refused. Missing parts are only reported: real sessions lack summaries
//! and artifacts, and their tasks can still be done.

use crate::case::Case;
use crate::packet::context_package::Package;
use crate::packet::variables;
use serde_json::{Map, Value, json};

/// The result of one rule.
pub(crate) struct Ruled {
    pub(crate) rule: &'static str,
    pub(crate) verdict: Verdict,
    /// The missing parts; empty for a pass.
    pub(crate) missing: Vec<String>,
}

/// The verdict of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Pass,
    /// Something is missing; the task can be done without it.
    Warn,
    /// The task cannot be handed out.
    Fail,
}

impl Ruled {
    /// The result as data.
    pub(crate) fn value(&self) -> Value {
        let verdict = match self.verdict {
            Verdict::Pass => "pass",
            Verdict::Warn => "warn",
            Verdict::Fail => "fail",
        };
        json!({ "rule": self.rule, "status": verdict, "missing": self.missing })
    }
}

/// Checks a package by all six rules.
pub(crate) fn check(case: &Case<'_>, package: &Package) -> Vec<Ruled> {
    let (broken, absent) = task_json(case, &package.task);
    let verdict = if broken.is_empty() { warn(&absent) } else { Verdict::Fail };
    let mut rules = vec![Ruled {
        rule: "task-json-complete",
        verdict,
        missing: broken.into_iter().chain(absent).collect(),
    }];
    let mut soft = |rule, missing: Vec<String>| {
        rules.push(Ruled { rule, verdict: warn(&missing), missing });
    };
    soft("artifacts-available", artifacts(case, package));
    soft("flow-control-ready", flow_control(case));
    soft("dependencies-loaded", dependencies(package));
    soft("session-paths-valid", session(case, package));
    soft("agent-assigned", agent(case));
    rules
}

fn warn(missing: &[String]) -> Verdict {
    if missing.is_empty() { Verdict::Pass } else { Verdict::Warn }
}

/// The fields of each generation of task files. Those of the first are the source's own: a file without one of them is
/// refused.
const FIELDS: [(&str, &[&str]); 3] = [
    ("nested", &["id", "title", "status", "meta", "context", "flow_control"]),
    ("flat", &["id", "title", "description", "depends_on", "convergence"]),
    ("v1", &["id", "title", "status", "type", "agent", "context", "relations", "execution"]),
];

/// The faults that make the task file unusable, and the fields that it merely lacks.
fn task_json(case: &Case<'_>, file: &Value) -> (Vec<String>, Vec<String>) {
    let task = &case.sheet.task;
    let Some(map) = file.as_object() else {
        let path = task.detail.as_ref().map(|detail| detail.path.as_str()).unwrap_or_default();
        return match path {
            // A list without task files is a complete plan; each line is the whole task.
            "" => (Vec::new(), vec!["there is no task file".to_owned()]),
            path => (vec![format!("'{path}' is not there or cannot be read")], Vec::new()),
        };
    };
    let mut broken = Vec::new();
    let id = map.get("id").or_else(|| map.get("task_id")).and_then(Value::as_str);
    if let Some(id) = id.filter(|id| !id.eq_ignore_ascii_case(task.id.as_str())) {
        broken.push(format!("the file is that of '{id}'"));
    }
    let nothing = task.steps.is_empty()
        && task.criteria.is_empty()
        && !["description", "context"].iter().any(|key| map.contains_key(*key));
    if nothing {
        broken.push("the file says neither what to do nor what must be true".to_owned());
    }
    let generation = task.extra.get("generation").and_then(Value::as_str).unwrap_or_default();
    // A file of no known generation is one of the source's own form that lacks the parts by which it is known.
    let known = FIELDS.iter().find(|(name, _)| *name == generation).unwrap_or(&FIELDS[0]);
    let absent = known.1.iter().filter(|field| map.get(**field).is_none_or(Value::is_null));
    let absent: Vec<String> = absent.map(|field| format!("no '{field}'")).collect();
    if known.0 == FIELDS[0].0 {
        broken.extend(absent);
        broken.extend(invalid(map));
        let artifacts = map.get("context").is_some_and(|context| context.get("artifacts").is_none());
        return (broken, if artifacts { vec!["no 'context.artifacts'".to_owned()] } else { Vec::new() });
    }
    (broken, absent)
}

/// The fields of the source's own form that hold something else than they are for.
fn invalid(map: &Map<String, Value>) -> Vec<String> {
    const STATUS: [&str; 8] =
        ["pending", "active", "in_progress", "completed", "complete", "done", "blocked", "skipped"];
    let mut wrong = Vec::new();
    let mut is = |name: &str, value: Option<&Value>, holds: fn(&Value) -> bool, what: &str| {
        if value.is_some_and(|value| !value.is_null() && !holds(value)) {
            wrong.push(format!("'{name}' is no {what}"));
        }
    };
    for name in ["id", "title"] {
        is(name, map.get(name), Value::is_string, "text");
    }
    for name in ["meta", "context", "flow_control"] {
        is(name, map.get(name), Value::is_object, "object");
    }
    for (outer, inner) in [
        ("context", "artifacts"),
        ("context", "requirements"),
        ("context", "focus_paths"),
        ("flow_control", "pre_analysis"),
        ("flow_control", "implementation_approach"),
        ("flow_control", "target_files"),
    ] {
        let value = map.get(outer).and_then(|outer| outer.get(inner));
        is(&format!("{outer}.{inner}"), value, Value::is_array, "list");
    }
    let is_status = |value: &Value| value.as_str().is_some_and(|word| STATUS.contains(&word));
    is("status", map.get("status"), is_status, "status: pending, active, completed or blocked");
    wrong
}

fn artifacts(case: &Case<'_>, package: &Package) -> Vec<String> {
    let paths = package.artifact_paths();
    let gone = paths.iter().filter(|(_, path, _)| !case.is_there(path));
    gone.map(|(name, path, _)| format!("'{path}' ({name}) is not there")).collect()
}

/// The words that the source workflow and its schema define.
const ON_ERROR: [&str; 8] =
    ["", "skip_optional", "fail", "retry_once", "continue", "skip", "warn", "manual_intervention"];

fn flow_control(case: &Case<'_>) -> Vec<String> {
    let mut missing = Vec::new();
    for step in variables::preparing(&case.sheet.task) {
        if step.does.is_empty() {
            missing.push(format!("step '{}' says neither an action nor a command", step.name));
        }
        if !ON_ERROR.contains(&step.on_error.as_str()) {
            missing.push(format!("step '{}' has an unknown on_error '{}'", step.name, step.on_error));
        }
    }
    missing
}

fn dependencies(package: &Package) -> Vec<String> {
    let none = package.dependencies.iter().filter(|entry| entry.get("summary").is_none_or(Value::is_null));
    none.map(|entry| format!("no summary of '{}'", entry.get("id").and_then(Value::as_str).unwrap_or("?")))
        .collect()
}

/// Checks the paths of the session; files that our own stages create later may be missing.
fn session(case: &Case<'_>, package: &Package) -> Vec<String> {
    let later = ["summaries_dir", "task_json_path"];
    let paths = package.session.iter().filter(|(name, _)| !later.contains(&name.as_str()));
    let gone =
        paths.filter(|(_, path)| path.as_str().is_some_and(|path| !path.is_empty() && !case.is_there(path)));
    gone.map(|(name, path)| format!("{name} {path} is not there")).collect()
}

/// Agents that the source workflow defines.
const AGENTS: [&str; 6] = [
    "code-developer",
    "test-fix-agent",
    "universal-executor",
    "doc-generator",
    "action-planning-agent",
    "test-context-search-agent",
];

fn agent(case: &Case<'_>) -> Vec<String> {
    let Some(agent) = &case.sheet.task.agent else { return vec!["no agent is named".to_owned()] };
    let bare = agent.trim_start_matches('@');
    let mapped = [agent.as_str(), bare].iter().any(|name| case.config.agents.contains_key(*name));
    if mapped || AGENTS.contains(&bare) {
        return Vec::new();
    }
    vec![format!("agent '{agent}' is not one of the workflow's own")]
}
