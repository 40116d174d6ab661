//! Turns the end of a child process into a verdict: pass, fail, or no verdict and why.
//!
//! A fault is never a pass, and a missing command is a fault. A command that left processes behind is still judged,
//! and the result says so.

use crate::run::check::{Check, Wanted};
use crate::run::missing::{self, Markers, Missing};
use checks::judge::{self, Stages};
use checks::reports;
use std::time::Duration;
use supervise::{Ended, Stop};
use wire::gate::{Status, StopReason};
use wire::plan::Clause;

/// The verdict on one run of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) status: Status,
    pub(crate) stop_reason: StopReason,
    pub(crate) measured: String,
    pub(crate) needs_secret: bool,
}

/// What a command printed and how the stages of its pipelines ended.
pub(crate) struct Printed<'p> {
    /// On standard output.
    pub(crate) stdout: &'p str,
    /// On standard error, where it is kept apart.
    pub(crate) stderr: &'p str,
    /// The end of everything, in the order in which it came.
    pub(crate) all: &'p str,
    /// The exit status of each stage of the last pipeline.
    pub(crate) stages: Stages,
}

impl Outcome {
    /// Turns a pass by exit code alone into a failure if a test runner reports one.
    pub(crate) fn unless_tests_failed(self, wanted: &Wanted, printed: &Printed<'_>) -> Self {
        match reports::against(printed.all) {
            Some(said) if self.status == Status::Pass && wanted.is_success() => {
                decided(false, format!("exit 0, and {said}"))
            }
            _ => self,
        }
    }

    /// Turns a pass into a fault if failure or empty output was expected, and the thing to run or search was missing:
    /// a check that could not look has found nothing.
    pub(crate) fn unless_unseen(self, line: &str, wanted: &Wanted, said: &str) -> Self {
        let nothing = |clause: &Clause| match clause {
            Clause::Empty => true,
            Clause::Number { value, .. } => value == "0",
            _ => false,
        };
        let none = wanted.clauses().iter().any(nothing)
            || wanted.needs_failure()
            || line.trim_start().starts_with("! ");
        match missing::unseen(said) {
            Some(said) if self.status == Status::Pass && none => fault(StopReason::EnvMissing, &said),
            _ => self,
        }
    }
}

/// The verdict on how a command ended and what it printed.
pub(crate) fn of(check: &Check, ended: &Ended, printed: &Printed<'_>, markers: &Markers) -> Outcome {
    let wanted = &check.wanted;
    match ended.stop {
        Stop::Timeout => fault(StopReason::Timeout, "took too long"),
        Stop::Stall => fault(StopReason::Stall, "was silent for too long"),
        Stop::Interrupted => fault(StopReason::Interrupted, "was interrupted"),
        Stop::NotFound | Stop::NotExecutable | Stop::BadCwd => {
            fault(StopReason::EnvMissing, plain(ended.error.as_deref().unwrap_or("cannot be started")))
        }
        Stop::Exited => {
            let outcome = exited(check, ended, printed, markers);
            let doubtful = wanted.needs_whole_output(outcome.status == Status::Pass);
            if ended.truncated && doubtful && outcome.status != Status::Fault {
                let said = "printed more than is kept, so nobody can tell; see [logs] file_megabytes";
                return fault(StopReason::Ambiguous, said);
            }
            with_leaks(ended, outcome)
        }
        Stop::Signalled => signalled(wanted, ended),
        Stop::SpawnError | Stop::SupervisorLost => {
            fault(StopReason::Ambiguous, plain(ended.error.as_deref().unwrap_or("no verdict")))
        }
    }
}

fn exited(check: &Check, ended: &Ended, printed: &Printed<'_>, markers: &Markers) -> Outcome {
    let code = ended.exit_code.unwrap_or(-1);
    if let Some(outcome) = surroundings(&check.wanted, code, printed, markers) {
        return outcome;
    }
    match &check.wanted {
        Wanted::Red => red(code, printed.all),
        Wanted::Success => decided(code == 0, format!("exit {code}")),
        Wanted::Clauses(clauses) => {
            let output = judge::Output {
                stdout: printed.stdout,
                stderr: printed.stderr,
                both: printed.all,
                exit: code,
                stages: printed.stages.clone(),
                elapsed: Duration::from_millis(ended.elapsed_ms),
            };
            match judge::judge(&check.invocation(), clauses, &output) {
                judge::Verdict::Pass(measured) => decided(true, measured),
                judge::Verdict::Fail(measured) => decided(false, measured),
                judge::Verdict::NoVerdict(why) => fault(StopReason::Ambiguous, &why),
            }
        }
    }
}

/// Whether the environment, not the work, made a command fail.
fn surroundings(wanted: &Wanted, code: i32, printed: &Printed<'_>, markers: &Markers) -> Option<Outcome> {
    let tests_ran = reports::find(printed.all).is_some_and(|(_, counts)| counts.ran());
    if matches!(code, 126 | 127) && !tests_ran && !wanted.needs_code(code) {
        return Some(fault(StopReason::EnvMissing, "the command is not there or cannot be run"));
    }
    // A command that is expected to fail must have started.
    if code != 0
        && wanted.needs_failure()
        && let Some(line) = missing::script(printed.all)
    {
        return Some(fault(StopReason::EnvMissing, &line));
    }
    // A command judged by its output may fail: `grep -c` does when it counts zero.
    if code == 0 || !wanted.needs_exit_0() {
        return None;
    }
    match markers.in_output(printed.all) {
        Missing::No => None,
        Missing::Tool(line) => Some(fault(StopReason::EnvMissing, &line)),
        Missing::Secret(line) => Some(Outcome { needs_secret: true, ..fault(StopReason::EnvMissing, &line) }),
        // Red-first asks whether a test failed, and a collection error answers that.
        Missing::Unclear(_) if matches!(wanted, Wanted::Red) => None,
        Missing::Unclear(line) => Some(fault(StopReason::Ambiguous, &line)),
    }
}

/// Red means that a test ran and failed; nothing else counts.
fn red(code: i32, output: &str) -> Outcome {
    if code == 0 {
        return decided(false, "not red: exit 0".to_owned());
    }
    match reports::find(output) {
        Some((name, counts)) if counts.failed > 0 => {
            decided(true, format!("red: {name} reports {} failed", counts.failed))
        }
        Some((name, counts)) if counts.errors > 0 => {
            decided(false, format!("not red: {name} could not collect or build the tests"))
        }
        Some((name, counts)) if !counts.ran() => decided(false, format!("not red: {name} ran no tests")),
        Some((name, _)) => {
            fault(StopReason::Ambiguous, &format!("exit {code}, but {name} reports no failed test"))
        }
        None => fault(StopReason::Ambiguous, &format!("exit {code}, and no report of a known test runner")),
    }
}

fn signalled(wanted: &Wanted, ended: &Ended) -> Outcome {
    let text = format!("ended by signal {}", ended.signal.unwrap_or_default());
    match wanted {
        Wanted::Red => fault(StopReason::Signalled, &text),
        Wanted::Success | Wanted::Clauses(_) => {
            Outcome { stop_reason: StopReason::Signalled, ..decided(false, text) }
        }
    }
}

fn with_leaks(ended: &Ended, outcome: Outcome) -> Outcome {
    if ended.leaked == 0 || outcome.status == Status::Fault {
        return outcome;
    }
    let measured = format!("{}, left {} processes behind", outcome.measured, ended.leaked);
    Outcome { stop_reason: StopReason::Leak, measured, ..outcome }
}

fn decided(pass: bool, measured: String) -> Outcome {
    let status = if pass { Status::Pass } else { Status::Fail };
    Outcome { status, stop_reason: StopReason::Exited, measured, needs_secret: false }
}

/// No verdict, and why.
pub(crate) fn fault(stop_reason: StopReason, measured: &str) -> Outcome {
    Outcome { status: Status::Fault, stop_reason, measured: measured.to_owned(), needs_secret: false }
}

/// The system's message without Rust's error number.
fn plain(error: &str) -> &str {
    error.split(" (os error").next().unwrap_or(error)
}
