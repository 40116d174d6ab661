//! One attempt: on record before the worker starts, saved before the order goes on.

use crate::answer::Answer;
use crate::args::Args;
use crate::choose::{Worker as Chosen, is_errand};
use crate::ending::{Attested, Ending, attest, model_match};
use crate::isolate::{self, Isolate};
use crate::outcome::{self, Finding};
use crate::watch::Before;
use crate::{baseline, breaker, declared, job};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use supervise::{Ended, Job, Running, Stop};
use toolkit::config::WorktreeRule;
use toolkit::git::Git;
use toolkit::ledger::Entry;
use toolkit::redact::Redact;
use toolkit::root::Home;
use toolkit::stage::Desk;
use toolkit::{Exit, Fail, env, fs, worktree};
use wire::digest::Sealed;
use wire::order::{Category, Halt, Outcome, ResumeStep, Worker, Worktree};
use wire::punch::{SourceKind, Type};
use wire::{Order, OrderLine};

/// An attempt that runs.
pub(crate) struct Attempt {
    pub(crate) order: Order,
    chosen: Chosen,
    before: Before,
    folder: PathBuf,
    /// Our name for the client's session.
    session: String,
    batch: u32,
    /// The tree of its own that it works in.
    tree: Option<Worktree>,
    /// Where it works.
    place: PathBuf,
    setting_up: bool,
    /// What must not be kept, as it was configured before the worker started.
    redact: Redact,
}

/// What came of trying to start.
pub(crate) enum Started {
    /// It runs.
    Running(Box<Attempt>, Box<Running>),
    /// It cannot run, and why.
    Not(Box<Halt>),
}

impl Attempt {
    /// Ends survivors of an interrupted attempt, makes its tree, records the start, starts the worker or what sets its
    /// tree up.
    pub(crate) fn start(
        args: &Args,
        desk: &Desk,
        order: Order,
        chosen: Chosen,
        batch: u32,
        rule: &WorktreeRule,
        redact: Redact,
    ) -> Result<Started, Fail> {
        end_survivors(&order)?;
        let root = PathBuf::from(&order.plan.root);
        let home = Home::of(&root)?;
        let errand = if is_errand(&order) { "-fitter" } else { "" };
        let folder = format!("work/{}/{}/{}{errand}", order.run, order.task.key, order.attempt);
        let folder = home.folder(&folder)?;
        let session = session_id(&order);
        let ledger = desk.ledger(&order)?;
        let isolated = args.isolate == Isolate::Worktree && !is_errand(&order);
        let lock = if isolated { Some(isolate::lock(&home)?) } else { None };
        let tree = if isolated { Some(isolate::make(&order, &ledger.read()?)?) } else { None };
        let place = tree.as_ref().map_or(Ok(root.clone()), |tree| worktree::path_of(&root, tree))?;
        let mut attempt = Self {
            before: Before::look(&order, &place)?,
            order,
            chosen,
            folder,
            session,
            batch,
            tree,
            place,
            setting_up: false,
            redact,
        };
        let setup = attempt
            .tree
            .as_ref()
            .and_then(|_| isolate::setup(rule, &attempt.place, &attempt.folder, args.grace_seconds));
        let job = if setup.is_some() { None } else { attempt.job(args)? };
        if setup.is_none() && job.is_none() {
            if attempt.tree.is_some() {
                worktree::remove(&Git::new(home), &worktree::name_of(&attempt.order))?;
            }
            return Ok(Started::Not(Box::new(nothing_to_run())));
        }
        if let (None, Some(now)) = (&attempt.tree, &attempt.before.tree) {
            let home = Home::of(&root)?;
            let records = ledger.read()?;
            let found = baseline::of(&home, &attempt.order, &attempt.folder, now, &records)?;
            attempt.before.found = Some(found);
        }
        attempt.before.head = Some(ledger.append(attempt.begun(desk))?);
        drop(lock);
        attempt.setting_up = setup.is_some();
        match setup.or(job) {
            Some(job) => attempt.spawn(&job),
            None => Ok(Started::Not(Box::new(nothing_to_run()))),
        }
    }

    /// Whether it is still its tree that is set up.
    pub(crate) fn is_setting_up(&self) -> bool {
        self.setting_up
    }

    /// Starts the worker in the tree that was set up.
    pub(crate) fn work(mut self, args: &Args, ended: &Ended) -> Result<Started, Fail> {
        let root = Path::new(&self.order.plan.root);
        let log = self.shown(&isolate::setup_log(&self.folder));
        if let Some(halt) = isolate::not_set_up(ended, &log) {
            return Ok(Started::Not(Box::new(halt)));
        }
        if let Some(tree) = &mut self.tree {
            isolate::after_setup(root, tree)?;
        }
        let head = self.before.head.take();
        self.before = Before::look(&self.order, &self.place)?;
        self.before.head = head;
        self.setting_up = false;
        match self.job(args)? {
            Some(job) => self.spawn(&job),
            None => Ok(Started::Not(Box::new(nothing_to_run()))),
        }
    }

    fn job(&self, args: &Args) -> Result<Option<Job>, Fail> {
        let body = self.before.field.body(&self.order.task).to_vec();
        job::of(args, &self.order, &self.chosen, &body, &self.folder, &self.session, &self.place)
    }

    fn spawn(self, job: &Job) -> Result<Started, Fail> {
        let running = supervise::spawn(job).map_err(|e| Fail::io(Path::new(&self.chosen.name), &e))?;
        Ok(Started::Running(Box::new(self), Box::new(running)))
    }

    /// The record of the start.
    fn begun(&self, desk: &Desk) -> Entry {
        // Who only looks after a gate makes no attempt at the task.
        let kind = if is_errand(&self.order) { Type::ChildSpawn } else { Type::AttemptBegin };
        let mut entry = desk.entry(&self.order, kind, self.chosen.name.clone());
        let pid = std::process::id();
        entry.source = SourceKind::Supervisor;
        entry.tree = self.before.tree.as_ref().map(|t| t.hash.clone());
        entry.data = json!({
            "pid": pid, "start_time": supervise::procs::start_time(pid), "worker": self.chosen.name,
            "batch": self.batch, "fix": self.order.why.fix, "dialect": self.order.plan.dialect,
            "pins": self.before.pins, "plan_sha256": self.before.field.plan.source.sha256,
            "commit": self.before.commit,
        });
        if let Some(tree) = &self.tree {
            entry.data["worktree"] = json!(tree);
        }
        entry
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.order.plan.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// The worker's name.
    pub(crate) fn worker(&self) -> &str {
        &self.chosen.name
    }

    /// Looks at what the worker did, saves it, records the end, and sets `worker` on the line. Says what halted the
    /// order, if anything did.
    pub(crate) fn finish(
        self,
        args: &Args,
        desk: &Desk,
        line: &mut OrderLine,
        ended: &Ended,
    ) -> Result<(Outcome, Option<Halt>), Fail> {
        let root = Path::new(&self.order.plan.root);
        let ending = self.ending(args, ended)?;
        let after = self.before.compare(&self.order, &self.folder)?;
        let changed = after.tree.as_ref().map(|t| t.hash.clone())
            != self.before.tree.as_ref().map(|t| t.hash.clone())
            || !after.changed_files.is_empty();
        let finding = outcome::finding(
            ended,
            self.chosen.timeout_seconds,
            &ending.reading,
            ending.answer.as_ref(),
            changed,
        );
        let records = desk.ledger(&self.order)?.read()?;
        let ours = ended.stop == Stop::Interrupted;
        let past = breaker::past(&records, &self.order, &self.chosen.name, ours, &desk.clock);
        let halt = outcome::halt(&finding, ending.answer.as_ref(), past);
        let forbidden = || declared::halt(&self.order, &after.changed_files, after.tree.as_ref(), &records);
        let violation = after.violation.or_else(forbidden);
        let violation = violation.or_else(|| self.strayed(&after.changed_files));
        let halt = violation.or(halt.map(|halt| (halt, Value::Null)));
        let attested =
            attest(&self.chosen, &self.order, &self.place, &self.folder, &ending.reading, &self.session);
        let mut worker = self.result(ended, ending, &finding, attested);
        worker.tree_after = after.tree.as_ref().map(|t| t.hash.clone());
        worker.undeclared_files = declared::undeclared(&self.order.task, &after.changed_files);
        worker.changed_files = after.changed_files;
        // The worker may have removed it.
        fs::private_folder(&self.folder)?;
        let bytes = serde_json::to_vec(&worker).map_err(|e| Fail::data("bad-result", e.to_string()))?;
        let result = fs::seal(root, &self.folder.join("result.json"), &bytes)?;
        self.record_end(desk, &worker, &result)?;
        baseline::forget(&self.folder)?;
        toolkit::stage::set(line, "worker", &worker)?;
        let Some((halt, detail)) = halt else { return Ok((finding.outcome, None)) };
        let mut detail = if detail.is_object() { detail } else { json!({}) };
        detail["tail"] = tail_of(&self.redact.text(&ended.tail)).into();
        desk.halt_with(line, &self.order, &halt, &detail)?;
        Ok((finding.outcome, Some(halt)))
    }

    /// What the worker left; a client that can be asked again for an answer that cannot be read is asked once.
    fn ending(&self, args: &Args, ended: &Ended) -> Result<Ending, Fail> {
        let ending = self.read(ended, "")?;
        let well = ended.stop == Stop::Exited && ending.reading.fault.is_none();
        if !well || ending.answer.is_some() {
            return Ok(ending);
        }
        let session = ending.reading.session.as_deref().unwrap_or(&self.session);
        let job = job::again(args, &self.order, &self.chosen, &self.folder, session, &self.place)?;
        let Some(job) = job else { return Ok(ending) };
        let second = supervise::run(&job).map_err(|e| Fail::io(Path::new(&self.chosen.name), &e))?;
        let answered = self.read(&second, "-again")?;
        if answered.reading.fault.is_some() {
            return Ok(ending);
        }
        Ok(Ending { answer: answered.answer, ..ending })
    }

    /// What the worker printed, masked before anybody reads it.
    fn read(&self, ended: &Ended, suffix: &str) -> Result<Ending, Fail> {
        for stream in ["stdout", "stderr"] {
            self.redact.file(&self.folder.join(format!("{stream}{suffix}.log")))?;
        }
        let tail = self.redact.text(&ended.tail);
        Ending::read(&self.chosen, &self.order, &self.folder, ended, (suffix, &tail))
    }

    /// The Fitter changes budgets, invocation and environment, and no file of the work.
    fn strayed(&self, changed: &[String]) -> Option<(Halt, Value)> {
        let path = changed.first().filter(|_| is_errand(&self.order))?;
        let halt = Halt {
            stage: crate::STAGE.into(),
            code: "fitter-strayed".into(),
            category: Category::CodeError,
            message: format!("the Fitter changed '{path}'; it may change no file of the work"),
            retry: false,
            counts: true,
            not_before: None,
        };
        Some((halt, json!({ "path": path })))
    }

    fn result(&self, ended: &Ended, ending: Ending, finding: &Finding, attested: Attested) -> Worker {
        let a = ending.answer.unwrap_or_else(Answer::silence);
        let mut problems = a.problems;
        if ended.leaked > 0 {
            problems.push(format!("{} processes outlived the worker and were ended", ended.leaked));
        }
        if !ending.reading.denied.is_empty() {
            problems.push(format!("not allowed: {}", ending.reading.denied.join(", ")));
        }
        problems.extend(attested.problem);
        // The client's own record says who did the work; where it keeps none, there is only the worker's word.
        let model = attested.model.or(a.model);
        Worker {
            status: a.status,
            outcome: finding.outcome,
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
            model_match: model_match(self.chosen.wanted.as_deref(), model.as_deref()),
            runtime_model_reported: model,
            runtime_mode_reported: attested.mode.or(a.mode),
            transcript: attested.transcript,
            session_id: attested.session,
            log: self.shown(&self.folder.join("stdout.log")),
            exit: ended.exit_code,
            signal: ended.signal,
            duration_ms: ended.elapsed_ms,
            cost: attested.cost,
            tree_before: self.before.tree.as_ref().map(|t| t.hash.clone()),
            tree_after: None,
            changed_files: Vec::new(),
            undeclared_files: Vec::new(),
            problems,
            batch: Some(self.batch),
            worktree: self.tree.clone(),
        }
    }

    fn record_end(&self, desk: &Desk, worker: &Worker, result: &Sealed) -> Result<(), Fail> {
        let kind = if is_errand(&self.order) { Type::ChildComplete } else { Type::AttemptEnd };
        let mut entry = desk.entry(&self.order, kind, self.chosen.name.clone());
        entry.source = SourceKind::Supervisor;
        entry.tree.clone_from(&worker.tree_after);
        entry.data = json!({
            "result": result, "status": worker.status, "outcome": worker.outcome, "exit": worker.exit,
            "duration_ms": worker.duration_ms, "cost": worker.cost, "changed_files": worker.changed_files,
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

/// A name that no other session has, in the form of a UUID, which some clients insist on.
pub(crate) fn session_id(order: &Order) -> String {
    let pid = std::process::id();
    let start = supervise::procs::start_time(pid);
    let what =
        format!("{}/{}/{}/{}/{pid}/{start:?}", order.plan.root, order.run, order.task.key, order.attempt);
    let hex = toolkit::sha::hex(what.as_bytes());
    format!("{}-{}-4{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
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

fn tail_of(text: &str) -> Vec<String> {
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].iter().map(|l| (*l).to_owned()).collect()
}
