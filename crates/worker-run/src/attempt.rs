//! One attempt: recorded before the worker starts, saved before the order proceeds.

pub(crate) mod baseline;
pub(crate) mod begin;
pub(crate) mod carried;
pub(crate) mod choose_worker;
pub(crate) mod circuit_breaker;
pub(crate) mod claim;
pub(crate) mod company;
pub(crate) mod ending;
pub(crate) mod escalation;
pub(crate) mod job;
pub(crate) mod saved_result;
pub(crate) mod survivors;

use crate::answer::Answer;
use crate::answer::outcome::{self, Finding, Past};
use crate::args::Args;
use crate::attempt::choose_worker::{Worker as Chosen, errand, is_errand};
use crate::attempt::claim::Claims;
use crate::attempt::company::Company;
use crate::attempt::ending::{Attested, Ending, Stamp, attest, model_match, tail_of};
use crate::attempt::saved_result::Saved;
use crate::guard::Before;
use crate::guard::declared_files;
use crate::guard::worker_commits;
use crate::guard::worker_commits::Taken;
use crate::isolate::sandbox;
use crate::isolate::{self, Isolate};
use crate::shell::nothing_to_run;
use config::profile::Profile;
use config::stop_words;
use config::{ByWorker, Config};
use ledger::Entry;
use ledger::pins::{PLAN_BEFORE, PLAN_SEEN, SINCE};
use ledger::recorder::Recorder;
use repo::git::Git;
use repo::prior_changes::CHANGED_BEFORE;
use repo::{snapshot, worktree};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use supervise::{Ended, Job, Running, Stop};
use toolkit::Fail;
use toolkit::files::fs;
use toolkit::files::redact::Redact;
use toolkit::files::root::{Home, has_git};
use wire::digest::Sealed;
use wire::order::{Halt, Hold, Outcome, Owner, Worker, Worktree};
use wire::punch::{Punch, SourceKind, Type};
use wire::{Order, OrderLine};

/// A running attempt.
pub(crate) struct Attempt {
    pub(crate) order: Order,
    chosen: Chosen,
    before: Before,
    folder: PathBuf,
    /// Our name for the client's session.
    session: String,
    batch: u32,
    /// Whose workers use the same tree at the same time.
    company: Company,
    /// Its own worktree, if it has one.
    tree: Option<Worktree>,
    /// Where it works.
    place: PathBuf,
    setting_up: bool,
    /// The record that the configuration names, as it was before the worker started.
    old_record: Option<Stamp>,
    /// The secrets to mask, as configured before the worker started.
    redact: Redact,
    /// Our identity in its records.
    owner: Owner,
    /// The hold that it works under, if several runs share the plan.
    hold: Option<Hold>,
    /// What becomes of commits that its worker makes; `None` where the workflow asks it to commit.
    by_worker: Option<ByWorker>,
    /// The policy of the plan's workflow, as it was before the worker started.
    profile: Profile,
    /// The configuration, likewise.
    config: Config,
    /// What git had staged, kept for a run that has to go back to it.
    index: Option<Sealed>,
    /// The commits of an interrupted attempt that were taken back before this one began.
    taken_back: Vec<Taken>,
    /// Where the tree that it found is kept.
    found: Option<Value>,
    /// The whole tree as a commit, where every change is taken back.
    whole: Option<String>,
}

/// The result of starting an attempt.
pub(crate) enum Started {
    /// It runs.
    Running(Box<Attempt>, Box<Running>),
    /// It cannot run, and why.
    Not(Box<Halt>),
}

impl Attempt {
    /// Ends survivors of an interrupted attempt, creates the worktree, records the start, and starts the worker or
    /// the setup of its worktree.
    pub(crate) fn start(
        args: &Args,
        desk: &Recorder,
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
        let redact = Redact::of(&config.redact)?;
        let profile = config.profile(&order.plan.dialect)?;
        let taken_back = claims.look(&order, config, |records| {
            worker_commits::after_crash(&home, &order, &profile, records, &redact)
        })?;
        let isolated = args.isolate == Isolate::Worktree && !is_errand(&order);
        let making = if isolated { Some(worktree::making(&home, crate::STAGE)?) } else { None };
        let make = |records: &[Punch]| isolate::make(&order, records);
        let tree = if isolated { Some(claims.look(&order, config, make)?) } else { None };
        // A reviewer reads the work where it is.
        let read = if order.is_review() {
            claims.look(&order, config, |records| worktree::of_last_attempt(records, &order))?
        } else {
            None
        };
        let place = tree
            .as_ref()
            .or(read.as_ref())
            .map_or(Ok(root.clone()), |tree| worktree::path_of(&root, tree))?;
        claims.renew();
        let mut attempt = Self {
            old_record: Stamp::of(&chosen, &place),
            before: Before::look(&order, &place)?,
            owner: claims.owner(&order, config)?,
            hold: None,
            order,
            chosen,
            folder,
            session,
            batch,
            company: Company::default(),
            tree,
            place,
            setting_up: false,
            by_worker: (!profile.worker_commits).then_some(config.commit.by_worker),
            profile,
            config: config.clone(),
            index: None,
            taken_back,
            found: None,
            whole: None,
            redact,
        };
        if choose_worker::is_check(&attempt.order) && has_git(home.root()) {
            let git = Git::new(home.clone());
            attempt.whole = Some(snapshot::take(&git, git.head()?.as_deref())?);
        }
        let setup = attempt.tree.as_ref().and_then(|_| {
            isolate::setup(&config.worktree, &attempt.place, &attempt.folder, args.grace_seconds)
        });
        let job = if setup.is_some() { None } else { attempt.job(args)? };
        if setup.is_none() && job.is_none() {
            attempt.remove_tree(home)?;
            return Ok(Started::Not(Box::new(nothing_to_run())));
        }
        attempt.look_back(&home, desk)?;
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

    /// Looks at earlier state, and keeps what a run after a crash may have to restore.
    fn look_back(&mut self, home: &Home, desk: &Recorder) -> Result<(), Fail> {
        let alone = self.tree.is_none();
        self.found = baseline::look_back(home, desk, &self.order, &self.folder, &mut self.before, alone)?;
        if alone && has_git(home.root()) {
            let index = self.before.index.as_deref();
            self.index = worker_commits::keep_index(&Git::new(home.clone()), &self.folder, index)?;
        }
        Ok(())
    }

    /// An attempt that does not begin needs no worktree.
    fn remove_tree(&self, home: Home) -> Result<(), Fail> {
        match &self.tree {
            Some(_) => worktree::remove(&Git::new(home), &worktree::name_of(&self.order)),
            None => Ok(()),
        }
    }

    /// Two workers that run at the same time, in one tree, know each other's tasks.
    pub(crate) fn meet(&mut self, other: &mut Self) {
        if self.place == other.place && !is_errand(&self.order) && !is_errand(&other.order) {
            self.company.meet(&other.order.task);
            other.company.meet(&self.order.task);
        }
    }

    /// Whether its worktree is still being set up.
    pub(crate) fn is_setting_up(&self) -> bool {
        self.setting_up
    }

    /// Starts the worker in the worktree that was set up.
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
        let body = self.before.field.work(&self.order.task);
        job::of(args, &self.order, &self.chosen, &body, &self.folder, &self.session, &self.place)
    }

    fn spawn(self, job: &Job) -> Result<Started, Fail> {
        let running = supervise::spawn(job).map_err(|e| Fail::io(Path::new(&self.chosen.name), &e))?;
        Ok(Started::Running(Box::new(self), Box::new(running)))
    }

    /// The record of the start.
    fn begun(&self, desk: &Recorder) -> Entry {
        // Running the Fitter on a gate is not an attempt at the task.
        let kind = if is_errand(&self.order) { Type::ChildSpawn } else { Type::AttemptBegin };
        let mut entry = desk.entry(&self.order, kind, self.chosen.name.clone());
        entry.source = SourceKind::Supervisor;
        entry.tree = self.before.tree.as_ref().map(|t| t.hash.clone());
        entry.data = claim::data_of(&self.owner);
        for (name, value) in [
            ("worker", json!(self.chosen.name)),
            ("mode", json!(self.mode())),
            ("model", json!(self.chosen.model)),
            ("batch", json!(self.batch)),
            ("fix", json!(self.order.why.fix)),
            ("dialect", json!(self.order.plan.dialect)),
            ("pins", json!(self.before.pins)),
            ("plan_sha256", json!(self.before.field.sha256())),
            ("commit", json!(self.before.commit)),
            (worker_commits::HEAD, json!(String::from_utf8_lossy(&self.before.branch))),
            (PLAN_BEFORE, json!(self.before.field.blanked())),
            (PLAN_SEEN, json!(self.before.seen)),
            (SINCE, json!(baseline::millis_of(self.before.since))),
        ] {
            entry.data[name] = value;
        }
        let theirs = self.before.theirs.as_ref().map(|theirs| json!(theirs));
        let taken = (!self.taken_back.is_empty()).then(|| worker_commits::listed(&self.taken_back));
        for (name, value) in [
            ("worktree", self.tree.as_ref().map(|tree| json!(tree))),
            (baseline::FOUND, self.found.clone()),
            (CHANGED_BEFORE, theirs),
            (worker_commits::INDEX, self.index.as_ref().map(|index| json!(index))),
            (worker_commits::TAKEN_BACK, taken),
        ] {
            if let Some(value) = value {
                entry.data[name] = value;
            }
        }
        entry
    }

    /// The mode that the child was asked to run in: the agent that the plan names.
    fn mode(&self) -> Option<&str> {
        let agent = self.order.task.agent.as_deref().map(|agent| agent.trim_start_matches('@'));
        errand(&self.order).or(agent)
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.order.plan.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// The worker's name.
    pub(crate) fn worker(&self) -> &str {
        &self.chosen.name
    }

    /// Inspects the worker's result, saves it, records the end, and sets `worker` on the line. Returns what halted
    /// the order, if anything. The result is refused if another run has taken over the task meanwhile.
    pub(crate) fn finish(
        self,
        args: &Args,
        desk: &Recorder,
        claims: &Claims,
        line: &mut OrderLine,
        ended: &Ended,
    ) -> Result<(Outcome, Option<Halt>), Fail> {
        let lost = || self.hold.as_ref().map_or(Ok(None), |hold| claims.still(&self.order, hold));
        // Files that the other run removed are missing for that reason.
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
        if choose_worker::is_check(&self.order) {
            begin::not_proposed(desk, line, &self.order, &halt, &detail)?;
            return Ok((outcome, Some(halt)));
        }
        desk.halt_with(line, &self.order, &halt, &detail)?;
        Ok((outcome, Some(halt)))
    }

    fn conclude(
        &self,
        args: &Args,
        desk: &Recorder,
        claims: &Claims,
        line: &mut OrderLine,
        ended: &Ended,
    ) -> Result<(Outcome, Option<(Halt, Value)>), Fail> {
        let root = Path::new(&self.order.plan.root);
        let ending = self.ending(args, claims, ended)?;
        claims.renew();
        let after = self.before.compare(desk, &self.order, &self.folder, claims.roll(), self.by_worker)?;
        let taken_back = worker_commits::masked(after.taken_back, &self.redact);
        worker_commits::tell(&self.order, &taken_back);
        self.before.tell_neighbours(desk, &self.order)?;
        claims.renew();
        let attested =
            attest(&self.chosen, &self.order, &self.place, &self.folder, &ending.reading, &self.session);
        let attested = attested.newer_than(self.old_record.as_ref());
        let is_other = after.tree.as_ref().map(|t| &t.hash) != self.before.tree.as_ref().map(|t| &t.hash);
        let has_company = !self.company.is_empty();
        let shares = self.company.divide(&self.order.task, &self.place, after.changed_files, &attested.wrote);
        let all = shares.all();
        let changed = is_other && !has_company || !all.is_empty();
        let finding = outcome::finding(
            ended,
            self.chosen.timeout_seconds,
            &ending.reading,
            ending.answer.as_ref(),
            changed,
        );
        let ledger = desk.ledger(&self.order)?;
        let records = ledger.read_of(&self.order.plan.path)?;
        let past = Past {
            // A fault of the worker concerns every plan.
            not_before: if outcome::waits(finding.outcome) {
                circuit_breaker::not_before(&ledger.read()?, &self.chosen.name, &desk.clock)
            } else {
                None
            },
            interrupted: ended.stop != Stop::Interrupted
                && circuit_breaker::was_interrupted(&records, &self.order),
            hang_is_final: self.profile.hang_is_final,
        };
        let halt = outcome::halt(&finding, ending.answer.as_ref(), past);
        let forbidden = declared_files::halt(&self.order, &all, after.tree.as_ref(), &records);
        let violation = declared_files::beside(after.violation, forbidden);
        let violation = violation.or_else(|| declared_files::strayed(&self.order, &all));
        self.put_back(&all)?;
        let mut worker = self.result(ended, ending, &finding, attested);
        worker.tree_after = after.tree.as_ref().map(|t| t.hash.clone());
        worker.undeclared_files = declared_files::undeclared(&self.order.task, &shares.own);
        worker.changed_files = shares.own;
        if !shares.unattributed.is_empty() {
            worker.problems.push(format!(
                "changed while other workers ran in this tree; neither a task declares it nor a record names it: {}",
                shares.unattributed.join(", ")
            ));
        }
        worker.unattributed_files = shares.unattributed;
        fs::sync_files(&self.place, &all, self.before.since)?;
        // The worker may have removed it.
        fs::private_folder(&self.folder)?;
        let (mut worker, bytes, too_much) = carried::of(&worker, &self.redact)?;
        let stop = stop_words::halt(crate::STAGE, &self.profile, &self.order.task, &worker);
        let halt = stop.or(halt.map(|halt| outcome::of_inspection(&self.order.task, halt))).or(too_much);
        let halt = violation.or(halt.map(|halt| (halt, Value::Null)));
        let halt = outcome::beside_warnings(&self.order, &self.profile, &worker, halt);
        let saved = saved_result::save(root, &self.folder, &bytes)?;
        let mut end = self.ended(desk, &worker, &saved);
        end.data["left"] = declared_files::left(&all, after.tree.as_ref());
        if !taken_back.is_empty() {
            end.data[worker_commits::TAKEN_BACK] = worker_commits::listed(&taken_back);
        }
        if let Err(lost) = claims.append(&self.order, self.hold.as_ref(), end)? {
            return Ok((finding.outcome, Some((lost, Value::Null))));
        }
        worker_commits::forget_index(&self.folder)?;
        let failed = begin::spent(desk, &self.order)? + 1;
        let failure = halt.as_ref().map(|(halt, detail)| json!({ "halt": halt, "detail": detail }));
        worker.escalates_to =
            choose_worker::successor(args, &self.config, &self.order, failure, failed, &self.chosen);
        toolkit::stream::stage::set(line, "worker", &worker)?;
        Ok((finding.outcome, halt))
    }

    /// Takes back what a worker changed that may change nothing.
    fn put_back(&self, changed: &[String]) -> Result<(), Fail> {
        let Some(whole) = self.whole.as_ref().filter(|_| !changed.is_empty()) else { return Ok(()) };
        let git = Git::new(Home::of(Path::new(&self.order.plan.root))?);
        let now = snapshot::take(&git, git.head()?.as_deref())?;
        snapshot::put(&git, &now, whole, changed)
    }

    /// The worker's result; a client that supports it is asked once more for an unreadable answer.
    fn ending(&self, args: &Args, claims: &Claims, ended: &Ended) -> Result<Ending, Fail> {
        let ending = self.read(ended, "")?;
        let well = ended.stop == Stop::Exited && ending.reading.fault.is_none();
        if !well || ending.answer.is_some() {
            return Ok(ending);
        }
        let ending = self.asked_again(args, claims, ending)?;
        let counts = self.profile.plain_answers && !is_errand(&self.order);
        Ok(if counts { ending.with_plain_answer(&self.order.task, ended) } else { ending })
    }

    /// Asks a client that gave no answer for it once more, in the same session.
    fn asked_again(&self, args: &Args, claims: &Claims, ending: Ending) -> Result<Ending, Fail> {
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

    /// Reads the worker's output, masked before anything else reads it.
    fn read(&self, ended: &Ended, suffix: &str) -> Result<Ending, Fail> {
        for stream in ["stdout", "stderr"] {
            self.redact.file(&self.folder.join(format!("{stream}{suffix}.log")))?;
        }
        let tail = self.redact.text(&ended.tail);
        Ending::read(&self.chosen, (&self.order, &self.profile), &self.folder, ended, (suffix, &tail))
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
        // The client's own record says who did the work; without one, there is only the worker's word.
        let model = attested.model.or(a.model);
        let priced = [model.as_deref(), self.chosen.wanted.as_deref(), Some(self.chosen.name.as_str())];
        let price = priced.into_iter().flatten().find_map(|name| self.config.prices.get(name));
        let cost =
            price.zip(attested.tokens).map(|(price, used)| price.cost(used.input, used.output, used.cached));
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
            warnings: a.warnings,
            error: a.error,
            adaptation: a.adaptation,
            verdict: a.verdict,
            validity: a.validity,
            escalates_to: None,
            model_match: model_match(self.chosen.wanted.as_deref(), model.as_deref()),
            runtime_model_reported: model,
            runtime_mode_reported: attested.mode.or(a.mode),
            transcript: attested.transcript,
            session_id: attested.session,
            log: self.shown(&self.folder.join("stdout.log")),
            exit: ended.exit_code,
            signal: ended.signal,
            duration_ms: ended.elapsed_ms,
            cost: cost.or(attested.cost),
            tokens: attested.tokens,
            tree_before: self.before.tree.as_ref().map(|t| t.hash.clone()),
            tree_after: None,
            changed_files: Vec::new(),
            undeclared_files: Vec::new(),
            unattributed_files: Vec::new(),
            problems,
            batch: Some(self.batch),
            worktree: self.tree.clone(),
            hold: self.hold.clone(),
        }
    }

    /// The record of the end.
    fn ended(&self, desk: &Recorder, worker: &Worker, saved: &Saved) -> Entry {
        let kind = if is_errand(&self.order) { Type::ChildComplete } else { Type::AttemptEnd };
        let mut entry = desk.entry(&self.order, kind, self.chosen.name.clone());
        entry.source = SourceKind::Supervisor;
        entry.tree.clone_from(&worker.tree_after);
        entry.data = json!({
            "result": saved.sealed, "status": worker.status, "outcome": worker.outcome, "exit": worker.exit,
            "duration_ms": worker.duration_ms, "cost": worker.cost, "changed_files": worker.changed_files,
            "model": worker.runtime_model_reported, "model_match": worker.model_match,
        });
        if let Some(tokens) = worker.tokens {
            entry.data["tokens"] = json!(tokens);
        }
        if let Some(carried) = &saved.carried {
            entry.data[saved_result::CARRIED] = carried.clone();
        }
        if !worker.unattributed_files.is_empty() {
            entry.data["unattributed"] = json!(worker.unattributed_files);
        }
        entry
    }
}

/// The folder with all files of the attempt.
fn folder_of(home: &Home, order: &Order) -> Result<PathBuf, Fail> {
    let errand = errand(order).map(|name| format!("-{name}")).unwrap_or_default();
    home.folder(&format!("work/{}/{}/{}{errand}", order.run, order.task.key, order.attempt))
}
