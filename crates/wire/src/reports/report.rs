//! `report/1`: the state of a plan and its history.

use crate::history::{Attempt, Check, Ran, Review};
use crate::order::{Card, Halt, Tokens};
use crate::plan::Kind;
use crate::{Answer, Level, State, TaskId, is_false};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of this contract.
pub const SCHEMA: &str = "report/1";

/// Where a plan stands and what happened.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// Always `report/1`.
    pub schema: String,
    /// The plan's path as seen from the root.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub plan: String,
    /// The plan's own title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// The dialect it was read as.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dialect: String,
    /// When the report was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_at: Option<String>,
    /// Where the work went, like `PR #7`; locally where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// What comes next, where the report closes a round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// The figures of the whole plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Numbers>,
    /// The tasks: of the round, or of the whole plan.
    pub tasks: Vec<Line>,
    /// The machines that took part, by name; only where there were several, or runs shared the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<Host>,
    /// The last result of each check that belongs to the whole and not to one task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<Ran>,
    /// What the plan calls done, beside its tasks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<Goal>,
    /// Exported sessions, in the order of their chain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sessions: Vec<String>,
    /// Whether the records can be trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Trusted>,
    /// Files that were changed by workers or commits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// What git sees since the first attempt began, committed or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// What earlier tasks found out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub learnings: Vec<String>,
    /// What was found and not resolved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<String>,
    /// What is still open, one sentence each; empty means that nothing is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
}

/// One task of a report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line {
    /// The task.
    pub id: TaskId,
    /// What it is called.
    pub title: String,
    /// What sort of task it is.
    #[serde(default)]
    pub kind: Kind,
    /// Where it stands in the plan.
    pub state: State,
    /// Where it stands by plan and records together.
    #[serde(default)]
    pub stand: Stand,
    /// How it is known.
    pub proof: Proof,
    /// The level of evidence: of its tick, or of the work that waits for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The phase it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// The container it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskId>,
    /// The tasks that must be completed before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<TaskId>,
    /// The agent that the plan names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether it is on the longest chain of tasks.
    #[serde(default, skip_serializing_if = "is_false")]
    pub critical: bool,
    /// How many attempts were made.
    pub attempts: u32,
    /// Criteria of the plan.
    pub criteria: u32,
    /// Criteria that passed.
    pub passed: u32,
    /// Criteria that are left to a person.
    pub manual: u32,
    /// Milliseconds that its workers took.
    #[serde(default)]
    pub worker_ms: u64,
    /// Milliseconds that its checks took.
    #[serde(default)]
    pub gate_ms: u64,
    /// When its first attempt began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun_at: Option<String>,
    /// When something was last recorded about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_at: Option<String>,
    /// The commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Claimed as passed, measured as failed, over all attempts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub false_claims: Vec<String>,
    /// Why it is not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halt: Option<Halt>,
    /// Why a person decided otherwise, in their words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its criteria, each with the last that was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<Check>,
    /// Its latest attempts, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Attempt>,
    /// The reviews of its change, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<Review>,
    /// Tests that failed before the first task of the plan, and that this task fixed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<String>,
    /// How many attempts came before those.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub older: u32,
    /// What the last punch card said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
    /// How many sealed punches there are of each type.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub punches: BTreeMap<String, u64>,
    /// Its exported session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The summary or report that was written about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// Files that its attempts changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Records that are about an earlier text of the task and count for nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub outdated: u32,
    /// Whether the task was carried out in this round.
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_round: bool,
}

/// A machine that took part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Host {
    /// Its name.
    pub name: String,
    /// Attempts that were begun on it.
    pub attempts: u32,
    /// Tasks that are done by work of it.
    pub done: u32,
    /// Results that it took over from a run that was gone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub takeovers: u32,
}

/// How it is known that a task is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// It is not.
    #[default]
    None,
    /// By checks that ran.
    Verified,
    /// A person said so, on record.
    Overridden,
    /// The box is ticked, and no record says why.
    Unverified,
}

/// Where a task stands by plan and records together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stand {
    /// Ticked, and checks say why.
    Done,
    /// Ticked, and nothing on record says why.
    Unverified,
    /// A person said so, on record.
    Overridden,
    /// Left out on purpose.
    Skipped,
    /// A worker is at it.
    Running,
    /// Tried, and refused or given up.
    Failed,
    /// Waits for a task that failed or is for a person, or the plan says so.
    Blocked,
    /// For a person.
    Human,
    /// Its work is there and passes; its level of evidence waits to be accepted.
    Waiting,
    /// Its turn has not come.
    #[default]
    Pending,
}

impl Stand {
    /// Every one, in the order of reports.
    pub const ALL: [Stand; 10] = [
        Stand::Done,
        Stand::Unverified,
        Stand::Overridden,
        Stand::Skipped,
        Stand::Running,
        Stand::Failed,
        Stand::Blocked,
        Stand::Human,
        Stand::Waiting,
        Stand::Pending,
    ];

    /// The word used in JSON and in text.
    pub fn word(self) -> &'static str {
        match self {
            Stand::Done => "done",
            Stand::Unverified => "unverified",
            Stand::Overridden => "overridden",
            Stand::Skipped => "skipped",
            Stand::Running => "running",
            Stand::Failed => "failed",
            Stand::Blocked => "blocked",
            Stand::Human => "human",
            Stand::Waiting => "waiting",
            Stand::Pending => "pending",
        }
    }

    /// Whether the plan counts it as done.
    pub fn is_settled(self) -> bool {
        matches!(self, Stand::Done | Stand::Unverified | Stand::Overridden | Stand::Skipped)
    }
}

/// The figures of a whole plan. Nothing that a worker says is among them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Numbers {
    /// How many tasks there are, without containers.
    pub tasks: u32,
    /// How many of them stand how.
    pub stands: BTreeMap<String, u32>,
    /// How many ticks stand on which level of evidence.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: BTreeMap<String, u32>,
    /// How many tasks wait at which level, because it is weaker than what the project accepts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub waiting: BTreeMap<String, u32>,
    /// Criteria of all tasks.
    pub criteria: u32,
    /// Criteria that passed when they were last measured.
    pub passed: u32,
    /// Criteria that are left to a person.
    pub manual: u32,
    /// Attempts that ended.
    pub attempts: u32,
    /// Tasks that were tried at least once.
    pub tried: u32,
    /// Tasks that were ticked by their first attempt.
    pub first_pass: u32,
    /// `first_pass` of `tried`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_pass_rate: Option<f64>,
    /// Claims that checks contradicted.
    pub false_claims: u32,
    /// Milliseconds that workers took.
    pub worker_ms: u64,
    /// Milliseconds that checks took.
    pub gate_ms: u64,
    /// Milliseconds in which at least one task was worked on or checked.
    pub wall_ms: u64,
    /// Milliseconds of the longest chain of tasks, each with its own time: it cannot be done faster.
    pub critical_ms: u64,
    /// How many tasks were worked on at once, on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup: Option<f64>,
    /// The most that the dependencies allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup_bound: Option<f64>,
    /// `critical_ms` of `wall_ms`: 1 is as fast as the dependencies allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<f64>,
    /// What the attempts cost in dollars, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The tokens that the attempts used, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
}

/// Something that the plan calls done, beside its tasks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Goal {
    /// `note:N`, or the name of the plan's own check.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// As written.
    pub text: String,
    /// Whether its box is ticked.
    pub checked: bool,
    /// Whether it is still open; the plan is not done before a person settles it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub open: bool,
    /// Why a person put it off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deferred: Option<String>,
}

/// A file that git sees as changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// The file as seen from the root.
    pub path: String,
    /// `added`, `modified` or `deleted`.
    pub action: String,
    /// Lines that are new; absent for a file that is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
    /// Lines that are gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<u64>,
}

/// Whether the records can be trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trusted {
    /// Whether nothing is wrong.
    pub ok: bool,
    /// How many records the ledger has.
    pub records: u64,
    /// The hash of the last one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub head: String,
    /// Punch files that were sealed.
    pub seals: u64,
    /// Punches in them.
    pub punches: u64,
    /// Commits that vouch for a record.
    pub anchors: u64,
    /// Commits that name records of another ledger: another clone's, that of a worktree, or one that was removed.
    #[serde(default, skip_serializing_if = "no_commits")]
    pub elsewhere: u64,
    /// What is wrong, one sentence each; the first hundred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn no_commits(count: &u64) -> bool {
    *count == 0
}

/// `skip_serializing_if` for counts that are zero by default.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
