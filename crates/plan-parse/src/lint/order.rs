//! Rules about the order of tasks: that of the text, and the one that the plan states.

use super::{Finding, LintContext};
use wire::TaskId;

/// Tasks that depend on one further down.
pub(crate) fn forward(ground: &LintContext) -> Vec<Finding> {
    let mut found = Vec::new();
    for (index, task) in ground.plan.tasks.iter().enumerate() {
        for id in &task.depends_on {
            let later = ground.task(id.as_str()).filter(|other| *other > index);
            if let Some(other) = later.and_then(|other| ground.plan.tasks.get(other)) {
                let line = other.span.line;
                let message = format!("task '{}' depends on task '{id}' further down (line {line})", task.id);
                found.push(Finding::of(task, message));
            }
        }
    }
    found
}

/// Stated chains whose earlier members wait for later ones.
pub(crate) fn stated(ground: &LintContext) -> Vec<Finding> {
    let Some(strategy) = &ground.plan.strategy else { return Vec::new() };
    let chains = strategy.serial.iter().map(|chain| ("the stated chain", chain));
    let path = std::iter::once(("the stated critical path", &strategy.critical_path));
    chains.chain(path).flat_map(|(name, chain)| reversed(ground, name, chain)).collect()
}

fn reversed(ground: &LintContext, name: &str, chain: &[TaskId]) -> Vec<Finding> {
    let mut found = Vec::new();
    for pair in chain.windows(2) {
        let [earlier, later] = pair else { continue };
        let (Some(one), Some(other)) = (ground.task(earlier.as_str()), ground.task(later.as_str())) else {
            continue;
        };
        if ground.waits(one, other) != Some(true) {
            continue;
        }
        if let Some(task) = ground.plan.tasks.get(one) {
            let message = format!("{name} has task '{earlier}' before task '{later}', for which it waits");
            found.push(Finding::of(task, message));
        }
    }
    found
}
