//! What an interrupted attempt left: processes, and the locks of a git that was among them.

use std::path::Path;
use std::time::Duration;
use toolkit::{Exit, Fail, env, fs, git_locks, tool};
use wire::Order;
use wire::order::ResumeStep;

/// Nothing of an interrupted attempt may be alive when the next one begins, nor stop its git. With `shared` the lock may be
/// that of a git elsewhere, and stays.
pub(crate) fn end(order: &Order, shared: bool) -> Result<(), Fail> {
    let Some(resume) = order.resume.as_ref().filter(|r| r.step == ResumeStep::Work) else { return Ok(()) };
    let old = order.attempt.saturating_sub(1);
    let mark = format!("{}/{}/{old}", resume.run, order.task.key);
    let left = supervise::procs::kill_all_with_env(env::ATTEMPT, &mark, Duration::from_secs(5));
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

/// A lock that nobody holds any more was the worker's.
fn unlock(root: &Path) -> Result<(), Fail> {
    let locks = git_locks::there(root);
    if locks.is_empty() || git_locks::are_held(root) {
        return Ok(());
    }
    for lock in locks {
        tool::note(&format!("worker-run: removing '{}', left by a worker that was cut off", lock.display()));
        fs::remove(&lock)?;
    }
    Ok(())
}
