//! Tasks that were done and ask for something else now.

use crate::plan::PlanView;
use std::collections::HashMap;
use wire::punch::{Punch, Type};
use wire::{State, TaskId};

/// Completed tasks whose last tick was for another fingerprint: only those, not the plan.
pub(crate) fn find(sheet: &PlanView<'_>, records: &[Punch]) -> Vec<TaskId> {
    let mut ticked: HashMap<&str, &str> = HashMap::new();
    for record in records.iter().filter(|p| p.kind == Type::Tick && p.plan == sheet.source.path) {
        if let (Some(task), Some(fingerprint)) = (&record.task, &record.fingerprint) {
            ticked.insert(task.as_str(), fingerprint.as_str());
        }
    }
    let changed = |id: &str, fingerprint: &str| ticked.get(id).is_some_and(|then| *then != fingerprint);
    let done = sheet.tasks.iter().filter(|t| t.state == State::Completed);
    done.filter(|t| changed(&t.id, &t.fingerprint)).map(|t| (&*t.id.0).into()).collect()
}
