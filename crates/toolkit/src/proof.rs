//! Proof: what a tick needs, derived again from ledger, plan, configuration and tree.
//!
//! A check counts when plan, task, fingerprint, the digest of the plan's or configuration's own command, tree
//! and run are all equal to what is derived now, when `gate-run` saw it itself, and when nothing later says
//! otherwise. The ledger alone never ticks anything.

use crate::config::{Config, GateRule};
use crate::sha;
use wire::plan::{Criterion, GATES, Kind};
use wire::punch::{Punch, SourceKind, Trust, Type};
use wire::{RunId, Task, TreeHash};

/// One check that a task must pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The key of its records.
    pub key: String,
    /// Digest of the command and what it must give.
    pub digest: String,
}

/// Why a task is not proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// The task has nothing that can be run.
    NothingToRun,
    /// These checks have no record that counts.
    Missing(Vec<String>),
}

/// The digest of a criterion's command and expectation.
pub fn digest_of(criterion: &Criterion) -> String {
    let expect = criterion.expect.as_ref().map_or("", |e| e.text.as_str());
    digest(criterion.command.as_deref().unwrap_or_default(), expect)
}

/// The digest of a command and what it must give.
pub fn digest(command: &str, expect: &str) -> String {
    sha::Hasher::new().with(command.as_bytes()).with(b"\0").with(expect.as_bytes()).finish()
}

/// The key of a configured gate's records.
pub fn gate_key(id: &str) -> String {
    format!("gate:{id}")
}

/// What a step of a runbook must leave behind, each the key of its records.
pub const CLEAN_TREE: &str = "step:clean-tree";
/// Its report, in a commit.
pub const REPORT: &str = "step:report";
/// At a checkpoint, nothing that the reviewer could not mend.
pub const REVIEW: &str = "step:review";

/// What a task is checked against besides its own criteria.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    /// The configuration, with the project's gates.
    pub config: &'a Config,
    /// Whether it is a step of a runbook in a repository: then its worker commits.
    pub steps: bool,
}

impl<'a> Ground<'a> {
    /// The ground of a plan of this dialect at this root.
    pub fn new(config: &'a Config, dialect: &str, root: &std::path::Path) -> Self {
        Self { config, steps: dialect == "runbook" && crate::root::has_git(root) }
    }
}

/// Whether a gate of the configuration is a check of the task: one that is set for tasks, at a checkpoint one that is set
/// for phases, or one for the moment that the task itself asks for.
pub fn is_for(task: &Task, gate: &GateRule) -> bool {
    let moment = task.extra.get(GATES).and_then(|moment| moment.as_str());
    let phase = task.kind == Kind::Checkpoint && gate.runs_at("phase");
    gate.runs_at("task") || phase || moment.is_some_and(|moment| gate.runs_at(moment))
}

/// Every check that a task must pass: its own runnable criteria, the gates set for tasks, and what a step leaves behind.
pub fn checks(task: &Task, ground: Ground<'_>) -> Vec<Check> {
    let own = task.criteria.iter().filter(|c| c.runnable && c.skip.is_none());
    let own = own.map(|c| Check { key: c.id.clone(), digest: digest_of(c) });
    let gates = ground.config.gates.iter().filter(|gate| is_for(task, gate));
    let gates = gates.map(|g| Check { key: gate_key(&g.id), digest: digest(&g.invocation, "") });
    let steps = [
        (CLEAN_TREE, true),
        (REPORT, task.report_path.is_some()),
        (REVIEW, task.report_path.is_some() && task.kind == Kind::Checkpoint),
    ];
    let steps = steps.into_iter().filter(|(_, asked)| *asked && ground.steps);
    let steps = steps.map(|(key, _)| Check { key: key.to_owned(), digest: digest(key, "") });
    own.chain(gates).chain(steps).collect()
}

/// Whether a task is proved, from the records alone.
pub fn proved(
    records: &[Punch],
    plan: &str,
    task: &Task,
    run: &RunId,
    tree: Option<&TreeHash>,
    ground: Ground<'_>,
) -> Result<(), Lack> {
    let about = |p: &&Punch| {
        p.plan == plan
            && p.task.as_ref() == Some(&task.id)
            && p.fingerprint.as_ref() == Some(&task.fingerprint)
            && &p.run == run
    };
    let checks = checks(task, ground);
    if checks.is_empty() {
        let accepted = |p: &Punch| p.kind == Type::Override && p.key == "accept-unproved";
        return if records.iter().filter(about).any(accepted) { Ok(()) } else { Err(Lack::NothingToRun) };
    }
    let passed = |check: &Check| {
        let last = records.iter().rev().filter(about).find(|p| {
            p.key == check.key && matches!(p.kind, Type::GatePass | Type::GateFail | Type::GateFault)
        });
        last.is_some_and(|p| {
            p.kind == Type::GatePass
                && p.trust == Trust::Observed
                && p.source.kind == SourceKind::Gate
                && p.source_hash.as_ref() == Some(&check.digest)
                && p.tree.as_ref() == tree
        })
    };
    let missing: Vec<_> = checks.iter().filter(|c| !passed(c)).map(|c| c.key.clone()).collect();
    if missing.is_empty() { Ok(()) } else { Err(Lack::Missing(missing)) }
}
