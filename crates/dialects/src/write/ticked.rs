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
        let mut new: Vec<String> =
            Self::of(&now.plan).0.into_iter().filter(|id| !self.0.contains(id)).collect();
        if new.is_empty() {
            return new;
        }
        let plan = &now.plan.source.path;
        let decides =
            |r: &&Punch| matches!(r.kind, Type::Tick | Type::Override | Type::Skip) && r.plan == *plan;
        let heard: HashSet<&str> = records.iter().filter(decides).flat_map(names).collect();
        new.retain(|id| !heard.contains(id.as_str()));
        new.sort();
        new
    }
}

/// The names of what a record is about.
fn names(record: &Punch) -> impl Iterator<Item = &str> {
    record.task.iter().map(wire::TaskId::as_str).chain([record.key.as_str()])
}
