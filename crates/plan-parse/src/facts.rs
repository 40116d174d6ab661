//! `--show facts`: what a program that conducts a run needs to know about a plan.

use config::Config;
use std::collections::BTreeSet;
use toolkit::Fail;
use wire::facts::{Facts, SCHEMA};
use wire::{Plan, Task};

/// The facts about a plan.
pub(crate) fn of(plan: &Plan, config: &Config) -> Result<Facts, Fail> {
    let source = &plan.source;
    let open = || plan.tasks.iter().filter(|task| !task.state.is_settled());
    let is_checked = |task: &&Task| task.criteria.iter().any(|criterion| criterion.runnable);
    let named: BTreeSet<&String> = open().flat_map(|task| [&task.agent, &task.model]).flatten().collect();
    let files: BTreeSet<String> =
        open().flat_map(|task| task.files.iter().map(|file| file.path.clone())).collect();
    Ok(Facts {
        schema: SCHEMA.to_owned(),
        dialect: source.dialect.clone(),
        profile: config.profile(&source.dialect)?.name,
        root: source.root.clone(),
        path: source.path.clone(),
        tasks: plan.tasks.len() as u64,
        unchecked: open().filter(|task| !is_checked(task)).map(|task| task.id.clone()).collect(),
        agents: named.into_iter().cloned().collect(),
        files: files.into_iter().collect(),
        diagnostics: plan.diagnostics.clone(),
    })
}
