//! When a worker is not to be asked for a while, or not at all: the service refuses it, or its program is not there.
//!
//! A rate limit holds for all jobs of that worker and spends no attempt of theirs. The wait doubles with each failure
//! in a row; after [`MOST`] of them nobody waits any longer.

use crate::outcome::Past;
use std::collections::HashMap;
use toolkit::clock::Clock;
use wire::Order;
use wire::order::{Category, Halt, Outcome};
use wire::punch::{Punch, Type};

/// Seconds of the first wait, and of the longest.
const FIRST: u32 = 15;
const LONGEST: u32 = 900;
/// So many failures in a row are enough.
const MOST: u32 = 8;

/// Outcomes that are the worker's trouble, not the task's.
const TROUBLE: [Outcome; 4] =
    [Outcome::RateLimited, Outcome::ApiError, Outcome::AuthError, Outcome::EnvMissing];

/// The workers of one round that must not be asked again in it.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    open: HashMap<String, Halt>,
}

impl Breaker {
    /// Remembers a halt that holds for every job of the worker.
    pub(crate) fn note(&mut self, worker: &str, outcome: Outcome, halt: &Halt) {
        if TROUBLE.contains(&outcome) {
            self.open.insert(worker.to_owned(), halt.clone());
        }
    }

    /// Why this worker is not to be asked now.
    pub(crate) fn stops(&self, worker: &str) -> Option<Halt> {
        self.open.get(worker).map(|cause| Halt {
            stage: crate::STAGE.into(),
            code: "worker-unavailable".into(),
            category: Category::EnvError,
            message: format!("not started: worker '{worker}' has trouble of its own ({})", cause.code),
            retry: cause.retry,
            counts: false,
            not_before: cause.not_before.clone(),
        })
    }
}

/// What the ledger says about the attempts before one that ended now.
pub(crate) fn past(records: &[Punch], order: &Order, worker: &str, ours: bool, clock: &Clock) -> Past {
    let of_task = |record: &&Punch| {
        record.kind == Type::AttemptEnd
            && record.plan == order.plan.path
            && record.task.as_ref() == Some(&order.task.id)
    };
    let last = records.iter().rev().find(of_task).and_then(outcome_of);
    Past {
        not_before: not_before(records, worker, clock),
        interrupted: !ours && last == Some(Outcome::Interrupted),
        hang_is_final: order.plan.dialect == "runbook",
    }
}

fn outcome_of(record: &Punch) -> Option<Outcome> {
    serde_json::from_value(record.data.get("outcome")?.clone()).ok()
}

/// When the worker may be asked again after one more failure; `None` if it failed too often in a row.
fn not_before(records: &[Punch], worker: &str, clock: &Clock) -> Option<String> {
    let strikes = strikes(records, worker);
    (strikes < MOST).then(|| clock.after(LONGEST.min(FIRST << strikes)))
}

/// How often in a row the worker's last attempts ended in trouble of its own.
fn strikes(records: &[Punch], worker: &str) -> u32 {
    let ends = records.iter().rev().filter(|r| r.kind == Type::AttemptEnd && r.key == worker);
    let in_trouble = |record: &&Punch| outcome_of(record).is_some_and(|outcome| TROUBLE.contains(&outcome));
    u32::try_from(ends.take_while(in_trouble).count()).unwrap_or(MOST)
}
