//! The history of a task, from the ledger: attempts used, open attempts, the last failure.
//!
//! Retry and resume are just the next round, and this module tells it what to do.

use crate::leases;
use crate::unclear;
use serde_json::Value;
use std::collections::HashMap;
use wire::digest::Sealed;
use wire::order::{Category, Halt, Hold};
use wire::punch::{Punch, Type};
use wire::{RunId, TaskId};

/// The history of one task.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct TaskHistory {
    /// The highest attempt that was begun.
    pub last_attempt: u32,
    /// How many attempts count against the limit.
    pub spent: u32,
    /// An attempt that was begun and not ended.
    pub open: Option<Open>,
    /// An attempt that ended and was neither halted nor ticked.
    pub ended: Option<Ended>,
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
    /// Whether a person judges its unclear checks.
    pub noted: bool,
}

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

/// The history of every task of a plan. Nothing is matched by id alone: records of another fingerprint say nothing
/// about attempts.
pub fn of_plan<'a>(
    records: &[Punch],
    plan: &str,
    tasks: impl Iterator<Item = (&'a TaskId, &'a wire::Fingerprint)>,
) -> HashMap<TaskId, TaskHistory> {
    let wanted: HashMap<&TaskId, &wire::Fingerprint> = tasks.collect();
    let mut out: HashMap<TaskId, TaskHistory> = HashMap::new();
    for record in records.iter().filter(|p| p.plan == plan) {
        let (Some(task), Some(fingerprint)) = (&record.task, &record.fingerprint) else { continue };
        for other in sharing(record) {
            out.entry(other.into()).or_default().refused(record);
        }
        if wanted.get(task) == Some(&fingerprint) {
            out.entry(task.clone()).or_default().take(record);
        }
    }
    out
}

/// The field of a halt that lists the other tasks of a failed commit.
pub const WITH: &str = "with";

fn sharing(record: &Punch) -> impl Iterator<Item = &str> {
    let with = record.data.pointer("/detail").and_then(|detail| detail.get(WITH)?.as_array());
    with.filter(|_| record.kind == Type::Halt).into_iter().flatten().filter_map(Value::as_str)
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
                self.tick = Some(record.run.clone());
                (self.undone, self.committed, self.owed) = (false, false, None);
            }
            Type::Untick => {
                let Self { last_attempt, hold, of, late, noted, .. } = std::mem::take(self);
                *self = Self { last_attempt, hold, of, late, noted, ..Self::default() };
            }
            Type::Commit => (self.committed, self.is_held, self.owed) = (true, false, None),
            Type::Override => {
                self.halt = None;
                self.noted |= record.key == unclear::NOTE;
            }
            _ => {}
        }
    }

    /// The last tick, unless the work was refused or begun again since.
    pub fn standing_tick(&self) -> Option<&RunId> {
        self.tick.as_ref().filter(|_| !self.undone)
    }

    /// The last tick no longer counts, and neither do the attempts that led to it.
    fn undo(&mut self) {
        if self.standing_tick().is_some() {
            (self.undone, self.spent, self.fixed, self.owed) = (true, 0, false, None);
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
        self.ended = None;
        self.alone = false;
        self.fixed |= record.data.get("fix").and_then(Value::as_bool) == Some(true);
    }

    fn end(&mut self, record: &Punch) {
        let attempt = record.attempt.unwrap_or(1);
        let result = record.data.get("result").and_then(|v| serde_json::from_value(v.clone()).ok());
        self.open = None;
        self.last_attempt = self.last_attempt.max(attempt);
        self.ended = Some(Ended { run: record.run.clone(), attempt, result });
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
        let batch = record.data.pointer("/detail/batch").and_then(Value::as_u64).is_some_and(|n| n > 1);
        // A ticked task is handed out only while its box is open. If its checks fail now, it is worked again; the
        // check itself is not an attempt. If they could not run, they still have to.
        let recheck = self.standing_tick().is_some();
        let judged = halt.counts || batch;
        if recheck && judged {
            self.undo();
        } else if halt.counts {
            self.spent += 1;
        }
        self.last_attempt = self.last_attempt.max(record.attempt.unwrap_or(0));
        self.alone = batch && !recheck;
        self.open = None;
        (self.is_held, self.halted_at) = (false, record.seq);
        // A refused tick says nothing about the work: it is checked again, not done again.
        if halt.stage != "checkbox" && (judged || !recheck) {
            self.ended = None;
        }
        self.failure = Some(Value::clone(&record.data));
        self.halt = Some((halt, record.run.clone()));
    }

    /// Whether another attempt may be made in `run`, and whether it is the one fix order. A halt that another
    /// attempt cannot fix stands for its own run: before the next run a person may have fixed the cause. It also
    /// stands for a run that shares the plan and began earlier, at line number `since`.
    pub fn may_try(&self, run: &RunId, since: Option<u64>, max_attempts: u32) -> Try {
        let holds = |of: &RunId| of == run || since.is_some_and(|since| self.halted_at > since);
        if self.halt.as_ref().is_some_and(|(halt, of)| !halt.retry && holds(of)) {
            return Try::No;
        }
        if self.spent < max_attempts {
            return Try::Yes;
        }
        let code_error = self.halt.as_ref().is_some_and(|(halt, _)| halt.category == Category::CodeError);
        if code_error && !self.fixed { Try::Fix } else { Try::No }
    }
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
    No,
}
