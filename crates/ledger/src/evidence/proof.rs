//! The checks that a task must pass: its own, the gates for tasks, and what a step leaves behind.

use crate::verdict::{self, Scope};
use config::profile::Profile;
use config::{Config, GateRule};
use toolkit::files::sha;
use wire::Task;
use wire::plan::{Criterion, GATES, Kind};
use wire::punch::{Punch, Type};

/// One check that a task must pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The key of its records.
    pub key: String,
    /// Digest of the command and its expected result.
    pub digest: String,
    /// Whether it is about this task and not about all of them.
    pub own: bool,
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

/// Of a task that declares outputs: one that is missing refuses the attempt until another one, or a later look at it.
pub const OUTPUTS: &str = "step:outputs";

/// The record that refuses the last attempt at a task for outputs that are missing, if they have not been found since.
pub fn missing_outputs<'r>(records: &'r [Punch], plan: &str, task: &Task) -> Option<&'r Punch> {
    let task = Scope::of_task(plan, task);
    let last = verdict::latest_observed(records, &Scope { key: Some(OUTPUTS), ..task })?;
    let is_later = |p: &Punch| p.seq > last.seq && p.kind == Type::AttemptEnd && task.holds(p);
    (last.kind == Type::GateFail && !records.iter().any(is_later)).then_some(last)
}

/// What decides about a task's checks besides its own criteria.
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
    let own = own.map(|c| Check { key: c.id.clone(), digest: digest_of(c), own: true });
    let gates = ground.config.gates.iter().filter(|gate| is_for(task, gate, ground.profile));
    let gates = gates.map(|g| Check {
        key: gate_key(&g.id),
        digest: digest(&g.invocation, ""),
        own: is_own(task, g, ground.profile),
    });
    let steps = [(CLEAN_TREE, true), (REPORT, task.report_path.is_some()), (REVIEW, is_review(task))];
    let steps = steps.into_iter().filter(|(_, asked)| *asked && ground.steps);
    let steps = steps.chain([(ANSWER, true)].into_iter().filter(|_| task.is_inspection()));
    let steps =
        steps.map(|(key, _)| Check { key: key.to_owned(), digest: digest(key, ""), own: key == ANSWER });
    own.chain(gates).chain(steps).collect()
}
