//! Remains of an interrupted attempt: processes, and the locks of a git process among them.

use repo::git::locks;
use std::path::Path;
use std::time::Duration;
use toolkit::cli::{env, tool};
use toolkit::files::fs;
use toolkit::{Exit, Fail};
use wire::Order;
use wire::order::ResumeStep;

/// Ends all processes of an interrupted attempt before the next one begins, and removes its git locks. With `shared`
/// a lock may belong to a git process elsewhere, and stays.
pub(crate) fn end(order: &Order, shared: bool) -> Result<(), Fail> {
    let Some(resume) = order.resume.as_ref().filter(|r| r.step == ResumeStep::Work) else { return Ok(()) };
    let old = order.attempt.saturating_sub(1);
    let mark = format!("{}/{}/{old}", resume.run, order.task.key);
    let left = supervise::processes::kill_all_with_env(env::ATTEMPT, &mark, Duration::from_secs(5));
    match left {
        Ok(0) | Err(_) if shared => Ok(()),
        Ok(0) | Err(_) => unlock(Path::new(&order.plan.root)),
        Ok(left) => {
            let message =
                format!("{left} processes of the interrupted attempt of task '{}' do not end", order.task.id);
            Err(Fail::new(Exit::Busy, "survivors", message))
        }
    }
}

/// Removes a lock that no process holds: it was the worker's.
pub(crate) fn unlock(root: &Path) -> Result<(), Fail> {
    let locks = locks::there(root);
    if locks.is_empty() || locks::are_held(root) {
        return Ok(());
    }
    for lock in locks {
        tool::note(&format!("worker-run: removing '{}', left by a worker that was cut off", lock.display()));
        fs::remove(&lock)?;
    }
    Ok(())
}
