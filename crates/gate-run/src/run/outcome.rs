//! Turns the end of a child process into a verdict: pass, fail, or no verdict and why.
//!
//! A fault is never a pass, and a missing command is a fault. A command that left processes behind is still judged,
//! and the result says so.

use crate::run::missing::{self, Markers, Missing};
use checks::commands::class::nature;
use checks::judge::{self, Output, Verdict};
use checks::reports;
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

/// The verdict by clauses on how a command ended and what it printed.
pub(crate) fn by_clauses(
    command: &str,
    clauses: &[Clause],
    ended: &Ended,
    output: &Output<'_>,
    markers: &Markers,
) -> Outcome {
    if ended.stop != Stop::Exited {
        return not_exited(ended).unwrap_or_else(|| {
            let text = format!("ended by signal {}", ended.signal.unwrap_or_default());
            Outcome { stop_reason: StopReason::Signalled, ..decided(false, text) }
        });
    }
    if let Some(outcome) = missing_by_clauses(clauses, output, markers) {
        return outcome;
    }
    let verdict = judge::judge(command, clauses, output);
    if ended.truncated && is_open(command, clauses, output, &verdict) {
        return fault(StopReason::Ambiguous, "printed more than is kept; see [logs] file_megabytes");
    }
    let outcome = match verdict {
        Verdict::Pass(measured) => {
            // A check that could not look has found nothing.
            let absent = judge::wants_absence(clauses) || nature(command).negated;
            match missing::unseen(output.stderr).filter(|_| absent) {
                Some(line) => fault(StopReason::EnvMissing, &line),
                None => decided(true, measured),
            }
        }
        Verdict::Fail(measured) => decided(false, measured),
        Verdict::NoVerdict(why) => fault(StopReason::Ambiguous, &why),
    };
    with_leaks(ended, outcome)
}

/// Whether the rest of an output that was not kept could change the verdict.
fn is_open(command: &str, clauses: &[Clause], output: &Output<'_>, verdict: &Verdict) -> bool {
    let by_status =
        |clause: &&Clause| matches!(clause, Clause::Exit { .. } | Clause::Fails | Clause::Within { .. });
    let found = |clause: &Clause| {
        matches!(
            clause,
            Clause::Line { .. } | Clause::Contains { .. } | Clause::Matches { .. } | Clause::NotEmpty
        )
    };
    match verdict {
        Verdict::Pass(_) => !clauses.iter().all(|clause| found(clause) || by_status(&clause)),
        Verdict::Fail(_) | Verdict::NoVerdict(_) => {
            let status: Vec<Clause> = clauses.iter().filter(by_status).cloned().collect();
            matches!(judge::judge(command, &status, output), Verdict::Pass(_))
        }
    }
}

/// Whether a program, a script, a module or a secret that is not there made the command fail.
fn missing_by_clauses(clauses: &[Clause], output: &Output<'_>, markers: &Markers) -> Option<Outcome> {
    let tests_ran = || reports::find(output.both).is_some_and(|(_, counts)| counts.ran());
    if matches!(output.exit, 126 | 127) && !judge::wants_code(clauses, output.exit) && !tests_ran() {
        return Some(fault(StopReason::EnvMissing, "the command is not there or cannot be run"));
    }
    if output.exit == 0 {
        return None;
    }
    if judge::wants_failure(clauses) {
        return missing::script(output.both).map(|line| fault(StopReason::EnvMissing, &line));
    }
    // A command that is judged by its output may fail: `grep -c` does when it counts zero.
    if judge::wants_absence(clauses) {
        return None;
    }
    match markers.in_output(output.both) {
        Missing::No => None,
        Missing::Tool(line) => Some(fault(StopReason::EnvMissing, &line)),
        Missing::Secret(line) => Some(Outcome { needs_secret: true, ..fault(StopReason::EnvMissing, &line) }),
        Missing::Unclear(line) => Some(fault(StopReason::Ambiguous, &line)),
    }
}

/// The fault of a command that did not end by itself; `None` for a signal.
fn not_exited(ended: &Ended) -> Option<Outcome> {
    Some(match ended.stop {
        Stop::Timeout => fault(StopReason::Timeout, "took too long"),
        Stop::Stall => fault(StopReason::Stall, "was silent for too long"),
        Stop::Interrupted => fault(StopReason::Interrupted, "was interrupted"),
        Stop::NotFound | Stop::NotExecutable | Stop::BadCwd => {
            fault(StopReason::EnvMissing, plain(ended.error.as_deref().unwrap_or("cannot be started")))
        }
        Stop::SpawnError | Stop::SupervisorLost => {
            fault(StopReason::Ambiguous, plain(ended.error.as_deref().unwrap_or("no verdict")))
        }
        Stop::Exited | Stop::Signalled => return None,
    })
}

/// The verdict on a test that must run and fail: how it ended, and what it printed.
pub(crate) fn red(ended: &Ended, output: &str, markers: &Markers) -> Outcome {
    if ended.stop != Stop::Exited {
        return not_exited(ended).unwrap_or_else(|| {
            fault(StopReason::Signalled, &format!("ended by signal {}", ended.signal.unwrap_or_default()))
        });
    }
    let code = ended.exit_code.unwrap_or(-1);
    let outcome = missing_before_red(code, output, markers).unwrap_or_else(|| red_by_report(code, output));
    with_leaks(ended, outcome)
}

/// Whether the environment, not the work, made the test fail. A collection error is an answer here.
fn missing_before_red(code: i32, output: &str, markers: &Markers) -> Option<Outcome> {
    let tests_ran = || reports::find(output).is_some_and(|(_, counts)| counts.ran());
    if matches!(code, 126 | 127) && !tests_ran() {
        return Some(fault(StopReason::EnvMissing, "the command is not there or cannot be run"));
    }
    match if code == 0 { Missing::No } else { markers.in_output(output) } {
        Missing::No | Missing::Unclear(_) => None,
        Missing::Tool(line) => Some(fault(StopReason::EnvMissing, &line)),
        Missing::Secret(line) => Some(Outcome { needs_secret: true, ..fault(StopReason::EnvMissing, &line) }),
    }
}

/// Red means that a test ran and failed; nothing else counts.
fn red_by_report(code: i32, output: &str) -> Outcome {
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
