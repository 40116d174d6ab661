//! A task that is added while the plan is carried out, checked before it is written: the plan must parse with it,
//! and with every other task as it was.

use crate::plan_file::PlanFile;
use dialects::write::{self, Added, Edit};
use ledger::pins::{PLAN_AFTER, PLAN_BEFORE};
use serde_json::{Value, json};
use toolkit::Fail;
use wire::{Plan, Task, TaskId};

/// A task that may be added.
pub(crate) struct Addition {
    /// The task as it would be parsed.
    pub(crate) task: Task,
    /// The edit that adds it.
    pub(crate) edit: Edit,
    /// The digest of the plan before and after.
    digests: [String; 2],
}

impl Addition {
    /// Adds both digests to the record, so that the change does not count as a worker's.
    pub(crate) fn note_in(&self, data: &mut Value) {
        let [before, after] = &self.digests;
        data[PLAN_BEFORE] = json!(before);
        data[PLAN_AFTER] = json!(after);
    }
}

/// The new task as it would be parsed after another one, and the edit that adds it.
pub(crate) fn read_with(file: &PlanFile, after: &Task, title: &str, body: &str) -> Result<Addition, Fail> {
    let (id, edit) = write::add(&file.field, &Added { after, title, body })?;
    let old = &file.field.plan.tasks;
    let kept = |new: &Plan| old.iter().all(|old| new.tasks.iter().any(|t| is_same(old, t, &id)));
    let read = file.after(std::slice::from_ref(&edit))?.filter(|(new, _)| kept(new));
    let found = read.and_then(|(new, digest)| {
        let task = new.tasks.into_iter().find(|task| task.id == id)?;
        Some(Addition { task, edit, digests: [file.field.blanked(), digest] })
    });
    found.ok_or_else(|| {
        let message = format!("the plan would not be read with a task '{id}' and the others as they are");
        Fail::data("cannot-add", message)
    })
}

/// Whether a task is unchanged. An open task that waits for all others waits for the added one too.
fn is_same(old: &Task, new: &Task, added: &TaskId) -> bool {
    let joins = || {
        let rest = new.depends_on.iter().filter(|id| *id != added);
        !old.state.is_settled() && old.title == new.title && rest.eq(old.depends_on.iter())
    };
    old.id == new.id && old.state == new.state && (old.fingerprint == new.fingerprint || joins())
}
