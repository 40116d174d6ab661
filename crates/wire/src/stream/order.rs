//! `order/1`: one ready task on its way through the pipe.
//!
//! `dag-next` writes `schema run plan task attempt why`; each later stage adds one field, named after what it adds.
//! [`FIELDS`] is the order of the stages.

use crate::digest::Sealed;
use crate::gate::{Gate, Status};
use crate::level::Level;
use crate::{Extra, RunId, Task, TaskId, TreeHash, is_false};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The name of this contract.
pub const SCHEMA: &str = "order/1";

/// The fields that stages add, in the order of the pipe.
pub const FIELDS: [&str; 11] = [
    "handoff", "before", "worker", "verdict", "card", "land", "combined", "session", "context", "tick",
    "commit",
];

/// The code of a halt whose task waits for others that only its own file names; its detail lists them under `for`.
pub const WAITS_FOR: &str = "waits-for";
/// The code of a halt because the project accepts only stronger evidence; its detail has the `level`.
pub const NOT_ACCEPTED: &str = "not-accepted";
/// The code of a halt of a task whose gate cannot be fitted, as its Fitter says.
pub const FITTER_RED: &str = "fitter-red";

/// The code word of a halt: the task has no check of its own, and its worker changed nothing.
pub const UNCHANGED: &str = "unchanged";
/// The template of the prompt for the agent that finds out why a step failed.
pub const DIAGNOSTIC: &str = "diagnostic";
/// The field of the last failure of an order whose task has all its attempts again.
pub const FRESH: &str = "fresh";
/// The field in the detail of a halt: a diagnosis mended the cause, in its own words, and left the step to its worker.
pub const MENDED: &str = "mended";
/// The code of a halt because the reviewer of a change does not agree.
pub const REVIEW_DISAGREES: &str = "review-disagrees";
/// The template of the prompt for the reviewer of a change, and the name of the agent that reviews.
pub const REVIEW: &str = "review";
/// The template of the prompt for the agent that proposes checks, and the name of that agent.
pub const CHECK: &str = "check";

/// The object under the one key that there is, if it is one of these.
pub fn only(values: &Map<String, Value>, names: &[&str]) -> Option<Map<String, Value>> {
    let (key, value) = values.iter().next().filter(|_| values.len() == 1)?;
    names.contains(&key.as_str()).then(|| value.as_object().cloned()).flatten()
}

/// One ready task with everything that the stages know about it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Order {
    /// Always `order/1`.
    pub schema: String,
    /// The run it belongs to.
    pub run: RunId,
    /// The plan it comes from.
    pub plan: PlanRef,
    /// The task, as in `plan/1`.
    pub task: Task,
    /// Which attempt at the task this is, counted from 1.
    pub attempt: u32,
    /// Why it is ready.
    pub why: Why,
    /// Where an earlier, interrupted run left off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
    /// The last failure of this task, for the fix prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<Value>,
    /// Checks of other tasks that its work broke: the attempt is judged by them as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mend: Vec<String>,
    /// The last hold on the task that was known when the order was made, where several runs share the plan: if there is
    /// another by now, another run was quicker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_hold: Option<LastHold>,
    /// Whether more orders may follow from what becomes of this one: then no stage may wait for the end of the stream.
    #[serde(default, skip_serializing_if = "is_false")]
    pub follow: bool,
    /// Added by `handoff`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Handoff>,
    /// Added by `gate-run --before`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Before>,
    /// Added by `worker-run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<Worker>,
    /// Added by `gate-run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Added by `punch checkpoint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
    /// Added by `commit-run land`, where the task has a tree of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub land: Option<Land>,
    /// Added by the `gate-run` behind it: the same checks, on the combined tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combined: Option<Verdict>,
    /// Added by `session-export`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionLink>,
    /// Added by `context-save`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// Added by `checkbox`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tick: Option<Tick>,
    /// Added by `commit-run`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<Commit>,
    /// Set by the stage that said no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halt: Option<Halt>,
}

impl Order {
    /// Whether several workers of a round had one tree.
    pub fn shares_its_tree(&self) -> bool {
        let several = |worker: &Worker| worker.worktree.is_none() && worker.batch.unwrap_or(1) > 1;
        self.worker.as_ref().is_some_and(several)
    }

    /// Whether only the checks run, without a worker.
    pub fn is_recheck(&self) -> bool {
        self.resume.as_ref().is_some_and(|resume| resume.step == ResumeStep::Recheck)
    }

    /// The outputs that the worker gives. What it wrongly nests once more, under `outputs` or under its own key, is
    /// unwrapped: no reference could ever find it there.
    pub fn given_outputs(&self) -> Map<String, Value> {
        let given = self.worker.as_ref().map(|worker| worker.outputs.clone()).unwrap_or_default();
        let mut values: Map<String, Value> = given.into_iter().collect();
        let own = format!("todo-{}", self.task.id);
        while let Some(inner) = only(&values, &["outputs", &own]) {
            if self.task.outputs.iter().any(|output| values.contains_key(&output.name)) {
                break;
            }
            values = inner;
        }
        values
    }

    /// What a diagnosis of the step says that it mended: `fixed: …`.
    pub fn mended(&self) -> Option<&str> {
        let is_diagnosis = self.handoff.as_ref().is_some_and(|handoff| handoff.template == DIAGNOSTIC);
        let worker = self.worker.as_ref().filter(|_| is_diagnosis)?;
        let said = [worker.verdict.as_deref().unwrap_or_default(), worker.summary.as_str()];
        let is_fixed = |text: &&str| text.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("fixed:"));
        said.into_iter().map(str::trim).find(is_fixed)
    }

    /// Whether the task's own worker tries it, though it failed before: a diagnosis mended the cause, its attempts were
    /// given back, or the failure says nothing about the work.
    pub fn is_resumed(&self) -> bool {
        let Some(failure) = &self.last_failure else { return false };
        let is_mended = failure.get("detail").is_some_and(|detail| detail.get(MENDED).is_some());
        let counts = failure.pointer("/halt/counts").and_then(Value::as_bool).unwrap_or(true);
        is_mended || !counts || failure.get(FRESH).is_some()
    }

    /// Whether its worker is asked to review the change of another one.
    pub fn is_review(&self) -> bool {
        self.handoff.as_ref().is_some_and(|handoff| handoff.template == REVIEW)
    }

    /// The level of evidence that the last checks gave: on the combined tree, where the work has landed.
    pub fn verdict_level(&self) -> Option<Level> {
        self.combined.as_ref().or(self.verdict.as_ref()).and_then(|verdict| verdict.level)
    }
}

/// The plan that an order comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanRef {
    /// As seen from the root.
    pub path: String,
    /// The dialect it was read as.
    pub dialect: String,
    /// The root folder.
    pub root: String,
    /// SHA-256 of the plan's main file when the order was made.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sha256: String,
}

/// Why a task is ready.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Why {
    /// `no dependencies` or `1, 2 done`.
    pub ready: String,
    /// The tasks that wait for this one alone or among others; the first thousand of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unblocks: Vec<TaskId>,
    /// Whether it is on the critical path.
    #[serde(default, skip_serializing_if = "is_false")]
    pub critical: bool,
    /// The rule that let it through.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// Whether it is the one fix order after the attempts are used up.
    #[serde(default, skip_serializing_if = "is_false")]
    pub fix: bool,
}

/// Where an earlier, interrupted run left off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Resume {
    /// The run that was interrupted.
    pub run: RunId,
    /// What is left to do with the attempt.
    pub step: ResumeStep,
    /// The worker's saved result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Sealed>,
}

/// What is left to do with an interrupted attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ResumeStep {
    /// The worker had begun and not ended: survivors are ended, the attempt is made again.
    Work,
    /// The worker had ended: its saved result is checked, no new worker.
    Check,
    /// Its checks failed before, or its box was cleared: they run on the main tree, without a worker.
    Recheck,
}

/// What `handoff` composed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Handoff {
    /// The packet: everything as data.
    pub packet: Sealed,
    /// The prompt: everything as text.
    pub prompt: Sealed,
    /// The inputs with their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, Value>,
    /// References that could not be resolved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<Unresolved>,
    /// The template of the prompt.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub template: String,
    /// The last link of the session chain, as it was when it was verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Sealed>,
    /// What was left out of the prompt for size, each by the path that has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// What a person should know; the order goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A reference that could not be resolved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unresolved {
    /// As written.
    pub reference: String,
    /// The task that should have produced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub producer: Option<TaskId>,
    /// Why there is no value.
    pub reason: String,
}

/// The checks of a task before its first attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Before {
    /// The tree that they ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeHash>,
    /// Each check with its result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<BeforeResult>,
    /// Why none ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// One check before the first attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BeforeResult {
    /// The check's id.
    pub id: String,
    /// Its result; absent where it did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// What was measured, or why it did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the ledger had the result already, for the same tree and command.
    #[serde(default, skip_serializing_if = "is_false")]
    pub reused: bool,
}

/// What a worker says of its own work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum WorkerStatus {
    /// Done, it says.
    Success,
    /// Not done, it says.
    Error,
    /// Done in part, it says.
    Partial,
    /// It said nothing that can be read.
    Unexpected,
}

/// What really happened to a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ended by itself with a result that can be read.
    Done,
    /// The same, and the tree is as it was.
    NoChange,
    /// Its result cannot be read.
    Malformed,
    /// It was not allowed to do something.
    Denied,
    /// The service asked to slow down.
    RateLimited,
    /// The service did not accept the credentials.
    AuthError,
    /// The service failed.
    ApiError,
    /// The wall clock ran out.
    Timeout,
    /// It was silent for too long.
    Stall,
    /// It used up its turns.
    MaxTurns,
    /// It ended with an error or a signal.
    Crashed,
    /// We were told to stop.
    Interrupted,
    /// Its program is not there.
    EnvMissing,
}

/// The tokens of a model that were used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tokens {
    /// Everything that the model read, from a cache or not.
    pub input: u64,
    /// Everything that it wrote, shown or not.
    pub output: u64,
    /// The part of `input` that came from a cache.
    #[serde(default)]
    pub cached: u64,
}

impl Tokens {
    /// Input and output.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// The sum of all that are known; `None` if none is.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        all.into_iter().reduce(|a, b| Self {
            input: a.input.saturating_add(b.input),
            output: a.output.saturating_add(b.output),
            cached: a.cached.saturating_add(b.cached),
        })
    }
}

/// What a worker did and claims.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Worker {
    /// What it says of its own work.
    pub status: WorkerStatus,
    /// What really happened.
    pub outcome: Outcome,
    /// Which worker it was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// In its own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The values it gives.
    #[serde(default, skip_serializing_if = "Extra::is_empty")]
    pub outputs: Extra,
    /// What it claims about the criteria.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// What it found out and applied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learnings: Vec<String>,
    /// What it found and did not resolve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<String>,
    /// What it decided.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    /// Files it says it made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_created: Vec<String>,
    /// Files it says it changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_modified: Vec<String>,
    /// What it says about tests.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub tests: Value,
    /// What it says it mended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<String>,
    /// What it did not like about the quality of its own work.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Why it gave up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<WorkerError>,
    /// What it says came of the work, where it is asked for it: `blocked: …`, `UNFIXABLE: …` and the like stop the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Whether it says that the preparation is valid: `PASS` or `FAIL`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validity: Option<String>,
    /// Who takes over if the attempt fails, where the workflow escalates: a model, a worker or `user`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalates_to: Option<String>,
    /// The task that it says is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adaptation: Option<Adaptation>,
    /// The model that its own record names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_model_reported: Option<String>,
    /// The mode that its own record names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_mode_reported: Option<String>,
    /// `same`, `other` or `unknown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_match: Option<String>,
    /// Its own record: as seen from the root, or absolute where it lies outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// The client's own name for the session; a record that holds several needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Everything it printed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub log: String,
    /// Its exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<i32>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Wall-clock milliseconds.
    pub duration_ms: u64,
    /// What it cost in dollars, where `[prices]` or its own record says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The tokens that it used, where its own record says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// The tree before it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_before: Option<TreeHash>,
    /// The tree after it and all its processes had ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_after: Option<TreeHash>,
    /// Files that differ between the two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_files: Vec<String>,
    /// Changed files that the task does not declare, where it declares any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undeclared_files: Vec<String>,
    /// Files that changed while other workers used the same tree, and that neither a task declares nor this worker's own
    /// record names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unattributed_files: Vec<String>,
    /// What is odd about the result or the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// How many workers shared the tree in this round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
    /// The tree of its own that it worked in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    /// By which hold it works for the order, where several runs share the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<Hold>,
}

/// Who has a task in hand, and by which number.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hold {
    /// The number of the ledger's line that says so. Whoever takes the task over has a higher one, and a result with the
    /// lower is refused.
    pub number: u64,
    /// Who it is.
    pub owner: Owner,
}

/// The process that has a task in hand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Owner {
    /// The machine's name, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// The table of processes in which the number below means something: one boot of one machine or container.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// Its process.
    pub pid: u32,
    /// When that process started, in clock ticks since boot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_time: Option<u64>,
    /// For how many seconds the hold is good unless it is renewed; absent where the whole plan is one run's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_seconds: Option<u64>,
}

/// The last hold on a task when its order was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LastHold {
    /// Its number.
    pub number: u64,
    /// Its owner's last sign of life, where the hold was found to have run out: one more sign, and it has not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beat: Option<String>,
}

/// A linked worktree of git for one attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Worktree {
    /// As seen from the root.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// The commit that the work began from: the main tree as it was then.
    pub base: String,
}

/// What a worker claims about one criterion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    /// The worker's name for it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Its category.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// In the worker's words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The command it says it ran.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// `PASS`, `FAIL` or `SKIP`.
    pub status: String,
    /// Why it failed or was skipped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// Why a worker gave up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkerError {
    /// A word for programs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// A sentence for people.
    pub message: String,
    /// Whether trying again is worth it, as far as the worker knows.
    #[serde(default)]
    pub retry_recommended: bool,
    /// What should be different then.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub retry_hint: String,
}

/// A task that a worker found missing in the plan, as it says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Adaptation {
    /// `scope_violation`, `dod_gap` or `dependency_missing`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub blockage_type: String,
    /// What it would be called.
    pub title: String,
    /// Why it is needed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What is to be done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// Whether it belongs to what the plan asks for: to the task itself, or to the definition of done.
    #[serde(default)]
    pub within_scope: bool,
}

/// How the checks of a task came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum VerdictStatus {
    /// At least one check ran, and every runnable one passed on the tree that is there now.
    Verified,
    /// A check failed.
    Failed,
    /// A check gave no verdict.
    Fault,
    /// Nothing could be run: not a pass.
    Unproved,
}

/// What the checks said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// How the checks came out.
    pub status: VerdictStatus,
    /// The level of evidence that the ledger has for the task now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The tree that the checks ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<TreeHash>,
    /// How much was covered.
    pub coverage: Coverage,
    /// Each criterion of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<CriterionResult>,
    /// Each check that was run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Gate>,
    /// Claimed pass, measured fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mismatches: Vec<String>,
    /// What stopped the checks from giving a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// How many criteria were covered how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Coverage {
    /// Run by us.
    pub ran: u32,
    /// Left to a person.
    pub manual: u32,
    /// Skipped with a reason.
    pub skipped: u32,
}

/// How one criterion came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CriterionStatus {
    /// It is true.
    Pass,
    /// It is not.
    Fail,
    /// Left out, with a reason.
    Skip,
    /// For a person.
    Manual,
    /// No verdict.
    Fault,
}

/// How one criterion came out, and how that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CriterionResult {
    /// The criterion's id.
    pub id: String,
    /// How it came out.
    pub status: CriterionStatus,
    /// What was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What was expected, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// What was measured, or why nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How it came out before the work, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Status>,
    /// `worker` where the command is the worker's own and not the plan's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What a punch card said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Card {
    /// The card's name; absent where none is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// How it came out.
    pub status: CardStatus,
    /// Required rows without a hit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Forbidden rows with a hit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<String>,
    /// Every row with its hits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<CardRow>,
    /// Where the evidence comes from.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub provenance: Value,
}

/// How a card came out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CardStatus {
    /// Every row is as it should be.
    Pass,
    /// A row is not.
    Fail,
    /// There is nothing to judge by: never a pass.
    NoEvidence,
    /// No card is asked for.
    #[default]
    None,
}

/// One row of a card with its hits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CardRow {
    /// The type of punch.
    #[serde(rename = "type")]
    pub kind: String,
    /// The pattern of its key.
    pub pattern: String,
    /// `required`, `forbidden`, `limit` or `optional`.
    pub rule: String,
    /// How many punches match.
    pub hits: u64,
    /// Whether the row is as it should be.
    pub ok: bool,
    /// How many there must be, where it is not one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<u64>,
    /// How many there may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
    /// `last-edit` where only what came after the last edit counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// `main` or `sub` where only one of them counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether it is only shown and decides nothing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub shown_only: bool,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What does not count and why, by line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The task's own link in the session chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionLink {
    /// The exported session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// SHA-256 of the exported session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The link before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Sealed>,
    /// How many thoughts of each stage.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stage_counts: BTreeMap<String, u64>,
    /// How many thoughts this task added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
    /// What the link lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// What was saved for later tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Context {
    /// How many outputs.
    pub outputs: u32,
    /// How many learnings.
    pub learnings: u32,
    /// How many issues.
    pub issues: u32,
    /// How many decisions.
    pub decisions: u32,
    /// Outputs that the task does not declare.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undeclared: Vec<String>,
    /// Outputs that the task declares and the worker did not give.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Tasks whose saved outputs are nested once too deep, so that no reference finds them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nested: Vec<TaskId>,
    /// The summary that was written, where the dialect has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// What `checkbox` did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tick {
    /// Whether the plan file changed.
    pub changed: bool,
    /// The level of evidence that the tick stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The mark that is there now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// Criteria whose boxes were ticked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// Criteria that are left to a person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub manual: Vec<String>,
    /// The reason of the person who judges the unclear checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unclear: Option<String>,
    /// Why nothing was ticked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// What became of a task that the worker found missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapted: Option<Adapted>,
}

/// What became of a task that a worker found missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Adapted {
    /// The task as it was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Why none was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// What `commit-run land` brought into the main tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Land {
    /// The files that changed in the main tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The commits that the worker had made, as they are in the main tree's branch now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<String>,
    /// Why nothing was brought in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// What `commit-run` did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Commit {
    /// The commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The files in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Changes that the row does not name, left alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<String>,
    /// Why no commit was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
}

/// Whose fault a halt is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// The machine: permissions, network, keys, programs.
    EnvError,
    /// The work.
    CodeError,
    /// The plan.
    PlanError,
    /// Nobody can tell.
    Unknown,
}

/// A stage said no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Halt {
    /// The stage.
    pub stage: String,
    /// A stable kebab-case word.
    pub code: String,
    /// Whose fault it is.
    pub category: Category,
    /// A sentence for people.
    pub message: String,
    /// Whether another attempt may help.
    pub retry: bool,
    /// Whether it spends an attempt.
    pub counts: bool,
    /// Not to be tried again before this time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<String>,
}

impl Halt {
    /// A halt that spends an attempt, and that another attempt may mend.
    pub fn new(stage: &str, code: &str, category: Category, message: String) -> Self {
        let (stage, code) = (stage.to_owned(), code.to_owned());
        Self { stage, code, category, message, retry: true, counts: true, not_before: None }
    }
}
