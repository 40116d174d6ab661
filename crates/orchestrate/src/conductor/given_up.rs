//! Tasks that are given up: each is named once, with its reason, and a person decides on a terminal.

use super::{Conductor, said, words};
use crate::args::OnHalt;
use crate::show::terminal::{self, Answer};
use crate::stop_reason::{Reason, Stop};
use ledger::{Entry, Ledger};
use serde_json::json;
use std::ffi::OsStr;
use std::path::Path;
use toolkit::cli::clock::{Clock, RunArgs};
use toolkit::cli::env;
use toolkit::cli::tool;
use toolkit::files::root::Home;
use wire::TaskId;
use wire::punch::{SourceKind, Trust, Type};
use wire::report::{Line, Report};
use wire::status::{Code, GivenUp as Task, StatusDoc};

/// The status of a check that passed, in a report.
const PASS: &str = "pass";

/// The tasks that were given up so far.
#[derive(Debug, Default)]
pub(crate) struct GivenUp {
    known: Vec<TaskId>,
    /// The first one, for the last words of the run.
    first: Option<Task>,
    /// Whether a person gave one fresh attempts.
    retried: bool,
}

/// How many of the three retries were made, like `2/3`; empty if the task was not given up for want of attempts.
pub(crate) fn retries(task: &Task) -> String {
    match task.attempts.saturating_sub(1).min(3) {
        0 => String::new(),
        retries if matches!(task.code, Code::AttemptsUsed | Code::SameFailure) => format!("{retries}/3"),
        _ => String::new(),
    }
}

impl GivenUp {
    /// Whether a person was told that the task is given up.
    pub(crate) fn was_named(&self, id: &TaskId) -> bool {
        self.known.contains(id)
    }

    /// Whether a person gave a task fresh attempts since this was asked last.
    pub(crate) fn takes_retry(&mut self) -> bool {
        std::mem::take(&mut self.retried)
    }

    /// The task at which a run that is stuck has ended.
    pub(crate) fn first(&self, reason: Reason) -> Option<&Task> {
        self.first.as_ref().filter(|_| matches!(reason, Reason::Stuck | Reason::GivenUp))
    }
}

impl Conductor<'_> {
    /// After a round that halted something: names what was given up since. No if the run must stop there.
    pub(super) fn goes_on_after_halts(&mut self) -> Result<bool, Stop> {
        let mut goes_on = true;
        for task in self.status()?.given_up {
            if !self.given_up.known.contains(&task.id) {
                self.given_up.known.push(task.id.clone());
                goes_on &= self.decide(&task)?;
            }
        }
        Ok(goes_on)
    }

    /// Notes the first task that is given up, for the last words of the run.
    pub(super) fn note_first(&mut self, status: &StatusDoc) {
        self.given_up.first = status.given_up.first().cloned();
    }

    /// What the report says about a task.
    fn line(&self, id: &TaskId) -> Option<Line> {
        let plan = self.values.get("plan");
        let args = ["--final", "--format", "json"].map(OsStr::new).into_iter().chain([plan]);
        let report: Report = self.runner.tools.ask("run-report", args).ok()?.json().ok()?;
        report.tasks.into_iter().find(|line| line.id == *id)
    }

    /// Whether a person is there whom this workflow asks.
    pub(super) fn may_ask(&self) -> bool {
        let wants = matches!(self.wanted.on_halt, None | Some(OnHalt::Ask));
        wants && self.course.profile.asks && terminal::is_there()
    }

    fn decide(&mut self, task: &Task) -> Result<bool, Stop> {
        let asks = self.may_ask();
        if asks {
            self.console.hide_board();
        }
        let round = self.console.take_round();
        self.console.note(&format!("task {} is given up: {}", task.id, task.message));
        self.values.set("task", task.id.as_str());
        self.values.set("why", task.message.as_str());
        self.values.set("retries", retries(task));
        let script = self.course.profile.halted.clone();
        let goes_on = match self.script(&script)? {
            0 => self.wanted.on_halt != Some(OnHalt::Stop),
            1 => false,
            code => return Err(said(code)),
        };
        Ok(goes_on && (!asks || self.ask(task, &round)?))
    }

    /// Asks a person; the failed checks stand above the question.
    fn ask(&mut self, task: &Task, round: &[u8]) -> Result<bool, Stop> {
        tool::note(String::from_utf8_lossy(round).trim_end());
        loop {
            match terminal::ask_about(task.id.as_str()) {
                Answer::Skip => return self.record_answer(task, "skip").map(|()| true),
                Answer::Stop => return self.record_answer(task, "stop").map(|()| false),
                Answer::Log => self.show_log(&task.id),
                Answer::Edit => {
                    self.edit();
                    return self.retry(task);
                }
                Answer::Retry => return self.retry(task),
            }
        }
    }

    /// Puts on record what a person decided about a task that is given up.
    fn record_answer(&self, task: &Task, answer: &str) -> Result<(), Stop> {
        let clock = Clock::default();
        let run = RunArgs { run: self.runner.tools.run.clone(), now: None }.run_id(&clock)?;
        let entry = Entry {
            plan: self.course.facts.path.clone(),
            source: SourceKind::Human,
            trust: Trust::Typed,
            data: json!({ "task": task.id, "reason": format!("a person chose {answer}"), "given_up": task.message }),
            ..Entry::new(run, Type::Override, answer, clock.now())
        };
        Ledger::new(Home::of(Path::new(&self.course.facts.root))?).append(entry)?;
        Ok(())
    }

    /// Gives a task fresh attempts: dag-next puts the decision on record.
    fn retry(&mut self, task: &Task) -> Result<bool, Stop> {
        self.give_fresh(task.id.as_str())?;
        self.given_up.known.retain(|known| *known != task.id);
        self.given_up.retried = true;
        Ok(true)
    }

    /// Gives a task fresh attempts; without an id every open task that has failed.
    pub(super) fn give_fresh(&mut self, id: &str) -> Result<(), Stop> {
        let mut parse = words(&["plan-parse", "--quiet"]);
        parse.push(self.values.get("plan").to_owned());
        let flag = if id.is_empty() { "--retry".to_owned() } else { format!("--retry={id}") };
        self.runner.tools.pipe(&[parse, words(&["dag-next", &flag])])?.success()?;
        Ok(())
    }

    fn edit(&mut self) {
        let editor = env::get("VISUAL").or_else(|| env::get("EDITOR")).unwrap_or_else(|| "vi".to_owned());
        let plan = self.values.get("plan").to_owned();
        // The editor's own setting may have arguments, as git allows it.
        let words = ["-c", "exec $editor \"$0\""].map(OsStr::new).into_iter().chain([plan.as_os_str()]);
        let mut command = self.runner.tools.command(OsStr::new("sh"));
        let ended = command.args(words).env("editor", &editor).status();
        if !ended.is_ok_and(|ended| ended.success()) {
            self.console.note(&format!("'{editor}' failed; set EDITOR to an editor that is installed"));
        }
    }

    /// Shows the logs of the failed checks and of the worker of the last attempt.
    fn show_log(&mut self, id: &TaskId) {
        let root = Path::new(&self.course.facts.root);
        let Some(last) = self.line(id).and_then(|line| line.history.last().cloned()) else { return };
        let failed = last.gates.iter().filter(|check| check.status != PASS);
        let mut shown = false;
        for log in failed.filter_map(|check| check.log.clone()).chain(last.log.clone()) {
            if let Ok(Some(bytes)) = toolkit::files::fs::read_if_there(&root.join(&log)) {
                shown = true;
                tool::note(&format!("== {log}\n{}", String::from_utf8_lossy(&bytes).trim_end()));
            }
        }
        if !shown {
            let plan = crate::find::profile::quoted(self.values.get("plan"));
            tool::note(&format!("no log of a check; the whole history: run-report --final {plan}"));
        }
    }
}
