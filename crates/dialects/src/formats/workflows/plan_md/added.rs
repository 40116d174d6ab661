//! Tasks that were added because another task cannot continue without them: `**Blocks**: TODO 3` below `TODO 3.a`.
//!
//! The blocked task waits for them while it is open. Its own requirements do not change, so its fingerprint stays the
//! same.

use crate::Plan;
use serde_json::Value;
use wire::{State, Task, TaskId};

/// Makes every open task wait for the tasks added for it.
pub(crate) fn join(plan: &mut Plan) {
    let added: Vec<(TaskId, TaskId)> =
        plan.tasks.iter().filter_map(|t| Some((t.id.clone(), outer(t)?))).collect();
    for (id, outer) in added {
        let waits = |task: &&mut Task| task.id == outer && task.state != State::Completed;
        if let Some(task) = plan.tasks.iter_mut().find(waits).filter(|task| !task.depends_on.contains(&id)) {
            task.depends_on.push(id);
        }
    }
}

/// The task that an added task belongs to and blocks.
fn outer(task: &Task) -> Option<TaskId> {
    let (outer, _) = task.id.as_str().rsplit_once('.')?;
    let blocks = task.extra.get("fields")?.get("blocks").and_then(Value::as_str)?;
    let meant = task.extra.contains_key("added") && blocks.trim() == format!("TODO {outer}");
    meant.then(|| TaskId(outer.to_owned()))
}
