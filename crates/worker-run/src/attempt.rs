//! One attempt: on record before the worker starts, saved before the order goes on.

use crate::answer::{self, Answer};
use crate::args::Args;
use crate::choose::{How, Worker as Chosen};
use crate::job;
use crate::watch::Before;
use crate::{outcome, shell};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use supervise::{Ended, Running};
use toolkit::root::{Home, inside};
use toolkit::stage::Desk;
use toolkit::{Exit, Fail, env, fs};
use wire::digest::Sealed;
use wire::order::{Category, Halt, ResumeStep, Worker, WorkerStatus};
use wire::punch::{SourceKind, Type};
use wire::{Order, OrderLine};

/// An attempt that runs.
pub(crate) struct Attempt {
    pub(crate) order: Order,
    chosen: Chosen,
    before: Before,
    folder: PathBuf,
    batch: u32,
}

/// What came of trying to start.
pub(crate) enum Started {
    /// It runs.
    Running(Box<Attempt>, Box<Running>),
    /// It cannot run, and why.
    Not(Box<Halt>),
}

impl Attempt {
    /// Ends survivors of an interrupted attempt, records the start, starts the worker.
    pub(crate) fn start(
        args: &Args,
        desk: &Desk,
        order: Order,
        chosen: Chosen,
        batch: u32,
    ) -> Result<Started, Fail> {
        end_survivors(&order)?;
        let root = PathBuf::from(&order.plan.root);
        let home = Home::of(&root)?;
        let folder = home.folder(&format!("work/{}/{}/{}", order.run, order.task.key, order.attempt))?;
        let mut before = Before::look(&order)?;
        let Some(job) = job::of(args, &order, &chosen, &before, &folder)? else {
            return Ok(Started::Not(Box::new(nothing_to_run())));
        };
        let mut entry = desk.entry(&order, Type::AttemptBegin, chosen.name.clone());
        let pid = std::process::id();
        entry.source = SourceKind::Supervisor;
        entry.tree = before.tree.as_ref().map(|t| t.hash.clone());
        entry.data = json!({
            "pid": pid, "start_time": supervise::procs::start_time(pid), "worker": chosen.name, "batch": batch,
            "fix": order.why.fix, "dialect": order.plan.dialect, "pins": before.pins, "plan_sha256": before.field.plan.source.sha256,
            "commit": before.commit,
        });
        before.head = Some(desk.ledger(&order)?.append(entry)?);
        let running = supervise::spawn(&job).map_err(|e| Fail::io(Path::new(&chosen.name), &e))?;
        Ok(Started::Running(Box::new(Self { order, chosen, before, folder, batch }), Box::new(running)))
    }

    /// Looks at what the worker did, saves it, records the end, and sets `worker` on the line.
    pub(crate) fn finish(self, desk: &Desk, line: &mut OrderLine, ended: &Ended) -> Result<(), Fail> {
        let root = Path::new(&self.order.plan.root);
        let after = self.before.compare(&self.order, &self.folder)?;
        let answer = self.answer(ended)?;
        let changed = after.tree != self.before.tree.as_ref().map(|t| t.hash.clone());
        let outcome = outcome::outcome(ended, answer.as_ref(), changed);
        let status = answer.as_ref().map_or(WorkerStatus::Unexpected, |a| a.status);
        let halt = after.violation.or_else(|| {
            outcome::halt(outcome, status, ended, answer.as_ref()).map(|halt| (halt, Value::Null))
        });
        let mut worker = self.worker(ended, answer, outcome);
        worker.tree_after = after.tree;
        worker.changed_files = after.changed_files;
        let bytes = serde_json::to_vec(&worker).map_err(|e| Fail::data("bad-result", e.to_string()))?;
        let result = fs::seal(root, &self.folder.join("result.json"), &bytes)?;
        self.record_end(desk, &worker, &result)?;
        toolkit::stage::set(line, "worker", &worker)?;
        match halt {
            Some((halt, detail)) => {
                let mut detail = if detail.is_object() { detail } else { json!({}) };
                detail["tail"] = tail_of(ended).into();
                desk.halt_with(line, &self.order, &halt, &detail)
            }
            None => Ok(()),
        }
    }

    fn answer(&self, ended: &Ended) -> Result<Option<Answer>, Fail> {
        if matches!(self.chosen.how, How::Shell) {
            let outputs = shell::outputs(&self.order.task, &self.folder)?;
            let done = ended.exit_code == Some(0);
            let status = if done { WorkerStatus::Success } else { WorkerStatus::Error };
            return Ok(Some(Answer { status, outputs, ..Answer::silence() }));
        }
        let printed = fs::read_if_there(&self.folder.join("stdout.log"))?.unwrap_or_default();
        Ok(answer::read(&String::from_utf8_lossy(&printed)))
    }

    fn worker(&self, ended: &Ended, answer: Option<Answer>, outcome: wire::order::Outcome) -> Worker {
        let home = |name: &str| {
            let path = self.folder.join(name);
            path.strip_prefix(&self.order.plan.root).unwrap_or(&path).to_string_lossy().into_owned()
        };
        let mut problems = answer.as_ref().map(|a| a.problems.clone()).unwrap_or_default();
        if ended.leaked > 0 {
            problems.push(format!("{} processes outlived the worker and were ended", ended.leaked));
        }
        let a = answer.unwrap_or_else(Answer::silence);
        Worker {
            status: a.status,
            outcome,
            name: self.chosen.name.clone(),
            summary: a.summary,
            outputs: a.outputs,
            claims: a.claims,
            learnings: a.learnings,
            issues: a.issues,
            decisions: a.decisions,
            files_created: a.files_created,
            files_modified: a.files_modified,
            tests: a.tests,
            fixes: a.fixes,
            error: a.error,
            runtime_model_reported: None,
            runtime_mode_reported: None,
            model_match: None,
            transcript: self.transcript(),
            log: home("stdout.log"),
            exit: ended.exit_code,
            signal: ended.signal,
            duration_ms: ended.elapsed_ms,
            cost: None,
            tree_before: self.before.tree.as_ref().map(|t| t.hash.clone()),
            tree_after: None,
            changed_files: Vec::new(),
            problems,
            batch: Some(self.batch),
        }
    }

    /// The worker's own record, if it is where the configuration says and inside the root.
    fn transcript(&self) -> Option<String> {
        let name = self.chosen.transcript.clone()?;
        inside(Path::new(&self.order.plan.root), &name).ok().filter(|path| path.is_file()).map(|_| name)
    }

    fn record_end(&self, desk: &Desk, worker: &Worker, result: &Sealed) -> Result<(), Fail> {
        let mut entry = desk.entry(&self.order, Type::AttemptEnd, self.chosen.name.clone());
        entry.source = SourceKind::Supervisor;
        entry.tree.clone_from(&worker.tree_after);
        entry.data = json!({
            "result": result, "status": worker.status, "outcome": worker.outcome, "exit": worker.exit,
            "duration_ms": worker.duration_ms, "changed_files": worker.changed_files,
        });
        desk.ledger(&self.order)?.append(entry)?;
        Ok(())
    }
}

/// Nothing of an interrupted attempt may be alive when the next one begins.
fn end_survivors(order: &Order) -> Result<(), Fail> {
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

fn nothing_to_run() -> Halt {
    Halt {
        stage: crate::STAGE.into(),
        code: "nothing-to-run".into(),
        category: Category::PlanError,
        message: "the task's section has no `sh` block for the shell worker".into(),
        retry: false,
        counts: true,
        not_before: None,
    }
}

fn tail_of(ended: &Ended) -> Vec<String> {
    let lines: Vec<_> = ended.tail.lines().collect();
    lines[lines.len().saturating_sub(20)..].iter().map(|l| (*l).to_owned()).collect()
}
