//! From how a child ended to the verdict: pass, fail, or no verdict and why.
//!
//! A fault is never a pass, and a command that is not there is a fault. What left processes behind is judged all the
//! same, and says so.

use crate::check::Wanted;
use crate::judge::{self, Printed};
use crate::missing::{self, Markers, Missing};
use crate::reports;
use supervise::{Ended, Stop};
use wire::gate::{Status, StopReason};
use wire::plan::{Expect, ExpectKind};

/// The verdict on one run of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) status: Status,
    pub(crate) stop_reason: StopReason,
    pub(crate) measured: String,
    pub(crate) needs_secret: bool,
}

impl Outcome {
    /// The same, unless it goes by the exit code alone and a runner of tests reports a failure.
    pub(crate) fn unless_tests_failed(self, wanted: &Wanted, printed: &Printed<'_>) -> Self {
        let zero = |e: &Expect| e.kind == ExpectKind::Exit && e.number.unwrap_or(0) == 0;
        let by_exit_code = matches!(wanted, Wanted::Expect(expect) if expect.as_ref().is_none_or(zero));
        match reports::against(printed.all) {
            Some(said) if self.status == Status::Pass && by_exit_code => {
                decided(false, format!("exit 0, and {said}"))
            }
            _ => self,
        }
    }

    /// The same, unless failure or nothing at all is what was wanted, and what should have been run or looked at was not
    /// there: who could not look has found nothing.
    pub(crate) fn unless_unseen(self, line: &str, wanted: &Wanted, said: &str) -> Self {
        let expect = wanted.expect();
        let none = match expect.map(|expect| expect.kind) {
            Some(ExpectKind::Empty) => true,
            Some(ExpectKind::Number) => self.measured == "printed 0",
            _ => judge::wants_failure(expect) || line.trim_start().starts_with("! "),
        };
        match missing::unseen(said) {
            Some(said) if self.status == Status::Pass && none => fault(StopReason::EnvMissing, &said),
            _ => self,
        }
    }
}

/// The verdict on how a command ended and what it printed.
pub(crate) fn of(wanted: &Wanted, ended: &Ended, printed: &Printed<'_>, markers: &Markers) -> Outcome {
    match ended.stop {
        Stop::Timeout => fault(StopReason::Timeout, "took too long"),
        Stop::Stall => fault(StopReason::Stall, "was silent for too long"),
        Stop::Interrupted => fault(StopReason::Interrupted, "was interrupted"),
        Stop::NotFound | Stop::NotExecutable | Stop::BadCwd => {
            fault(StopReason::EnvMissing, plain(ended.error.as_deref().unwrap_or("cannot be started")))
        }
        Stop::Exited => {
            let outcome = exited(wanted, ended.exit_code.unwrap_or(-1), printed, markers);
            let doubtful = match outcome.status {
                Status::Pass => judge::needs_all(wanted.expect()),
                _ => judge::may_be_in_the_rest(wanted.expect()) && ended.exit_code == Some(0),
            };
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

fn exited(wanted: &Wanted, code: i32, printed: &Printed<'_>, markers: &Markers) -> Outcome {
    if let Some(outcome) = surroundings(wanted, code, printed, markers) {
        return outcome;
    }
    match wanted {
        Wanted::Red => red(code, printed.all),
        Wanted::Expect(expect) => {
            let (pass, measured) = judge::judge(expect.as_ref(), code, printed);
            decided(pass, measured)
        }
    }
}

/// Whether the surroundings, and not the work, made a command fail.
fn surroundings(wanted: &Wanted, code: i32, printed: &Printed<'_>, markers: &Markers) -> Option<Outcome> {
    // A command whose output is what is judged may fail as it likes: `grep -c` does when it counts none.
    let by_exit_code = match wanted {
        Wanted::Red => true,
        Wanted::Expect(expect) => judge::wants_success(expect.as_ref()),
    };
    let tests_ran = reports::find(printed.all).is_some_and(|(_, counts)| counts.ran());
    if matches!(code, 126 | 127) && !tests_ran && !judge::wants_code(wanted.expect(), code) {
        return Some(fault(StopReason::EnvMissing, "the command is not there or cannot be run"));
    }
    // What was to fail must have begun.
    if code != 0
        && judge::wants_failure(wanted.expect())
        && let Some(line) = missing::script(printed.all)
    {
        return Some(fault(StopReason::EnvMissing, &line));
    }
    if code == 0 || !by_exit_code {
        return None;
    }
    match markers.in_output(printed.all) {
        Missing::No => None,
        Missing::Tool(line) => Some(fault(StopReason::EnvMissing, &line)),
        Missing::Secret(line) => Some(Outcome { needs_secret: true, ..fault(StopReason::EnvMissing, &line) }),
        // Red-first asks whether a test failed, which a collection error answers by itself.
        Missing::Unclear(_) if matches!(wanted, Wanted::Red) => None,
        Missing::Unclear(line) => Some(fault(StopReason::Ambiguous, &line)),
    }
}

/// Red means that a test ran and failed; nothing else does.
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
        Wanted::Expect(_) => Outcome { stop_reason: StopReason::Signalled, ..decided(false, text) },
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

/// The system's own words without Rust's number.
fn plain(error: &str) -> &str {
    error.split(" (os error").next().unwrap_or(error)
}
