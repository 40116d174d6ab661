//! Stops using a worker for a while, or completely: the service refuses it, or its program is missing.
//!
//! A rate limit applies to all jobs of that worker and counts as no attempt of theirs. The wait doubles with each
//! consecutive failure; after [`MOST`] of them waiting ends.

use std::collections::HashMap;
use toolkit::cli::clock::Clock;
use wire::Order;
use wire::order::{Category, Halt, Outcome};
use wire::punch::{Punch, Type};

/// Seconds of the first wait, and of the longest.
const FIRST: u32 = 15;
const LONGEST: u32 = 900;
/// The maximum number of consecutive failures.
const MOST: u32 = 8;

/// Outcomes that are the fault of the worker, not of the task.
const TROUBLE: [Outcome; 4] =
    [Outcome::RateLimited, Outcome::ApiError, Outcome::AuthError, Outcome::EnvMissing];

/// The workers of one round that must not be used again in it.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    open: HashMap<String, Halt>,
}

impl Breaker {
    /// Remembers a halt that applies to every job of the worker.
    pub(crate) fn note(&mut self, worker: &str, outcome: Outcome, halt: &Halt) {
        if TROUBLE.contains(&outcome) {
            self.open.insert(worker.to_owned(), halt.clone());
        }
    }

    /// Why this worker must not be used now.
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

/// Whether the attempt at the task before this one was interrupted.
pub(crate) fn was_interrupted(records: &[Punch], order: &Order) -> bool {
    let of_task = |record: &&Punch| {
        record.kind == Type::AttemptEnd
            && record.plan == order.plan.path
            && record.task.as_ref() == Some(&order.task.id)
    };
    records.iter().rev().find(of_task).and_then(outcome_of) == Some(Outcome::Interrupted)
}

fn outcome_of(record: &Punch) -> Option<Outcome> {
    serde_json::from_value(record.data.get("outcome")?.clone()).ok()
}

/// When the worker may be asked again after another failure; `None` if it failed too often in a row.
pub(crate) fn not_before(records: &[Punch], worker: &str, clock: &Clock) -> Option<String> {
    let strikes = strikes(records, worker);
    (strikes < MOST).then(|| clock.after(LONGEST.min(FIRST << strikes)))
}

/// How many of the worker's latest attempts in a row ended with a fault of its own.
fn strikes(records: &[Punch], worker: &str) -> u32 {
    let ends = records.iter().rev().filter(|r| r.kind == Type::AttemptEnd && r.key == worker);
    let in_trouble = |record: &&Punch| outcome_of(record).is_some_and(|outcome| TROUBLE.contains(&outcome));
    u32::try_from(ends.take_while(in_trouble).count()).unwrap_or(MOST)
}
