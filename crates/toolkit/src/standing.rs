//! Where a task stands, from the ledger: attempts used, what is open, what failed last.
//!
//! Retry and resume are just the next round: this is where the next round learns what to do.

use crate::hold;
use serde_json::Value;
use std::collections::HashMap;
use wire::digest::Sealed;
use wire::order::{Category, Halt, Hold};
use wire::punch::{Punch, Type};
use wire::{RunId, TaskId};

/// Where one task stands.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Standing {
    /// The highest attempt that was begun.
    pub last_attempt: u32,
    /// How many attempts count against the limit.
    pub spent: u32,
    /// An attempt that was begun and not ended.
    pub open: Option<Open>,
    /// An attempt that ended and was neither refused nor ticked.
    pub ended: Option<Ended>,
    /// The last halt with its details.
    pub failure: Option<Value>,
    /// The last halt itself, with its run.
    pub halt: Option<(Halt, RunId)>,
    /// Whether the one fix order was used.
    pub fixed: bool,
    /// Whether the last failure came in a batch and must be tried alone.
    pub alone: bool,
    /// The tick that nothing has undone, with its run.
    pub tick: Option<RunId>,
    /// Whether the commit that belongs to that tick was made or left out on record.
    pub committed: bool,
    /// The last hold on the task, whatever became of it.
    pub hold: Option<Hold>,
    /// Whether it is neither refused nor committed: then it keeps others off for as long as it is good.
    pub is_held: bool,
    /// The run and the attempt of that hold.
    of: Option<(RunId, u32)>,
    /// Those of earlier holds: what they still record comes too late and tells nothing.
    late: Vec<(RunId, u32)>,
    /// The number of the last halt's line.
    halted_at: u64,
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

/// Where every task of a plan stands. Nothing is matched by id alone: records of another fingerprint tell
/// nothing about attempts.
pub fn of_plan<'a>(
    records: &[Punch],
    plan: &str,
    tasks: impl Iterator<Item = (&'a TaskId, &'a wire::Fingerprint)>,
) -> HashMap<TaskId, Standing> {
    let wanted: HashMap<&TaskId, &wire::Fingerprint> = tasks.collect();
    let mut out: HashMap<TaskId, Standing> = HashMap::new();
    for record in records.iter().filter(|p| p.plan == plan) {
        let (Some(task), Some(fingerprint)) = (&record.task, &record.fingerprint) else { continue };
        if wanted.get(task) == Some(&fingerprint) {
            out.entry(task.clone()).or_default().take(record);
        }
    }
    out
}

impl Standing {
    /// Takes the next record about the task; one of another fingerprint must not come here.
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
                self.committed = false;
            }
            Type::Untick => {
                let Self { last_attempt, hold, of, late, .. } = std::mem::take(self);
                *self = Self { last_attempt, hold, of, late, ..Self::default() };
            }
            Type::Commit => (self.committed, self.is_held) = (true, false),
            Type::Override => self.halt = None,
            _ => {}
        }
    }

    /// Whether it comes from a hold that another has taken over.
    fn is_late(&self, record: &Punch) -> bool {
        let late = |(run, attempt): &(RunId, u32)| *run == record.run && Some(*attempt) == record.attempt;
        matches!(record.kind, Type::AttemptEnd | Type::Halt | Type::Tick) && self.late.iter().any(late)
    }

    fn hold(&mut self, record: &Punch) {
        let of = (record.run.clone(), record.attempt.unwrap_or(1));
        self.late.retain(|late| *late != of);
        self.late.extend(self.of.take().filter(|before| *before != of));
        self.of = Some(of);
        self.hold = Some(hold::of(record));
        self.is_held = true;
    }

    /// The hold that keeps others off for as long as it is good: of a run that shares its plan until all is committed, of
    /// one that has it alone while its worker is at it.
    pub fn held(&self) -> Option<&Hold> {
        let hold = self.hold.as_ref()?;
        let holds = if hold.owner.lease_seconds.is_some() { self.is_held } else { self.open.is_some() };
        holds.then_some(hold)
    }

    fn begin(&mut self, record: &Punch) {
        let attempt = record.attempt.unwrap_or(1);
        self.hold(record);
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

    fn halted(&mut self, record: &Punch) {
        let halt: Option<Halt> = record.data.get("halt").and_then(|v| serde_json::from_value(v.clone()).ok());
        // A halt after the tick (a refused commit) is not a failed attempt at the work.
        let of_work = |halt: &Halt| self.tick.is_none() && !hold::is_elsewhere(&halt.code);
        let Some(halt) = halt.filter(of_work) else { return };
        if halt.counts {
            self.spent += 1;
        }
        self.last_attempt = self.last_attempt.max(record.attempt.unwrap_or(0));
        self.alone = record.data.pointer("/detail/batch").and_then(Value::as_u64).is_some_and(|n| n > 1);
        self.open = None;
        (self.is_held, self.halted_at) = (false, record.seq);
        // A tick that was refused says nothing about the work: it is checked again, not done again.
        if halt.stage != "checkbox" {
            self.ended = None;
        }
        self.failure = Some(Value::clone(&record.data));
        self.halt = Some((halt, record.run.clone()));
    }

    /// Whether another attempt may be made in `run`, and whether it is the one fix order. A halt that another
    /// attempt cannot mend holds for its own run: before the next one a person may have mended the cause. It holds as well
    /// for a run that shares the plan and began before it, with the line of the number `since`.
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

/// Whether another attempt may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Try {
    /// An ordinary one.
    Yes,
    /// The one fix order after the attempts are used up.
    Fix,
    /// None.
    No,
}
