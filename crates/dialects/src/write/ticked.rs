//! The ticked boxes of a plan at one moment, for comparison with a later one: code that runs in between (a worker, a
//! check) must not tick any.

use crate::PlanSnapshot;
use std::collections::HashSet;
use wire::plan::Kind;
use wire::punch::{Punch, Type};
use wire::{Plan, State};

/// The ticked boxes, by task, or as `note:N` if they belong to none.
#[derive(Debug, Clone, Default)]
pub struct Ticked(HashSet<String>);

impl Ticked {
    /// The ticked boxes of a plan. Containers are left out: their state follows from their parts.
    pub fn of(plan: &Plan) -> Self {
        let own = plan.tasks.iter().filter(|task| task.kind != Kind::Container);
        let done = own.filter(|task| task.state == State::Completed).map(|task| task.id.to_string());
        let notes = plan.notes.iter().enumerate().filter(|(_, note)| note.checked);
        Self(done.chain(notes.map(|(at, _)| format!("note:{}", at + 1))).collect())
    }

    /// The boxes ticked since without a record. A record comes before its tick, so the plan must be read before the
    /// records.
    pub fn unheard(&self, now: &PlanSnapshot, records: &[Punch]) -> Vec<String> {
        let plan = &now.plan.source.path;
        let heard = |id: &str| {
            let mut records = records.iter().filter(|r| r.plan == *plan);
            records.any(|record| {
                let kind = matches!(record.kind, Type::Tick | Type::Override | Type::Skip);
                let of_task = record.task.as_ref().is_some_and(|task| task.as_str() == id);
                kind && (of_task || record.key == id)
            })
        };
        let mut new: Vec<String> =
            Self::of(&now.plan).0.into_iter().filter(|id| !self.0.contains(id)).collect();
        new.retain(|id| !heard(id));
        new.sort();
        new
    }
}
