//! Runs checks within their bounds and writes each result as `gate/1`. It always returns a result.

use crate::builtin::Base;
use crate::run::check::{Check, What, quoted};
use crate::run::logs::Keep;
use crate::run::missing::Markers;
use crate::run::outcome::{self, Outcome};
use crate::run::progress::{PassThrough, Progress, Pulse};
use crate::run::script;
use checks::commands::class::{Classes, nature};
use checks::judge::{self, Output, Stages};
use std::path::{Path, PathBuf};
use std::time::Duration;
use supervise::{Ended, Job, Limits, Running, Tail};
use toolkit::Fail;
use toolkit::cli::env;
use toolkit::files::fs;
use toolkit::files::redact::Redact;
use wire::Gate;
use wire::gate::{SCHEMA, Status, StopReason};
use wire::plan::Clause;

/// How much of the end of the output a verdict looks at, however little is shown.
const JUDGED: Tail = Tail { lines: 400, bytes: 64 << 10 };

/// Everything shared by the checks of a batch.
pub(crate) struct Runner<'a> {
    pub(crate) place: RunLocation,
    pub(crate) watch: &'a Progress,
    pub(crate) redact: Redact,
    pub(crate) markers: Markers,
    pub(crate) keep: Keep,
    /// The base of built-in checks.
    pub(crate) base: Option<Base>,
}

/// Where checks run and where their output is kept.
pub(crate) struct RunLocation {
    pub(crate) cwd: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) logs: Option<PathBuf>,
    pub(crate) bead: String,
    pub(crate) started: String,
}

/// A running check.
pub(crate) struct Started {
    pub(crate) check: Check,
    files: Files,
    pulse: Pulse,
    through: Option<PassThrough>,
}

/// The files of one run.
struct Files {
    /// The log; a temporary file if it is needed only for reading.
    log: Option<PathBuf>,
    /// A separate file for stderr, if stdout is judged.
    err: Option<PathBuf>,
    /// The exit status of each stage of a pipeline.
    stages: Option<PathBuf>,
    kept: bool,
}

impl Runner<'_> {
    /// Runs a check to its end.
    pub(crate) fn run(&self, check: &Check) -> Result<Gate, Fail> {
        if let What::Builtin(builtin) = &check.what {
            let (outcome, lines) = builtin.run(self.base.as_ref())?;
            return Ok(self.document(check, &outcome, None, lines, None));
        }
        let (mut started, running) = self.start(check)?;
        let ended = running.finish_looking(|running| {
            self.watch.hand_on(&[running]);
            self.look(&mut started);
        });
        let ended = ended.map_err(|e| Fail::io(Path::new(&check.id), &e))?;
        self.finish(started, &ended)
    }

    /// Periodic work while a check runs.
    pub(crate) fn look(&self, started: &mut Started) {
        started.pulse.beat();
        if let Some(through) = started.through(self.watch) {
            through.show(&self.redact);
        }
    }

    /// Starts a check that is not built in.
    pub(crate) fn start(&self, check: &Check) -> Result<(Started, Running), Fail> {
        let files = self.files(check);
        let mut job = Job::new(check.argv(files.stages.as_deref()));
        job.cwd.clone_from(&self.place.cwd);
        job.env = check.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        // A check may run a worker's code, which must not make a person's decisions.
        job.env
            .push((env::ATTEMPT.into(), env::get(env::ATTEMPT).unwrap_or_else(|| "check".to_owned()).into()));
        job.stdout_log.clone_from(&files.log);
        job.stderr_log.clone_from(&files.err);
        match self.keep {
            Keep::End => job.digest = false,
            Keep::UpTo(bytes) => job.max_log_bytes = bytes,
        }
        job.limits = Limits {
            timeout: check.budget.timeout,
            stall: check.budget.stall,
            grace: check.budget.grace,
            ..Limits::default()
        };
        job.tail = Tail { lines: JUDGED.lines.max(check.budget.tail_lines), ..JUDGED };
        let running = supervise::spawn(&job).map_err(|e| Fail::io(Path::new(&check.id), &e))?;
        let pulse = self.watch.pulse(&check.id);
        Ok((Started { check: check.clone(), files, pulse, through: None }, running))
    }

    /// The verdict on a check that has ended.
    pub(crate) fn finish(&self, mut started: Started, ended: &Ended) -> Result<Gate, Fail> {
        started.through(self.watch);
        if let Some(through) = started.through.take() {
            through.finish(&self.redact);
        }
        let (check, files) = (&started.check, &started.files);
        let outcome = match check.wanted.clauses() {
            Some(clauses) => self.judged(check, files, clauses, ended)?,
            None => outcome::red(ended, &ended.tail, &self.markers),
        };
        let text = self.redact.text(&ended.tail);
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        let lines = lines[lines.len().saturating_sub(check.budget.tail_lines)..].to_vec();
        files.settle(&self.redact)?;
        Ok(self.document(check, &outcome, Some(ended), lines, files.kept_log()))
    }

    /// The verdict by clauses.
    fn judged(
        &self,
        check: &Check,
        files: &Files,
        clauses: &[Clause],
        ended: &Ended,
    ) -> Result<Outcome, Fail> {
        let read = |path: &Option<PathBuf>| -> Result<Option<String>, Fail> {
            let bytes = path.as_deref().map_or(Ok(None), fs::read_if_there)?;
            Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        };
        let apart = files.err.is_some();
        let kept = files.log.as_ref().filter(|_| apart || needs_all(clauses)).cloned();
        let stdout = read(&kept)?.unwrap_or_else(|| ended.tail.clone());
        let stderr = read(&files.err)?.unwrap_or_default();
        let both = if apart { format!("{stdout}\n{stderr}") } else { stdout.clone() };
        let line = match &check.what {
            What::Line(line) => line.as_str(),
            What::Program(_) | What::Builtin(_) => "",
        };
        let stages =
            if line.is_empty() { Stages::Single } else { script::stages(line, files.stages.as_deref())? };
        let output = Output {
            stdout: &stdout,
            stderr: if apart { &stderr } else { &both },
            both: &both,
            exit: ended.exit_code.unwrap_or(-1),
            stages,
            elapsed: Duration::from_millis(ended.elapsed_ms),
        };
        let command = if line.is_empty() { check.invocation() } else { line.to_owned() };
        Ok(outcome::by_clauses(&command, clauses, ended, &output, &self.markers))
    }

    fn files(&self, check: &Check) -> Files {
        let name = wire::ids::key_of(&check.id);
        let line = match &check.what {
            What::Line(line) => line.as_str(),
            What::Program(_) | What::Builtin(_) => "",
        };
        let (judged, whole) = check.wanted.clauses().map_or((false, false), |clauses| {
            let runs_tests = !line.is_empty() && nature(line).classes.has(Classes::RUNNER);
            (judge::needs_streams(clauses) || runs_tests, needs_all(clauses))
        });
        let temporary = || fs::sibling(&std::env::temp_dir().join("gate-run"));
        let stages = script::is_staged(line).then(|| temporary().with_extension("stages"));
        let folder = self.place.logs.as_ref().filter(|_| self.keep != Keep::End);
        let kept = folder.is_some();
        let log = match folder {
            Some(folder) => Some(fs::sibling(&folder.join(name)).with_extension("log")),
            None if judged || whole || self.watch.pass_through => Some(temporary()),
            None => None,
        };
        let err = log.as_ref().filter(|_| judged).map(|log| error_log(log));
        Files { log, err, stages, kept }
    }

    pub(crate) fn document(
        &self,
        check: &Check,
        outcome: &Outcome,
        ended: Option<&Ended>,
        lines: Vec<String>,
        log: Option<&Path>,
    ) -> Gate {
        let place = &self.place;
        let invocation = self.redact.text(&check.invocation());
        let fault = outcome.status == Status::Fault;
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of a check are far below 2^53")]
        let elapsed_seconds = ended.map_or(0.0, |e| e.elapsed_ms as f64 / 1000.0);
        Gate {
            schema: SCHEMA.to_owned(),
            schema_version: "gate_run.v1".to_owned(),
            bead_id: place.bead.clone(),
            run_timestamp: place.started.clone(),
            run_signature: format!("bead_id={} run_timestamp={}", place.bead, place.started),
            gate_id: check.id.clone(),
            status: outcome.status,
            exit_code: ended.and_then(|e| e.exit_code),
            signal: ended.and_then(|e| e.signal),
            elapsed_seconds,
            stop_reason: outcome.stop_reason,
            expect: check.wanted.text(),
            measured: Some(self.redact.text(&outcome.measured)),
            output_sha256: ended.map(|e| e.sha256.clone()).unwrap_or_default(),
            output_bytes: ended.map_or(0, |e| e.bytes),
            log: log.map(|l| l.strip_prefix(&place.root).unwrap_or(l).to_string_lossy().into_owned()),
            truncated: ended.is_some_and(|e| e.truncated),
            last_output_lines: if outcome.status == Status::Pass { Vec::new() } else { lines },
            repro_hints: if fault { self.hints(&invocation, outcome.stop_reason, log) } else { Vec::new() },
            tree_before: None,
            tree_after: None,
            attempts: 1,
            flaky: false,
            leaked: ended.map(|e| e.leaked).filter(|leaked| *leaked > 0),
            fix: None,
            needs_secret: outcome.needs_secret,
            invocation,
        }
    }

    /// How to reproduce the fault.
    fn hints(&self, invocation: &str, reason: StopReason, log: Option<&Path>) -> Vec<String> {
        let mut hints =
            vec![format!("cd {}", quoted(&self.place.cwd.to_string_lossy())), invocation.to_owned()];
        hints.extend(log.map(|log| format!("all output: {}", log.display())));
        let more = match reason {
            StopReason::Stall => "if it works in silence, let it show its progress or raise --stall-seconds",
            StopReason::Timeout => "if it is only slow, raise --timeout-seconds",
            StopReason::EnvMissing => "put the program, module or setting in place that the output names",
            _ => return hints,
        };
        hints.push(more.to_owned());
        hints
    }
}

/// Whether a verdict needs the whole output in one piece.
fn needs_all(clauses: &[Clause]) -> bool {
    clauses.iter().any(|clause| matches!(clause, Clause::Console { .. }))
}

impl Started {
    /// The pass-through of its output to a person, if requested.
    fn through(&mut self, watch: &Progress) -> Option<&mut PassThrough> {
        if watch.pass_through && self.through.is_none() {
            self.through = self.files.log.as_deref().and_then(PassThrough::open);
        }
        self.through.as_mut()
    }
}

/// The log of standard error, beside the log of a check.
pub(crate) fn error_log(log: &Path) -> PathBuf {
    log.with_extension("err")
}

impl Files {
    fn kept_log(&self) -> Option<&Path> {
        self.log.as_deref().filter(|_| self.kept)
    }

    /// Masks secrets in a kept log; removes a file that only we needed.
    fn settle(&self, redact: &Redact) -> Result<(), Fail> {
        if let Some(stages) = self.stages.as_ref().filter(|stages| stages.exists()) {
            fs::remove(stages)?;
        }
        for path in self.log.iter().chain(&self.err) {
            if self.kept { redact.file(path)? } else { fs::remove(path)? }
        }
        Ok(())
    }
}
