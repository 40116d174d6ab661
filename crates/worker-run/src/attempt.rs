//! One attempt: on record before the worker starts, saved before the order goes on.

use crate::answer::Answer;
use crate::args::Args;
use crate::choose::{Worker as Chosen, is_errand};
use crate::claim::Claims;
use crate::ending::{Attested, Ending, Stamp, attest, model_match, tail_of};
use crate::isolate::{self, Isolate};
use crate::outcome::{self, Finding};
use crate::shell::nothing_to_run;
use crate::watch::Before;
use crate::{baseline, breaker, carried, claim, declared, job, sandbox, survivors};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use supervise::{Ended, Job, Running, Stop};
use toolkit::config::Config;
use toolkit::git::Git;
use toolkit::ledger::Entry;
use toolkit::pins::{PLAN_BEFORE, SINCE};
use toolkit::redact::Redact;
use toolkit::root::Home;
use toolkit::stage::Desk;
use toolkit::theirs::CHANGED_BEFORE;
use toolkit::{Fail, fs, tree::Tree, worktree};
use wire::digest::Sealed;
use wire::order::{Halt, Hold, Outcome, Owner, Worker, Worktree};
use wire::punch::{Punch, SourceKind, Type};
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
    /// The record that the configuration names, as it was before the worker started.
    old_record: Option<Stamp>,
    /// What must not be kept, as it was configured before the worker started.
    redact: Redact,
    /// Who we are, as its records name us.
    owner: Owner,
    /// By which hold it works, where several runs share the plan.
    hold: Option<Hold>,
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
        claims: &Claims,
        order: Order,
        chosen: Chosen,
        batch: u32,
        config: &Config,
    ) -> Result<Started, Fail> {
        if chosen.sandbox {
            sandbox::available()?;
        }
        survivors::end(&order, args.shared)?;
        let root = PathBuf::from(&order.plan.root);
        let home = Home::of(&root)?;
        let folder = folder_of(&home, &order)?;
        let session = job::session_id(&order);
        let isolated = args.isolate == Isolate::Worktree && !is_errand(&order);
        let making = if isolated { Some(worktree::making(&home, crate::STAGE)?) } else { None };
        let make = |records: &[Punch]| isolate::make(&order, records);
        let tree = if isolated { Some(claims.look(&order, config, make)?) } else { None };
        let place = tree.as_ref().map_or(Ok(root.clone()), |tree| worktree::path_of(&root, tree))?;
        claims.renew();
        let old_record = Stamp::of(&chosen, &place);
        let mut attempt = Self {
            before: Before::look(&order, &place)?,
            owner: claims.owner(&order, config)?,
            hold: None,
            order,
            chosen,
            folder,
            session,
            batch,
            tree,
            place,
            setting_up: false,
            old_record,
            redact: Redact::of(&config.redact)?,
        };
        let setup = attempt.tree.as_ref().and_then(|_| {
            isolate::setup(&config.worktree, &attempt.place, &attempt.folder, args.grace_seconds)
        });
        let job = if setup.is_some() { None } else { attempt.job(args)? };
        if setup.is_none() && job.is_none() {
            attempt.remove_tree(home)?;
            return Ok(Started::Not(Box::new(nothing_to_run())));
        }
        let (order, alone) = (&attempt.order, attempt.tree.is_none());
        baseline::look_back(&home, desk, order, &attempt.folder, &mut attempt.before, alone)?;
        match claims.take(&attempt.order, config, attempt.begun(desk))? {
            Ok(head) => {
                attempt.hold = claims.hold(head.seq, &attempt.owner);
                attempt.before.begun(head)?;
            }
            Err(halt) => {
                attempt.remove_tree(home)?;
                return Ok(Started::Not(Box::new(halt)));
            }
        }
        drop(making);
        attempt.setting_up = setup.is_some();
        match setup.or(job) {
            Some(job) => attempt.spawn(&job),
            None => Ok(Started::Not(Box::new(nothing_to_run()))),
        }
    }

    /// An attempt that does not begin needs no tree.
    fn remove_tree(&self, home: Home) -> Result<(), Fail> {
        match &self.tree {
            Some(_) => worktree::remove(&Git::new(home), &worktree::name_of(&self.order)),
            None => Ok(()),
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
        let known = self.before.known();
        self.before = Before::look(&self.order, &self.place)?;
        self.before.keep(known);
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
        entry.source = SourceKind::Supervisor;
        entry.tree = self.before.tree.as_ref().map(|t| t.hash.clone());
        entry.data = claim::data_of(&self.owner);
        for (name, value) in [
            ("worker", json!(self.chosen.name)),
            ("batch", json!(self.batch)),
            ("fix", json!(self.order.why.fix)),
            ("dialect", json!(self.order.plan.dialect)),
            ("pins", json!(self.before.pins)),
            ("plan_sha256", json!(self.before.field.plan.source.sha256)),
            ("commit", json!(self.before.commit)),
            (PLAN_BEFORE, json!(self.before.field.blanked())),
            (SINCE, json!(baseline::millis_of(self.before.since))),
        ] {
            entry.data[name] = value;
        }
        let theirs = self.before.theirs.as_ref().map(|theirs| json!(theirs));
        for (name, value) in
            [("worktree", self.tree.as_ref().map(|tree| json!(tree))), (CHANGED_BEFORE, theirs)]
        {
            if let Some(value) = value {
                entry.data[name] = value;
            }
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
    /// order, if anything did. Work whose task another run has taken over meanwhile is refused, whatever it is.
    pub(crate) fn finish(
        self,
        args: &Args,
        desk: &Desk,
        claims: &Claims,
        line: &mut OrderLine,
        ended: &Ended,
    ) -> Result<(Outcome, Option<Halt>), Fail> {
        let lost = || self.hold.as_ref().map_or(Ok(None), |hold| claims.still(&self.order, hold));
        // What the other run removed of ours is missing for that reason.
        let done = match lost()? {
            None => self.conclude(args, desk, claims, line, ended),
            Some(halt) => Ok((Outcome::Interrupted, Some((halt, Value::Null)))),
        };
        let (outcome, halt) = match (done, lost()?) {
            (Err(_), Some(halt)) => (Outcome::Interrupted, Some((halt, Value::Null))),
            (done, _) => done?,
        };
        let Some((halt, mut detail)) = halt else { return Ok((outcome, None)) };
        if !detail.is_object() {
            detail = json!({});
        }
        detail["tail"] = tail_of(&self.redact.text(&ended.tail)).into();
        desk.halt_with(line, &self.order, &halt, &detail)?;
        Ok((outcome, Some(halt)))
    }

    fn conclude(
        &self,
        args: &Args,
        desk: &Desk,
        claims: &Claims,
        line: &mut OrderLine,
        ended: &Ended,
    ) -> Result<(Outcome, Option<(Halt, Value)>), Fail> {
        let root = Path::new(&self.order.plan.root);
        let ending = self.ending(args, claims, ended)?;
        claims.renew();
        let after = self.before.compare(&self.order, &self.folder, claims.roll())?;
        self.before.tell_neighbours(desk, &self.order)?;
        claims.renew();
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
        let forbidden = declared::halt(&self.order, &after.changed_files, after.tree.as_ref(), &records);
        let violation = declared::beside(after.violation, forbidden);
        let violation = violation.or_else(|| declared::strayed(&self.order, &after.changed_files));
        let halt = violation.or(halt.map(|halt| (halt, Value::Null)));
        let attested =
            attest(&self.chosen, &self.order, &self.place, &self.folder, &ending.reading, &self.session);
        let attested = attested.newer_than(self.old_record.as_ref());
        let mut worker = self.result(ended, ending, &finding, attested);
        worker.tree_after = after.tree.as_ref().map(|t| t.hash.clone());
        worker.undeclared_files = declared::undeclared(&self.order.task, &after.changed_files);
        worker.changed_files = after.changed_files;
        fs::sync_files(&self.place, &worker.changed_files)?;
        // The worker may have removed it.
        fs::private_folder(&self.folder)?;
        let (worker, bytes, too_much) = carried::of(&worker, &self.redact)?;
        let halt = halt.or_else(|| too_much.map(|halt| (halt, Value::Null)));
        let result = fs::seal(root, &self.folder.join("result.json"), &bytes)?;
        let end = self.ended(desk, &worker, &result, after.tree.as_ref());
        if let Err(lost) = claims.append(&self.order, self.hold.as_ref(), end)? {
            return Ok((finding.outcome, Some((lost, Value::Null))));
        }
        baseline::forget(&self.folder)?;
        toolkit::stage::set(line, "worker", &worker)?;
        Ok((finding.outcome, halt))
    }

    /// What the worker left; a client that can be asked again for an answer that cannot be read is asked once.
    fn ending(&self, args: &Args, claims: &Claims, ended: &Ended) -> Result<Ending, Fail> {
        let ending = self.read(ended, "")?;
        let well = ended.stop == Stop::Exited && ending.reading.fault.is_none();
        if !well || ending.answer.is_some() {
            return Ok(ending);
        }
        let session = ending.reading.session.as_deref().unwrap_or(&self.session);
        let job = job::again(args, &self.order, &self.chosen, &self.folder, session, &self.place)?;
        let Some(job) = job else { return Ok(ending) };
        let failed = |e: std::io::Error| Fail::io(Path::new(&self.chosen.name), &e);
        let again = supervise::spawn(&job).map_err(failed)?;
        while supervise::wait_any(&[&again], Some(Duration::from_secs(1))).map_err(failed)?.is_none() {
            claims.renew();
        }
        let second = again.finish().map_err(failed)?;
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
            adaptation: a.adaptation,
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
            hold: self.hold.clone(),
        }
    }

    /// The record of the end.
    fn ended(&self, desk: &Desk, worker: &Worker, result: &Sealed, tree: Option<&Tree>) -> Entry {
        let kind = if is_errand(&self.order) { Type::ChildComplete } else { Type::AttemptEnd };
        let mut entry = desk.entry(&self.order, kind, self.chosen.name.clone());
        entry.source = SourceKind::Supervisor;
        entry.tree.clone_from(&worker.tree_after);
        entry.data = json!({
            "result": result, "status": worker.status, "outcome": worker.outcome, "exit": worker.exit,
            "duration_ms": worker.duration_ms, "cost": worker.cost, "changed_files": worker.changed_files,
            "left": declared::left(&worker.changed_files, tree),
        });
        entry
    }
}

/// Where everything of the attempt is kept.
fn folder_of(home: &Home, order: &Order) -> Result<PathBuf, Fail> {
    let errand = if is_errand(order) { "-fitter" } else { "" };
    home.folder(&format!("work/{}/{}/{}{errand}", order.run, order.task.key, order.attempt))
}
