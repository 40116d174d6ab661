//! What an interrupted attempt left running.

use std::time::Duration;
use toolkit::{Exit, Fail, env};
use wire::Order;
use wire::order::ResumeStep;

/// Nothing of an interrupted attempt may be alive when the next one begins.
pub(crate) fn end(order: &Order) -> Result<(), Fail> {
    let Some(resume) = order.resume.as_ref().filter(|r| r.step == ResumeStep::Work) else { return Ok(()) };
    let old = order.attempt.saturating_sub(1);
    let mark = format!("{}/{}/{old}", resume.run, order.task.key);
    let left = supervise::procs::kill_all_with_env(env::ATTEMPT, &mark, Duration::from_secs(5));
    match left {
        Ok(0) | Err(_) => Ok(()),
        Ok(left) => {
            let message =
                format!("{left} processes of the interrupted attempt of task '{}' do not end", order.task.id);
            Err(Fail::new(Exit::Busy, "survivors", message))
        }
    }
}
