//! Proof: the evidence that a tick needs, derived again from ledger, plan, configuration and tree.
//!
//! A check counts if plan, task, fingerprint, the digest of the plan's or configuration's own command, tree and run
//! all equal what is derived now, if `gate-run` observed it itself, and if no later record contradicts it. The
//! ledger alone never ticks anything.

use crate::changed;
use crate::changed::TreeView;
use crate::unclear;
use config::profile::Profile;
use config::{Config, GateRule};
use toolkit::files::sha;
use wire::plan::{Criterion, GATES, Kind};
use wire::punch::{Punch, SourceKind, Trust, Type};
use wire::{RunId, Task};

/// One check that a task must pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The key of its records.
    pub key: String,
    /// Digest of the command and its expected result.
    pub digest: String,
}

/// Why a task is not proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// The task has no check to run.
    NothingToRun,
    /// These checks have no record that counts.
    Missing(Vec<String>),
    /// Everything passed, but the task has no check of its own, and nothing changed.
    Unchanged,
    /// These checks are unclear, each in words.
    Unclear(Vec<String>),
}

impl Lack {
    /// What is missing, and how to fix it.
    pub fn words(&self, task: &Task) -> String {
        match self {
            Lack::NothingToRun => "nothing was run that could prove it".to_owned(),
            Lack::Missing(keys) => format!("no pass on the present tree for {}", keys.join(", ")),
            Lack::Unclear(checks) => checks.join("; "),
            Lack::Unchanged => format!(
                "task {} has no check of its own, and the worker changed nothing: add \"Verify: `command`\" below it{}",
                task.id,
                if task.kind == Kind::Checkpoint { ", or a gate with when = [\"phase\"]" } else { "" }
            ),
        }
    }
}

/// The digest of a criterion's command and expectation.
pub fn digest_of(criterion: &Criterion) -> String {
    digest(criterion.command.as_deref().unwrap_or_default(), &criterion.required())
}

/// The digest of a command and its expected result.
pub fn digest(command: &str, expect: &str) -> String {
    sha::Hasher::new().with(command.as_bytes()).with(b"\0").with(expect.as_bytes()).finish()
}

/// The key of a configured gate's records.
pub fn gate_key(id: &str) -> String {
    format!("gate:{id}")
}

/// Keys of the records for what a step of a runbook must leave behind: a clean tree.
pub const CLEAN_TREE: &str = "step:clean-tree";
/// Its report, in a commit.
pub const REPORT: &str = "step:report";
/// In a review: no issue that the reviewer could not fix.
pub const REVIEW: &str = "step:review";
/// The answer of a worker that only inspects, see [`Task::is_inspection`].
pub const ANSWER: &str = "step:answer";

/// The context of a task's checks besides its own criteria.
#[derive(Debug, Clone, Copy)]
pub struct ProofContext<'a> {
    /// The configuration, with the project's gates.
    pub config: &'a Config,
    /// The policy of the plan's workflow.
    pub profile: &'a Profile,
    /// Whether the worker commits, so that what it leaves in the repository is checked.
    pub steps: bool,
}

impl<'a> ProofContext<'a> {
    /// The context of a plan at this root.
    pub fn new(config: &'a Config, profile: &'a Profile, root: &std::path::Path) -> Self {
        let steps = profile.worker_commits && toolkit::files::root::has_git(root);
        Self { config, profile, steps }
    }
}

/// Whether a gate of the configuration is a check of the task: one for a moment that the profile sets for tasks, at a
/// checkpoint one for a moment that it sets for checkpoints, or one for the moment that the task itself asks for. A task
/// that only inspects has none.
pub fn is_for(task: &Task, gate: &GateRule, profile: &Profile) -> bool {
    !task.is_inspection() && (gate.runs_at_any(&profile.task_gates) || is_own(task, gate, profile))
}

/// Whether a gate is about this task and not about all of them.
fn is_own(task: &Task, gate: &GateRule, profile: &Profile) -> bool {
    let moment = task.extra.get(GATES).and_then(|moment| moment.as_str());
    let phase = task.kind == Kind::Checkpoint && gate.runs_at_any(&profile.checkpoint_gates);
    phase || moment.is_some_and(|moment| gate.runs_at(moment))
}

/// Whether a task can be ticked only if something changed: it has no check of its own, and gates for all tasks pass
/// before the work as well as after it.
pub fn needs_change(task: &Task, ground: ProofContext<'_>) -> bool {
    let own = task.criteria.iter().any(|c| c.runnable && c.skip.is_none());
    !own && !task.is_inspection()
        && !ground.config.gates.iter().any(|gate| is_own(task, gate, ground.profile))
}

/// Whether the task reviews the work of others, so that its report may name an issue that the reviewer could not
/// fix: a checkpoint, or a step whose report is called a review.
pub fn is_review(task: &Task) -> bool {
    let report = task.report_path.as_deref().unwrap_or_default();
    let name = report.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let called = |stem: &str| stem.ends_with("-review") || stem.ends_with("-vet");
    !name.is_empty() && (task.kind == Kind::Checkpoint || name.strip_suffix(".md").is_some_and(called))
}

/// Every check that a task must pass: its own runnable criteria, the gates for tasks, and the results of a step.
pub fn checks(task: &Task, ground: ProofContext<'_>) -> Vec<Check> {
    let own = task.criteria.iter().filter(|c| c.runnable && c.skip.is_none());
    let own = own.map(|c| Check { key: c.id.clone(), digest: digest_of(c) });
    let gates = ground.config.gates.iter().filter(|gate| is_for(task, gate, ground.profile));
    let gates = gates.map(|g| Check { key: gate_key(&g.id), digest: digest(&g.invocation, "") });
    let steps = [(CLEAN_TREE, true), (REPORT, task.report_path.is_some()), (REVIEW, is_review(task))];
    let steps = steps.into_iter().filter(|(_, asked)| *asked && ground.steps);
    let steps = steps.chain([(ANSWER, true)].into_iter().filter(|_| task.is_inspection()));
    let steps = steps.map(|(key, _)| Check { key: key.to_owned(), digest: digest(key, "") });
    own.chain(gates).chain(steps).collect()
}

/// Whether a task is proved, from the records alone.
pub fn proved(
    records: &[Punch],
    plan: &str,
    task: &Task,
    run: &RunId,
    tree: Option<TreeView<'_>>,
    ground: ProofContext<'_>,
) -> Result<(), Lack> {
    let hash = tree.map(|tree| tree.hash);
    let about = |p: &&Punch| {
        p.plan == plan
            && p.task.as_ref() == Some(&task.id)
            && p.fingerprint.as_ref() == Some(&task.fingerprint)
            && &p.run == run
    };
    let unclear = unclear::open(records, plan, task);
    if !unclear.is_empty() {
        return Err(Lack::Unclear(unclear.into_iter().map(unclear::words).collect()));
    }
    let checks = checks(task, ground);
    let accepted = |p: &Punch| p.kind == Type::Override && p.key == "accept-unproved";
    let is_accepted = || records.iter().filter(about).any(accepted);
    if checks.is_empty() {
        return if is_accepted() { Ok(()) } else { Err(Lack::NothingToRun) };
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
                && p.tree.as_ref() == hash
        })
    };
    let missing: Vec<_> = checks.iter().filter(|c| !passed(c)).map(|c| c.key.clone()).collect();
    if !missing.is_empty() {
        return Err(Lack::Missing(missing));
    }
    let has_evidence = !needs_change(task, ground) || changed::is_there(records, plan, task, tree);
    if has_evidence || is_accepted() { Ok(()) } else { Err(Lack::Unchanged) }
}
