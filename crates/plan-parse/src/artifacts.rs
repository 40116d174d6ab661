//! The first lines of the run of a prepared runbook: its files, then order, models and escalation.

use serde_json::Value;
use std::fmt::Write as _;
use wire::plan::{Kind, Model, Plan, Task};

/// The lines; empty for a plan that is not prepared in files of its own.
pub(crate) fn shown(plan: &Plan) -> String {
    let Some(artifacts) = plan.extra.get("artifacts") else { return String::new() };
    let mut text = format!("Executing runbook: {}\n\nVerifying artifacts...\n", plan.title);
    for agent in artifacts["agents"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let _ = writeln!(text, "✓ Plan-specific agent: {agent}");
    }
    let steps = artifacts["steps"].as_u64().unwrap_or_default();
    let _ = writeln!(text, "✓ Step files: {steps} {} found", if steps == 1 { "step" } else { "steps" });
    let _ = writeln!(text, "✓ Orchestrator plan: {}", artifacts["plan"].as_str().unwrap_or_default());
    let order = match plan.strategy.as_ref().map(|strategy| strategy.model) {
        None | Some(Model::Sequential) => "Sequential",
        _ => "Parallel where the orchestrator plan allows it",
    };
    let _ = write!(text, "\nReading orchestrator plan...\n- Execution: {order}\n");
    let models = models(plan);
    let _ = writeln!(text, "- Model: {}", models.join(", "));
    let _ = write!(text, "- Escalation: {}", escalation(plan, &models).join(" → "));
    text
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

/// The way of a failed step: its model, the agents that the orchestrator plan names, and a person.
fn escalation(plan: &Plan, models: &[String]) -> Vec<String> {
    let mut way: Vec<String> = models.first().cloned().into_iter().collect();
    let rules = steps(plan).find_map(|task| task.extra.get("escalation")?.as_array());
    for to in rules.into_iter().flatten().filter_map(|rule| rule["to"].as_array()).flatten() {
        way.extend(to.as_str().map(str::to_owned).filter(|to| !way.contains(to)));
    }
    if way.last().is_none_or(|last| last != "user") {
        way.retain(|one| one != "user");
        way.push("user".to_owned());
    }
    way
}
