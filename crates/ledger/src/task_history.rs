//! The history of a task, from the ledger: attempts used, open attempts, the last failure.
//!
//! Retry and resume are just the next round, and this module tells it what to do.

use crate::proof::REVIEW;
use crate::recorder::OF_REVIEW;
use crate::{leases, level, unclear};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use wire::digest::Sealed;
use wire::order::{Category, Halt, Hold, MENDED, NOT_ACCEPTED, REVIEW_DISAGREES, UNCHANGED};
use wire::punch::{Punch, Trust, Type};
use wire::{Level, RunId, State, TaskId, TreeHash};

/// The history of one task.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct TaskHistory {
    /// The highest attempt that was begun.
    pub last_attempt: u32,
    /// How many attempts count against the limit: each is one call of a worker that failed.
    pub spent: u32,
    /// Whether the last two of them ended with the same tree and the same failed checks, or changed nothing.
    pub repeated: bool,
    /// An attempt that was begun and not ended.
    pub open: Option<Open>,
    /// An attempt that ended and was neither halted nor ticked.
    pub ended: Option<Ended>,
    /// The last attempt that ended, whatever became of it.
    pub last_ended: Option<Ended>,
    /// The last halt with its details.
    pub failure: Option<Value>,
    /// The last halt itself, with its run.
    pub halt: Option<(Halt, RunId)>,
    /// Whether the one fix order was used.
    pub fixed: bool,
    /// Whether the last failure came in a batch and must be tried alone.
    pub alone: bool,
    /// The last tick, with its run.
    pub tick: Option<RunId>,
    /// The level of evidence that it stands on.
    pub level: Option<Level>,
    /// Whether the work was refused or begun again after that tick. Its box is open again then, and the tick no
    /// longer counts: the task is treated as if it was never ticked.
    pub undone: bool,
    /// Whether the commit for that tick was made or skipped on record.
    pub committed: bool,
    /// Why the commit for that tick failed, if it was tried: it is owed until it is on record.
    pub owed: Option<String>,
    /// The last hold on the task, in any state.
    pub hold: Option<Hold>,
    /// Whether that hold is neither refused nor committed: then it keeps other runs off as long as it is good.
    pub is_held: bool,
    /// The run and the attempt of that hold.
    of: Option<(RunId, u32)>,
    /// The runs and attempts of earlier holds: their later records come too late and do not count.
    late: Vec<(RunId, u32)>,
    /// The number of the last halt's line.
    halted_at: u64,
    /// The run of the last halt since the last tick or attempt.
    halted_in: Option<RunId>,
    /// Whether a worker has begun an attempt that no halt has ended.
    at_work: bool,
    /// The checks that do not pass, by their last result.
    failing: BTreeSet<String>,
    /// The tree of the last of these results.
    failing_on: Option<TreeHash>,
    /// Whether the last worker ended badly, so that no check looked at what it left.
    unchecked: bool,
    /// Whether they ran again since the attempt that they refused.
    rechecked: bool,
    /// How the last attempt failed.
    last_failed: Option<(Option<TreeHash>, BTreeSet<String>)>,
    /// The checks of other tasks that its work broke, if its box was cleared for them.
    pub mend: Vec<String>,
    /// Whether a person judges its unclear checks.
    pub noted: bool,
    /// Whether its run marked it as failed in the plan when it gave it up.
    given_up: bool,
}

/// The halts of a worker that ended badly and broke no rule.
const ENDED_BADLY: [&str; 5] = ["malformed", "crashed", "timeout", "stall", "max-turns"];

/// An attempt that was begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// Its run.
    pub run: RunId,
    /// Its number.
    pub attempt: u32,
}

/// An attempt that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Its run.
    pub run: RunId,
    /// Its number.
    pub attempt: u32,
    /// The saved result.
    pub result: Option<Sealed>,
}

/// The `key` of the record by which a person gives a task all its attempts again.
pub const RETRY: &str = "retry";

/// The `key` of the record that gives a task a state.
pub const STATE: &str = "state";

/// The code of the failure of a task whose box was cleared.
pub const UNDONE: &str = "undone";

/// The code of a halt because the run was told to stop.
const INTERRUPTED: &str = "interrupted";

/// The history of every task of a plan. Nothing is matched by id alone: records of another fingerprint say nothing
/// about attempts.
pub fn of_plan<'a>(
    records: &[Punch],
    plan: &str,
    tasks: impl Iterator<Item = (&'a TaskId, &'a wire::Fingerprint)>,
) -> HashMap<TaskId, TaskHistory> {
    of_plan_since(records, plan, tasks, None)
}

/// The same, where failures up to the line with this number use up no attempts.
pub fn of_plan_since<'a>(
    records: &[Punch],
    plan: &str,
    tasks: impl Iterator<Item = (&'a TaskId, &'a wire::Fingerprint)>,
    forgiven: Option<u64>,
) -> HashMap<TaskId, TaskHistory> {
    Histories::new(plan, tasks.map(|(id, of)| (id.clone(), of.clone())), forgiven).take(records)
}

/// The histories of a plan's tasks, brought up to date with the records that were added.
#[derive(Debug, Clone)]
pub struct Histories {
    plan: String,
    wanted: HashMap<TaskId, wire::Fingerprint>,
    forgiven: Option<u64>,
    /// The same while it is not done.
    to_forgive: Option<u64>,
    /// How many records were taken, and the hash of the last one.
    taken: (usize, String),
    of: HashMap<TaskId, TaskHistory>,
}

impl Histories {
    /// Histories without records; failures up to the line `forgiven` use up no attempts.
    pub fn new(
        plan: &str,
        tasks: impl Iterator<Item = (TaskId, wire::Fingerprint)>,
        forgiven: Option<u64>,
    ) -> Self {
        let (plan, wanted) = (plan.to_owned(), tasks.collect());
        Self { plan, wanted, forgiven, to_forgive: forgiven, taken: (0, String::new()), of: HashMap::new() }
    }

    /// The histories that these records tell.
    pub fn take(mut self, records: &[Punch]) -> HashMap<TaskId, TaskHistory> {
        self.follow(records);
        self.of
    }

    /// Takes the records that were added to those of the last call, or all of them if those are no longer there.
    pub fn follow(&mut self, records: &[Punch]) -> &HashMap<TaskId, TaskHistory> {
        let (taken, last) = &self.taken;
        let is_there = *taken == 0 || records.get(taken - 1).is_some_and(|record| record.hash == *last);
        if !is_there {
            (self.taken, self.of, self.to_forgive) = ((0, String::new()), HashMap::new(), self.forgiven);
        }
        for record in &records[self.taken.0..] {
            if record.plan != self.plan {
                continue;
            }
            if self.to_forgive.is_some_and(|last| record.seq > last) {
                self.forgive();
            }
            let (Some(task), Some(fingerprint)) = (&record.task, &record.fingerprint) else { continue };
            for other in sharing(record) {
                self.of.entry(other.into()).or_default().refused(record);
            }
            if self.wanted.get(task) == Some(fingerprint) {
                self.of.entry(task.clone()).or_default().take(record);
            }
        }
        self.taken = (records.len(), records.last().map(|last| last.hash.clone()).unwrap_or_default());
        // What follows is later than that line: it was the last one when it was named.
        self.forgive();
        &self.of
    }

    fn forgive(&mut self) {
        if self.to_forgive.take().is_some() {
            self.of.values_mut().for_each(TaskHistory::forgive);
        }
    }
}

/// Halts by a worker's own word that another attempt is of no use.
const WORKER_SAID: [&str; 2] = ["worker-error", "unexpected"];

/// The field of a halt that lists the other tasks of a failed commit.
pub const WITH: &str = "with";

/// The other tasks of a failed commit.
pub(crate) fn sharing(record: &Punch) -> impl Iterator<Item = &str> {
    let data = (record.kind == Type::Halt).then_some(&record.data);
    let with = data.and_then(|data| data.pointer("/detail")?.get(WITH)?.as_array());
    with.into_iter().flatten().filter_map(Value::as_str)
}

impl TaskHistory {
    /// Adds the next record about the task; the caller must not pass records of another fingerprint.
    pub fn take(&mut self, record: &Punch) {
        if self.is_late(record) {
            return;
        }
        match record.kind {
            Type::AttemptBegin => self.begin(record),
            Type::Takeover => self.hold(record),
            Type::AttemptEnd => self.end(record),
            Type::Halt => self.halted(record),
            Type::Tick => {
                (self.tick, self.level) = (Some(record.run.clone()), level::of_tick(record));
                (self.undone, self.committed, self.owed) = (false, false, None);
                (self.at_work, self.halted_in, self.given_up) = (false, None, false);
            }
            Type::GatePass if record.trust == Trust::Observed => drop(self.failing.remove(&record.key)),
            Type::GateFail | Type::GateFault if record.trust == Trust::Observed => {
                self.rechecked |= self.halted_in.is_some();
                self.failing.insert(record.key.clone());
                self.failing_on.clone_from(&record.tree);
            }
            Type::Untick => {
                let Self { last_attempt, hold, of, late, noted, .. } = std::mem::take(self);
                let (failure, mend) = (undone(record), to_mend(record));
                *self = Self { last_attempt, failure, hold, of, late, mend, noted, ..Self::default() };
            }
            // What waited for a review is checked again, and may be ticked on it.
            Type::Review if record.data.get("agree").and_then(Value::as_bool) == Some(true) => {
                self.halt.take_if(|(halt, _)| halt.code == NOT_ACCEPTED);
            }
            Type::Commit => (self.committed, self.is_held, self.owed) = (true, false, None),
            Type::Override if record.key == RETRY => self.forgive(),
            // The run itself, and no person, writes down that it gives up.
            Type::Override if record.key == STATE && self.halted_in.as_ref() == Some(&record.run) => {
                self.given_up =
                    record.data.get("state").and_then(Value::as_str) == Some(State::Failed.word());
            }
            Type::Override => {
                self.halt = None;
                if record.key == "tick" {
                    self.level = Some(Level::Accepted);
                }
                self.noted |= record.key == unclear::NOTE;
            }
            _ => {}
        }
    }

    /// The failures so far use up no attempts any more. What failed stays known, and is checked again.
    fn forgive(&mut self) {
        (self.spent, self.fixed, self.repeated, self.rechecked) = (0, false, false, false);
        (self.last_failed, self.halt, self.given_up) = (None, None, false);
    }

    /// The attempt whose checks failed before this run: they run again before a worker starts. Where attempts are left
    /// that happens once, whatever the next run is called.
    pub fn recheck(&self, run: &RunId, has_attempts: bool) -> Option<&Ended> {
        let is_before = self.halted_in.as_ref().is_some_and(|of| of != run);
        // A reviewer's report says again what it said.
        let is_review = self.failing.contains(REVIEW);
        // One look at work that no check had seen is enough.
        let was_seen = self.rechecked && (has_attempts || self.unchecked);
        let is_settled = self.failing.is_empty() || is_review || was_seen;
        // Without attempts the work of a worker that ended badly may still be right, or a person may have mended it.
        let is_unseen = self.unchecked && !self.rechecked && !has_attempts;
        let is_due = is_before && (!is_settled || is_unseen);
        self.last_ended.as_ref().filter(|_| is_due && self.open.is_none())
    }

    /// Whether the work is there and waits only because its level of evidence is not accepted: another worker may review
    /// it.
    pub fn waits_for_review(&self) -> bool {
        let level = self.failure.as_ref().and_then(|failure| failure.pointer("/detail/level")?.as_str());
        self.ended.is_some()
            && self.halt.as_ref().is_some_and(|(halt, _)| halt.code == NOT_ACCEPTED)
            && level.and_then(Level::parse) == Some(Level::GatesOnly)
    }

    /// The last tick, unless the work was refused or begun again since.
    pub fn standing_tick(&self) -> Option<&RunId> {
        self.tick.as_ref().filter(|_| !self.undone)
    }

    /// The last tick no longer counts, and neither do the attempts that led to it.
    fn undo(&mut self) {
        if self.standing_tick().is_some() {
            (self.undone, self.spent, self.fixed, self.owed) = (true, 0, false, None);
            (self.repeated, self.last_failed) = (false, None);
        }
    }

    /// Whether it comes from a hold that another run has taken over.
    fn is_late(&self, record: &Punch) -> bool {
        let late = |(run, attempt): &(RunId, u32)| *run == record.run && Some(*attempt) == record.attempt;
        matches!(record.kind, Type::AttemptEnd | Type::Halt | Type::Tick) && self.late.iter().any(late)
    }

    fn hold(&mut self, record: &Punch) {
        let of = (record.run.clone(), record.attempt.unwrap_or(1));
        self.late.retain(|late| *late != of);
        self.late.extend(self.of.take().filter(|before| *before != of));
        self.of = Some(of);
        self.hold = Some(leases::of(record));
        self.is_held = true;
    }

    /// The hold that keeps other runs off as long as it is good: with a shared plan until the work is committed,
    /// otherwise while the worker is running.
    pub fn held(&self) -> Option<&Hold> {
        let hold = self.hold.as_ref()?;
        let holds = if hold.owner.lease_seconds.is_some() { self.is_held } else { self.open.is_some() };
        holds.then_some(hold)
    }

    fn begin(&mut self, record: &Punch) {
        let attempt = record.attempt.unwrap_or(1);
        self.hold(record);
        self.undo();
        self.last_attempt = self.last_attempt.max(attempt);
        self.open = Some(Open { run: record.run.clone(), attempt });
        (self.ended, self.halted_in) = (None, None);
        (self.at_work, self.rechecked, self.given_up) = (true, false, false);
        self.failing.clear();
        self.unchecked = false;
        self.alone = false;
        self.fixed |= record.data.get("fix").and_then(Value::as_bool) == Some(true);
    }

    fn end(&mut self, record: &Punch) {
        let attempt = record.attempt.unwrap_or(1);
        let result = record.data.get("result").and_then(|v| serde_json::from_value(v.clone()).ok());
        self.open = None;
        self.last_attempt = self.last_attempt.max(attempt);
        self.ended = Some(Ended { run: record.run.clone(), attempt, result });
        self.last_ended.clone_from(&self.ended);
    }

    /// A commit that failed is owed.
    fn refused(&mut self, record: &Punch) {
        let halt =
            halt_of(record).filter(|halt| halt.stage == "commit-run" && !leases::is_elsewhere(&halt.code));
        if let Some(halt) = halt.filter(|_| self.tick.is_some() && !self.committed) {
            self.owed = Some(halt.message);
        }
    }

    fn halted(&mut self, record: &Punch) {
        self.refused(record);
        let halt = halt_of(record);
        // A refused commit is not a failed attempt at the work.
        let of_work = |halt: &Halt| {
            (self.standing_tick().is_none() || halt.stage != "commit-run")
                && !leases::is_elsewhere(&halt.code)
        };
        let Some(halt) = halt.filter(of_work) else { return };
        // A review that did not come about says nothing about the work.
        if record.data.get(OF_REVIEW).is_some() && halt.code != REVIEW_DISAGREES {
            (self.halted_at, self.halt) = (record.seq, Some((halt, record.run.clone())));
            return;
        }
        let batch = record.data.pointer("/detail/batch").and_then(Value::as_u64).is_some_and(|n| n > 1);
        // A ticked task is handed out only while its box is open. If its checks fail now, it is worked again; the
        // check itself is not an attempt. If they could not run, they still have to.
        let recheck = self.standing_tick().is_some();
        let judged = halt.counts || batch;
        // The work that a reviewer refuses was halted before, since its level was not accepted.
        let worked = std::mem::take(&mut self.at_work) || halt.code == REVIEW_DISAGREES;
        if recheck && judged {
            self.undo();
        } else if halt.counts && worked {
            self.spend(&halt, record);
        }
        self.unchecked |= worked && halt.stage == "worker-run" && ENDED_BADLY.contains(&halt.code.as_str());
        self.last_attempt = self.last_attempt.max(record.attempt.unwrap_or(0));
        self.alone = batch && !recheck;
        self.open = None;
        (self.is_held, self.halted_at) = (false, record.seq);
        self.halted_in = Some(record.run.clone());
        // A refused tick says nothing about the work: it is checked again, not done again.
        if halt.stage != "checkbox" && (judged || !recheck) {
            self.ended = None;
        }
        // An interruption says nothing about the work: the next attempt begins where the interrupted one began.
        if halt.counts || halt.code != INTERRUPTED {
            self.failure = Some(Value::clone(&record.data));
        }
        self.halt = Some((halt, record.run.clone()));
    }

    /// A worker's attempt has failed. A stage that refuses a task before a worker starts uses up nothing.
    fn spend(&mut self, halt: &Halt, record: &Punch) {
        self.spent += 1;
        // A diagnosis that mended the cause leaves the rest of the step to its worker.
        if record.data.get("detail").is_some_and(|detail| detail.get(MENDED).is_some()) {
            return;
        }
        let failed = match (&self.failing_on, self.failing.is_empty()) {
            (Some(tree), false) => Some((Some(tree.clone()), self.failing.clone())),
            // No check failed, and nothing was done: the files are those of the last attempt.
            (_, true) if halt.code == UNCHANGED => Some((None, BTreeSet::from([halt.code.clone()]))),
            _ => return,
        };
        self.repeated |= self.last_failed == failed;
        self.last_failed = failed;
    }

    /// Whether another attempt may be made in `run`, and whether it is the one fix order. A halt that another
    /// attempt cannot fix stands for its own run: before the next run a person may have fixed the cause. What a worker
    /// itself has said stands until something changes or a person asks for more. A halt also
    /// stands for a run that shares the plan and began earlier, at line number `since`.
    pub fn may_try(&self, run: &RunId, since: Option<u64>, max_attempts: u32) -> Try {
        let holds = |of: &RunId| of == run || since.is_some_and(|since| self.halted_at > since);
        let is_said = |halt: &Halt| halt.counts && WORKER_SAID.contains(&halt.code.as_str());
        if self.halt.as_ref().is_some_and(|(halt, of)| !halt.retry && (holds(of) || is_said(halt))) {
            return Try::No(Over::Refused);
        }
        if self.given_up {
            return Try::No(Over::GivenUp);
        }
        if self.spent < max_attempts && !self.repeated {
            return Try::Yes;
        }
        let code_error = self.halt.as_ref().is_some_and(|(halt, _)| halt.category == Category::CodeError);
        if code_error && !self.fixed { Try::Fix } else { Try::No(self.over()) }
    }

    /// Why the ordinary attempts are over.
    pub fn over(&self) -> Over {
        if self.repeated { Over::Repeated } else { Over::Used }
    }
}

/// Why the box was cleared, for the next worker: in the form of a halt, which it is not.
fn undone(record: &Punch) -> Option<Value> {
    let reason = record.data.get("reason")?.as_str()?;
    let halt = Halt::new("checkbox", UNDONE, Category::Unknown, reason.to_owned());
    Some(json!({ "halt": Halt { counts: false, ..halt }, "detail": record.data.get("detail") }))
}

/// The checks that a box was cleared for although they belong to other tasks.
fn to_mend(record: &Punch) -> Vec<String> {
    let listed = record.data.pointer("/detail/mend").and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(|id| Some(id.as_str()?.to_owned())).collect()
}

fn halt_of(record: &Punch) -> Option<Halt> {
    serde_json::from_value(record.data.get("halt")?.clone()).ok()
}

/// Whether another attempt may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Try {
    /// An ordinary one.
    Yes,
    /// The one fix order after the attempts are used up.
    Fix,
    /// No further attempt.
    No(Over),
}

/// Why no further attempt is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Another attempt cannot mend what stopped the last one.
    Refused,
    /// A run gave it up, and nothing has changed since.
    GivenUp,
    /// The last two attempts ended with the same tree and the same failed checks, or changed nothing.
    Repeated,
    /// All attempts are used up.
    Used,
}
