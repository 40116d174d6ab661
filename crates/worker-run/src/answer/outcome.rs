//! Determines the outcome of a worker from how it ended, what the client reports, and what it answered.

use crate::STAGE;
use crate::adapters::reading::{Fault, Reading};
use crate::answer::Answer;
use checks::fault_class;
use config::profile::Profile;
use serde_json::{Value, json};
use supervise::{Ended, Stop};
use wire::order::{Category, Halt, Outcome, Worker, WorkerStatus};
use wire::plan::Kind;
use wire::{Order, Task};

/// The outcome of a run, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) outcome: Outcome,
    pub(crate) message: String,
    /// Whether the same request would fail again.
    pub(crate) lasting: bool,
}

/// The outcome of a run with this time limit in seconds. Our own bounds come first, then a fault that the client
/// reports, then the answer.
pub(crate) fn finding(
    ended: &Ended,
    seconds: u64,
    reading: &Reading,
    answer: Option<&Answer>,
    changed: bool,
) -> Finding {
    let plain = |outcome, message: &str| Finding { outcome, message: message.to_owned(), lasting: false };
    match ended.stop {
        Stop::Timeout => return plain(Outcome::Timeout, "the worker took too long"),
        Stop::Stall => return plain(Outcome::Stall, "the worker was silent for too long"),
        Stop::Interrupted => return plain(Outcome::Interrupted, "the worker was interrupted"),
        Stop::NotFound | Stop::NotExecutable => {
            let error = ended.error.as_deref().unwrap_or("not found");
            let message = format!("the worker cannot be started: {error}");
            return Finding { outcome: Outcome::EnvMissing, message, lasting: true };
        }
        // On a busy machine the supervisor itself may be too late to report it.
        Stop::SupervisorLost if ended.elapsed_ms / 1000 >= seconds => {
            return plain(Outcome::Timeout, "the worker took too long, and its supervisor did not answer");
        }
        Stop::BadCwd | Stop::SpawnError | Stop::SupervisorLost => {
            return plain(Outcome::Crashed, ended.error.as_deref().unwrap_or("the worker failed"));
        }
        Stop::Exited | Stop::Signalled => {}
    }
    if let Some(Fault { outcome, message, lasting }) = reading.fault.clone() {
        return Finding { outcome, message: format!("the worker: {message}"), lasting };
    }
    if !reading.denied.is_empty() && !changed {
        let message = format!(
            "the worker was not allowed to use {}; see 'permissions' in plantools.toml",
            reading.denied.join(", ")
        );
        return Finding { outcome: Outcome::Denied, message, lasting: true };
    }
    match answer {
        None => plain(Outcome::Malformed, "the worker ended without an answer in JSON"),
        Some(_) if changed => plain(Outcome::Done, ""),
        Some(_) => plain(Outcome::NoChange, ""),
    }
}

/// The handling of an outcome other than a readable answer: its code, its category, whether another attempt may
/// follow, whether it counts as an attempt, and whether the next one must wait.
struct Rule {
    outcome: Outcome,
    code: &'static str,
    category: Category,
    retry: bool,
    counts: bool,
    waits: bool,
}

#[rustfmt::skip]
const RULES: [Rule; 11] = [
    Rule { outcome: Outcome::Malformed, code: "malformed", category: Category::Unknown, retry: false, counts: true, waits: false },
    Rule { outcome: Outcome::Denied, code: "denied", category: Category::EnvError, retry: false, counts: true, waits: false },
    Rule { outcome: Outcome::RateLimited, code: "rate-limited", category: Category::EnvError, retry: true, counts: false, waits: true },
    Rule { outcome: Outcome::AuthError, code: "auth-error", category: Category::EnvError, retry: false, counts: false, waits: false },
    Rule { outcome: Outcome::ApiError, code: "api-error", category: Category::EnvError, retry: true, counts: false, waits: true },
    Rule { outcome: Outcome::Timeout, code: "timeout", category: Category::Unknown, retry: true, counts: true, waits: false },
    Rule { outcome: Outcome::Stall, code: "stall", category: Category::Unknown, retry: true, counts: true, waits: false },
    Rule { outcome: Outcome::MaxTurns, code: "max-turns", category: Category::Unknown, retry: true, counts: true, waits: false },
    Rule { outcome: Outcome::Crashed, code: "crashed", category: Category::Unknown, retry: true, counts: true, waits: false },
    Rule { outcome: Outcome::Interrupted, code: "interrupted", category: Category::Unknown, retry: true, counts: false, waits: false },
    Rule { outcome: Outcome::EnvMissing, code: "worker-missing", category: Category::EnvError, retry: false, counts: true, waits: false },
];

/// The code of a halt for work that is done in part.
const PARTIAL: &str = "partial";

/// What the ledger says about the earlier attempts.
#[derive(Debug, Default)]
pub(crate) struct Past {
    /// When the worker may be asked again; `None` if it failed too often in a row.
    pub(crate) not_before: Option<String>,
    /// Whether the task's last attempt was interrupted too, and not by us.
    pub(crate) interrupted: bool,
    /// Whether a worker that hangs is not tried again.
    pub(crate) hang_is_final: bool,
}

/// Whether the worker is asked again only after a while.
pub(crate) fn waits(outcome: Outcome) -> bool {
    RULES.iter().any(|rule| rule.outcome == outcome && rule.waits)
}

/// Why the order must not proceed to its checks; `None` if it may.
pub(crate) fn halt(finding: &Finding, answer: Option<&Answer>, past: Past) -> Option<Halt> {
    let halt = |code: &str, category, message: String, retry, counts| Halt {
        stage: STAGE.into(),
        code: code.into(),
        category,
        message,
        retry,
        counts,
        not_before: None,
    };
    if let Some(rule) = RULES.iter().find(|rule| rule.outcome == finding.outcome) {
        let hangs = matches!(finding.outcome, Outcome::Timeout | Outcome::Stall);
        let retry = rule.retry && !finding.lasting && !(hangs && past.hang_is_final);
        // If there is no more waiting for the worker, a person must look.
        let (retry, not_before) = match (rule.waits, past.not_before) {
            (true, None) => (false, None),
            (true, wait) => (retry, wait.filter(|_| retry)),
            (false, _) => (retry, None),
        };
        // Once may be an accident; without counting, a worker that always ends like this would be retried forever.
        let counts = rule.counts || (finding.outcome == Outcome::Interrupted && past.interrupted);
        let halt = halt(rule.code, rule.category, finding.message.clone(), retry, counts);
        return Some(Halt { not_before, ..halt });
    }
    let said = answer.and_then(|a| a.error.as_ref()).map_or("no reason given", |e| e.message.as_str());
    match answer.map(|a| a.status)? {
        WorkerStatus::Success => None,
        WorkerStatus::Partial => {
            Some(halt(PARTIAL, Category::CodeError, "the worker did the task in part".to_owned(), true, true))
        }
        WorkerStatus::Error => {
            let lasting = answer.is_some_and(|answer| answer.lasting);
            let message = format!("the worker gave up: {said}");
            let code = answer.and_then(|a| a.error.as_ref()).map_or("", |e| e.code.as_str());
            Some(halt("worker-error", category(code, said), message, !lasting, true))
        }
        // An answer without a known status goes to a person.
        WorkerStatus::Unexpected => {
            let message = "the worker's answer has no status that is known".to_owned();
            Some(halt("unexpected", Category::Unknown, message, false, true))
        }
    }
}

/// Whose fault an error is: as the worker states it in `error.code`, else by its words.
fn category(code: &str, said: &str) -> Category {
    match code.trim().to_ascii_lowercase().replace(['-', ' '], "_").as_str() {
        "env_error" => Category::EnvError,
        "code_error" => Category::CodeError,
        "unknown" => Category::Unknown,
        _ if fault_class::is_machine(said) => Category::EnvError,
        _ if fault_class::is_work(said) => Category::CodeError,
        _ => Category::Unknown,
    }
}

/// The code of a halt for quality warnings.
pub(crate) const WARNINGS: &str = "quality-warnings";

/// The field of its detail that counts the workers that had these warnings before.
pub(crate) const HANDED_ON: &str = "handed_on";

/// The halt of work that is done, or done in part, with quality warnings, where the workflow has a refactor agent for
/// them; any other halt stays.
pub(crate) fn beside_warnings(
    order: &Order,
    profile: &Profile,
    worker: &Worker,
    halt: Option<(Halt, Value)>,
) -> Option<(Halt, Value)> {
    let only_partial = halt.as_ref().is_none_or(|(halt, _)| halt.code == PARTIAL);
    let is_work = order.task.kind == Kind::Work && !profile.refactoring.is_empty();
    if !only_partial || !is_work || worker.warnings.is_empty() {
        return halt;
    }
    let before = order
        .last_failure
        .as_ref()
        .filter(|failure| failure.pointer("/halt/code").and_then(Value::as_str) == Some(WARNINGS));
    let handed_on = before.and_then(|failure| failure.pointer("/detail")?.get(HANDED_ON)?.as_u64());
    let halt = Halt {
        stage: STAGE.into(),
        code: WARNINGS.into(),
        category: Category::CodeError,
        message: format!("quality warnings: {}", worker.warnings.join("; ")),
        retry: true,
        counts: true,
        not_before: None,
    };
    let handed_on = handed_on.map_or(0, |times| times + 1);
    Some((halt, json!({ "warnings": worker.warnings, HANDED_ON: handed_on })))
}

/// A task that only inspects gets no second opinion: an outcome that counts as an attempt is final for the run.
pub(crate) fn of_inspection(task: &Task, halt: Halt) -> Halt {
    if !task.is_inspection() || !halt.counts {
        return halt;
    }
    let message =
        format!("{}; if the preparation is missing or incomplete, run start-task first", halt.message);
    Halt { retry: false, message, ..halt }
}

#[cfg(test)]
mod tests {
    use super::finding;
    use crate::adapters::reading::Reading;
    use supervise::{Ended, Stop};
    use wire::order::Outcome;

    fn lost(elapsed_ms: u64) -> Ended {
        Ended {
            stop: Stop::SupervisorLost,
            exit_code: None,
            signal: None,
            error: Some("the supervisor did not answer in time".to_owned()),
            elapsed_ms,
            stopped_ms: None,
            tail: String::new(),
            bytes: 0,
            sha256: String::new(),
            truncated: false,
            stderr: None,
            log_error: None,
            leaked: 0,
            killed: true,
            survivors: 0,
        }
    }

    #[test]
    fn a_worker_that_takes_too_long_on_a_busy_machine_did_not_crash() {
        let outcome = |elapsed| finding(&lost(elapsed), 60, &Reading::default(), None, false).outcome;
        assert_eq!(outcome(71_200), Outcome::Timeout);
        assert_eq!(outcome(3_000), Outcome::Crashed);
    }
}
