//! The first lines of the run of a prepared runbook: its files, then order, models and escalation.

use config::Config;
use config::workers::Stop;
use serde_json::Value;
use std::fmt::Write as _;
use toolkit::Fail;
use wire::plan::{Kind, Model, Plan, Task};

/// The lines; empty for a plan that is not prepared in files of its own.
pub(crate) fn shown(plan: &Plan, config: &Config) -> Result<String, Fail> {
    let Some(artifacts) = plan.extra.get("artifacts") else { return Ok(String::new()) };
    let manifest = artifacts["plan"].as_str().unwrap_or_default();
    let name = manifest.rsplit('/').nth(1).unwrap_or(plan.title.as_str());
    let mut text = format!("Executing runbook: {name}\n\nVerifying artifacts...\n");
    for agent in artifacts["agents"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let _ = writeln!(text, "✓ Plan-specific agent: {agent}");
    }
    let steps = artifacts["steps"].as_u64().unwrap_or_default();
    let _ = writeln!(text, "✓ Step files: {steps} {} found", if steps == 1 { "step" } else { "steps" });
    let _ = writeln!(text, "✓ Orchestrator plan: {}", artifacts["plan"].as_str().unwrap_or_default());
    let order = match plan.strategy.as_ref().map(|strategy| strategy.model) {
        None | Some(Model::Sequential) => "Sequential",
        _ => "Parallel",
    };
    let _ = write!(text, "\nReading orchestrator plan...\n- Execution: {order}\n");
    let models = models(plan);
    let _ = writeln!(text, "- Model: {}", models.join(", "));
    let _ = write!(text, "- Escalation: {}", escalation(plan, config, &models)?.join(" → "));
    Ok(text)
}

fn steps(plan: &Plan) -> impl Iterator<Item = &Task> {
    plan.tasks.iter().filter(|task| task.kind != Kind::Checkpoint)
}

/// The models of the steps, in the order of their first use.
fn models(plan: &Plan) -> Vec<String> {
    let mut models: Vec<String> = Vec::new();
    for model in steps(plan).filter_map(|task| task.model.as_ref()) {
        if !models.contains(model) {
            models.push(model.clone());
        }
    }
    models
}

/// The way of a failed step: the route of its model in `[agents]`, else the agents that the orchestrator plan names, else
/// those of the workflow; then a person.
fn escalation(plan: &Plan, config: &Config, models: &[String]) -> Result<Vec<String>, Fail> {
    let mut way: Vec<String> = models.first().cloned().into_iter().collect();
    let route = models.first().and_then(|model| config.agents.get(model)).filter(|route| route.0.len() > 1);
    let rules: Vec<&Value> =
        steps(plan).find_map(|task| task.extra.get("escalation")?.as_array()).into_iter().flatten().collect();
    let names = |rule: &&Value| {
        rule["to"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let stated = rules.iter().find(|rule| rule["when"].is_null()).map(names);
    let next = match (route, stated) {
        (Some(route), _) => route.0.iter().skip(1).map(shown_stop).collect(),
        (None, Some(stated)) => stated,
        (None, None) => config.profile(&plan.source.dialect)?.escalation,
    };
    for name in next.into_iter().chain(["user".to_owned()]) {
        if way.last().is_none_or(|last| *last != "user" && *last != name) {
            way.push(name);
        }
    }
    Ok(way)
}

/// A stop of a route: the model that the worker gets, else the worker.
fn shown_stop(stop: &Stop) -> String {
    match stop {
        Stop::User => "user".to_owned(),
        Stop::Worker { name, model } => model.clone().unwrap_or_else(|| name.clone()),
    }
}
