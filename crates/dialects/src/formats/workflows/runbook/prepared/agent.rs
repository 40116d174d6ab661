//! The agent of a prepared step, and the files that agents need.

use super::manifest::{Entry, Manifest};
use std::collections::BTreeSet;
use wire::Task;

/// The agent of a step: from its own line, its role, its phase or the plan, or the agent named after the runbook.
pub(crate) fn of(manifest: &Manifest, entry: &Entry, task: &Task, name: &str) -> Option<String> {
    if task.extra.get("form").is_some_and(|form| form == "inline") {
        return None;
    }
    let role = match entry.role.as_deref() {
        Some("TEST") => manifest.roles.get("tester agent"),
        Some("IMPLEMENT") => manifest.roles.get("implementer agent"),
        _ => None,
    };
    let phase = task.phase.as_ref().and_then(|phase| manifest.agents.get(phase));
    let plan = manifest.roles.get("agent").or_else(|| manifest.roles.get("prose"));
    let named = entry.agent.as_ref().or(role).or(phase).or(plan).cloned();
    named.or_else(|| (!name.is_empty()).then(|| format!("{name}-task")))
}

/// The files of the agents that a run needs, relative to the root. An agent of a plugin, `name:agent`, has no file
/// here.
pub(crate) fn files(manifest: &Manifest, name: &str) -> BTreeSet<String> {
    let roles = manifest.roles.values().chain(manifest.agents.values());
    let entries = manifest.entries.iter().filter_map(|entry| entry.agent.as_ref());
    let mut agents: BTreeSet<String> = roles.chain(entries).cloned().collect();
    if agents.is_empty() && !name.is_empty() {
        agents.insert(format!("{name}-task"));
    }
    let own = agents.into_iter().filter(|agent| !agent.contains([':', '/', ' ']));
    own.map(|agent| format!(".claude/agents/{agent}.md")).collect()
}
