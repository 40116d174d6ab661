//! What really happened to a worker, from how it ended and what it said.

use crate::STAGE;
use crate::answer::Answer;
use supervise::{Ended, Stop};
use wire::order::{Category, Halt, Outcome, WorkerStatus};

/// The outcome of a run.
pub(crate) fn outcome(ended: &Ended, answer: Option<&Answer>, changed: bool) -> Outcome {
    match ended.stop {
        Stop::Timeout => Outcome::Timeout,
        Stop::Stall => Outcome::Stall,
        Stop::Interrupted => Outcome::Interrupted,
        Stop::NotFound | Stop::NotExecutable => Outcome::EnvMissing,
        Stop::Exited if ended.exit_code == Some(0) => match answer {
            None => Outcome::Malformed,
            Some(_) if changed => Outcome::Done,
            Some(_) => Outcome::NoChange,
        },
        _ => Outcome::Crashed,
    }
}

/// Why the order must not go on to its checks; `None` if it may.
pub(crate) fn halt(
    outcome: Outcome,
    status: WorkerStatus,
    ended: &Ended,
    answer: Option<&Answer>,
) -> Option<Halt> {
    let said = answer.and_then(|a| a.error.as_ref()).map_or("no reason given", |e| e.message.as_str());
    let (code, category, message) = match outcome {
        Outcome::Done | Outcome::NoChange => match status {
            WorkerStatus::Success => return None,
            WorkerStatus::Partial => {
                ("partial", Category::CodeError, "the worker did the task in part".to_owned())
            }
            WorkerStatus::Error => ("worker-error", Category::Unknown, format!("the worker gave up: {said}")),
            WorkerStatus::Unexpected => (
                "unexpected",
                Category::Unknown,
                "the worker's answer has no status that is known".to_owned(),
            ),
        },
        Outcome::Malformed => {
            ("malformed", Category::Unknown, "the worker ended without an answer in JSON".to_owned())
        }
        Outcome::Timeout => ("timeout", Category::Unknown, "the worker took too long".to_owned()),
        Outcome::Stall => ("stall", Category::Unknown, "the worker was silent for too long".to_owned()),
        Outcome::Interrupted => ("interrupted", Category::Unknown, "the worker was interrupted".to_owned()),
        Outcome::EnvMissing => {
            let error = ended.error.as_deref().unwrap_or("not found");
            ("worker-missing", Category::EnvError, format!("the worker cannot be started: {error}"))
        }
        _ => ("crashed", Category::Unknown, format!("the worker {}", how_it_ended(ended))),
    };
    // An answer that nobody understands is for a person; so is a program that is not there.
    let retry =
        !matches!(outcome, Outcome::Malformed | Outcome::EnvMissing) && status_may_retry(outcome, status);
    let counts = outcome != Outcome::Interrupted;
    Some(Halt { stage: STAGE.into(), code: code.into(), category, message, retry, counts, not_before: None })
}

fn status_may_retry(outcome: Outcome, status: WorkerStatus) -> bool {
    !(matches!(outcome, Outcome::Done | Outcome::NoChange) && status == WorkerStatus::Unexpected)
}

fn how_it_ended(ended: &Ended) -> String {
    match (ended.exit_code, ended.signal, &ended.error) {
        (Some(code), _, _) => format!("exited with {code}"),
        (_, Some(signal), _) => format!("was ended by signal {signal}"),
        (_, _, Some(error)) => format!("failed: {error}"),
        _ => "failed".to_owned(),
    }
}
