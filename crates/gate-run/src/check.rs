//! One check: run in bounds, judged, written down as `gate/1`.

use crate::args::Args;
use crate::judge::{self, Printed};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use supervise::{Ended, Job, Limits, Stop, Tail};
use toolkit::config::{Config, GateRule};
use toolkit::redact::Redact;
use toolkit::{Fail, fs};
use wire::Gate;
use wire::gate::{SCHEMA, Status, StopReason};
use wire::plan::{Criterion, Expect};

/// A command and what it must give.
pub(crate) struct Check {
    pub(crate) id: String,
    pub(crate) argv: Vec<OsString>,
    /// The shell line, where it is one.
    pub(crate) line: Option<String>,
    pub(crate) expect: Option<Expect>,
    pub(crate) budget: Budget,
}

/// How long it may take, and how much is kept.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    timeout: Duration,
    stall: Option<Duration>,
    grace: Duration,
    tail_lines: usize,
}

/// Where it runs and where its output is kept.
pub(crate) struct Place {
    pub(crate) cwd: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) logs: Option<PathBuf>,
    pub(crate) bead: String,
    pub(crate) started: String,
}

impl Budget {
    /// The command line first, then the gate's own, then the configuration's.
    pub(crate) fn of(
        args: &Args,
        config: Option<&Config>,
        timeout: Option<u64>,
        stall: Option<u64>,
        tail: Option<usize>,
    ) -> Self {
        let defaults = config.map(|c| &c.defaults);
        let timeout =
            args.timeout_seconds.or(timeout).or(defaults.and_then(|d| d.timeout_seconds)).unwrap_or(600);
        let stall = args.stall_seconds.or(stall).or(defaults.and_then(|d| d.stall_seconds));
        Self {
            timeout: Duration::from_secs(timeout),
            stall: stall.map(Duration::from_secs),
            grace: Duration::from_secs(args.grace_seconds),
            tail_lines: tail.unwrap_or(args.tail_lines),
        }
    }
}

impl Check {
    /// A criterion of the plan: its command in a shell of its own.
    pub(crate) fn of_criterion(criterion: &Criterion, budget: Budget) -> Self {
        let command = criterion.command.clone().unwrap_or_default();
        Self {
            id: criterion.id.clone(),
            argv: shell(&command),
            line: Some(command),
            expect: criterion.expect.clone(),
            budget,
        }
    }

    /// A gate of the configuration.
    pub(crate) fn of_gate(gate: &GateRule, budget: Budget) -> Self {
        Self {
            id: gate.id.clone(),
            argv: shell(&gate.invocation),
            line: Some(gate.invocation.clone()),
            expect: None,
            budget,
        }
    }

    /// The command as a person would type it.
    pub(crate) fn invocation(&self) -> String {
        match &self.line {
            Some(line) => line.clone(),
            None => self.argv.iter().map(|w| quoted(&w.to_string_lossy())).collect::<Vec<_>>().join(" "),
        }
    }
}

/// Runs a check. It always comes back, with the truth.
pub(crate) fn run(check: &Check, place: &Place, redact: &Redact) -> Result<Gate, Fail> {
    let log = place
        .logs
        .as_ref()
        .map(|folder| fs::sibling(&folder.join(wire::ids::key_of(&check.id))).with_extension("log"));
    let scratch = match (&log, judge::needs_output(check.expect.as_ref())) {
        (Some(log), true) => Some(log.with_extension("err")),
        _ => None,
    };
    let mut job = Job::new(check.argv.iter().cloned());
    job.cwd.clone_from(&place.cwd);
    job.stdout_log.clone_from(&log);
    job.stderr_log.clone_from(&scratch);
    job.limits = Limits {
        timeout: Some(check.budget.timeout),
        stall: check.budget.stall,
        grace: check.budget.grace,
        ..Limits::default()
    };
    job.tail = Tail { lines: check.budget.tail_lines, bytes: 64 << 10 };
    let ended = supervise::run(&job).map_err(|e| Fail::io(Path::new("sh"), &e))?;
    let stdout = match (&log, &scratch) {
        (Some(log), Some(_)) => fs::read_if_there(log)?.unwrap_or_default(),
        _ => ended.tail.clone().into_bytes(),
    };
    let printed = Printed { stdout: &String::from_utf8_lossy(&stdout), all: &ended.tail };
    Ok(gate(check, place, &ended, &printed, log.as_deref(), redact))
}

fn gate(
    check: &Check,
    place: &Place,
    ended: &Ended,
    printed: &Printed<'_>,
    log: Option<&Path>,
    redact: &Redact,
) -> Gate {
    let (status, stop_reason, measured) = conclude(check, ended, printed);
    let fault = status == Status::Fault;
    let invocation = redact.text(&check.invocation());
    let repro = vec![format!("cd {}", quoted(&place.cwd.to_string_lossy())), invocation.clone()];
    let lines = if status == Status::Pass { Vec::new() } else { tail(ended, redact) };
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a check are far below 2^53")]
    let elapsed_seconds = ended.elapsed_ms as f64 / 1000.0;
    Gate {
        schema: SCHEMA.to_owned(),
        schema_version: "gate_run.v1".to_owned(),
        bead_id: place.bead.clone(),
        run_timestamp: place.started.clone(),
        run_signature: format!("bead_id={} run_timestamp={}", place.bead, place.started),
        gate_id: check.id.clone(),
        status,
        exit_code: ended.exit_code,
        signal: ended.signal,
        elapsed_seconds,
        invocation,
        stop_reason,
        expect: check.expect.as_ref().map(|e| e.text.clone()),
        measured: Some(measured),
        output_sha256: ended.sha256.clone(),
        output_bytes: ended.bytes,
        log: log.map(|l| l.strip_prefix(&place.root).unwrap_or(l).to_string_lossy().into_owned()),
        truncated: ended.truncated,
        last_output_lines: lines,
        repro_hints: if fault { repro } else { Vec::new() },
        tree_before: None,
        tree_after: None,
        attempts: 1,
        flaky: false,
        leaked: (ended.leaked > 0).then_some(ended.leaked),
    }
}

/// The verdict: a fault is never a pass, and a command that is not there is a fault.
fn conclude(check: &Check, ended: &Ended, printed: &Printed<'_>) -> (Status, StopReason, String) {
    let fault = |reason, text: &str| (Status::Fault, reason, text.to_owned());
    match ended.stop {
        Stop::Timeout => fault(StopReason::Timeout, "took too long"),
        Stop::Stall => fault(StopReason::Stall, "was silent for too long"),
        Stop::Interrupted => fault(StopReason::Interrupted, "was interrupted"),
        Stop::NotFound | Stop::NotExecutable | Stop::BadCwd => {
            fault(StopReason::EnvMissing, plain(ended.error.as_deref().unwrap_or("cannot be started")))
        }
        Stop::Exited if matches!(ended.exit_code, Some(126 | 127)) => {
            fault(StopReason::EnvMissing, "the command is not there or cannot be run")
        }
        Stop::Exited => {
            let (pass, measured) =
                judge::judge(check.expect.as_ref(), ended.exit_code.unwrap_or(-1), printed);
            (if pass { Status::Pass } else { Status::Fail }, StopReason::Exited, measured)
        }
        Stop::Signalled => {
            let text = format!("ended by signal {}", ended.signal.unwrap_or_default());
            (Status::Fail, StopReason::Signalled, text)
        }
        _ => fault(StopReason::Ambiguous, ended.error.as_deref().unwrap_or("no verdict")),
    }
}

/// The system's own words without Rust's number.
fn plain(error: &str) -> &str {
    error.split(" (os error").next().unwrap_or(error)
}

fn tail(ended: &Ended, redact: &Redact) -> Vec<String> {
    redact.text(&ended.tail).lines().map(str::to_owned).collect()
}

fn shell(command: &str) -> Vec<OsString> {
    ["sh", "-c", command].map(OsString::from).to_vec()
}

/// A word as a shell would need it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
