//! The commit of one ticked task, or the reason why there is none.

use crate::STAGE;
use crate::commit::{self, Made, Request};
use crate::condition::{self, Judged};
use crate::land::worker_commits;
use crate::residual::{self, LEFT, tell_theirs};
use config::commits::Commits;
use config::globs::FileRows;
use config::{Config, ConfigArgs, LandBy};
use dialects::PlanSnapshot;
use dialects::context::files::Shelf;
use dialects::context::journal;
use dialects::write::ticked::Ticked;
use ledger::pins::SINCE;
use ledger::proof::{self, ProofContext};
use ledger::read_cache::Records;
use ledger::recorder::Recorder;
use ledger::verdict::{self, Scope};
use ledger::{Entry, Ledger};
use ledger::{leases, level, task_history};
use markdown::Text;
use repo::git::{Call, Git};
use repo::tree::Tree;
use repo::{landing, prior_changes};
use serde_json::json;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};
use toolkit::Fail;
use toolkit::cli::clock::Clock;
use toolkit::files::fs;
use toolkit::files::lock::Lock;
use toolkit::files::root::{Home, has_git};
use toolkit::stream::stage::{order_of, set};
use wire::order::{Category, Commit, Halt};
use wire::plan::{CommitRule, Kind};
use wire::punch::{Punch, SourceKind, Type};
use wire::{Order, OrderLine, RunId, State, Task, TaskId};

/// Settles one order and sets `commit`.
pub(crate) fn order(config: &ConfigArgs, desk: &Recorder, line: &mut OrderLine) -> Result<(), Fail> {
    let order = order_of(line)?;
    if let Some(halt) = &order.halt {
        return set(line, "commit", &skip(&format!("halted by {}: {}", halt.stage, halt.code)));
    }
    let root = Path::new(&order.plan.root);
    if !has_git(root) {
        return set(line, "commit", &skip("there is no git repository"));
    }
    let field = PlanSnapshot::of(&order.plan)?;
    let config = config.load(root)?;
    let house = House::new(Home::of(root)?, &field, &config, desk.clock)?;
    if let Err(message) = leases::still_of(&house.records, &order) {
        set(line, "commit", &skip(&message))?;
        return desk.halt(line, &order, &lost(STAGE, message));
    }
    let Some(task) = field.handed_out(&order) else {
        return set(line, "commit", &skip("the task is no longer in the plan as it was handed out"));
    };
    let settled = match house.settle(&task, &order.run) {
        // A failure of git is reported on the order; no order disappears in the pipe.
        Err(fail) if matches!(fail.code, "git-failed" | "commit-busy") => {
            Settled::Refused("commit-refused", fail.message)
        }
        other => other?,
    };
    match settled {
        Settled::Commit(commit) => {
            let landed = order.land.as_ref().is_some_and(|land| land.skipped.is_none());
            if let Some(hash) = commit.hash.as_ref().filter(|_| landed) {
                house.join(&order, hash)?;
            }
            set(line, "commit", &commit)
        }
        Settled::Refused(code, message) => {
            set(line, "commit", &skip(&message))?;
            let halt = halt(code, message);
            // A failed commit is an issue like any other that a run leaves.
            let shelf = Shelf::of(&order.plan)?;
            let now = desk.clock.now();
            let entry = journal::GivenUp { order: &order, halt: &halt, retries: 0, now: &now };
            shelf.edit("issues.md", |text| journal::halted(text, &entry))?;
            desk.halt_with(line, &order, &halt, &house.detail(&task)?)
        }
    }
}

/// Everything that a commit needs.
pub(crate) struct House<'a> {
    pub(crate) home: Home,
    pub(crate) git: Git,
    pub(crate) field: &'a PlanSnapshot,
    pub(crate) records: Records,
    config: &'a Config,
    commits: Commits,
    pub(crate) clock: Clock,
    _lock: Lock,
}

/// The result of settling a task.
pub(crate) enum Settled {
    /// A commit, or why none is due.
    Commit(Commit),
    /// A commit is due and could not be made: a code word and a sentence.
    Refused(&'static str, String),
}

impl<'a> House<'a> {
    /// Takes the lock: commits are made one at a time.
    pub(crate) fn new(
        home: Home,
        field: &'a PlanSnapshot,
        config: &'a Config,
        clock: Clock,
    ) -> Result<Self, Fail> {
        let lock = landing::lock(&home, STAGE)?;
        Self::under(lock, home, field, config, clock)
    }

    /// The same for a caller that has the lock.
    pub(crate) fn under(
        lock: Lock,
        home: Home,
        field: &'a PlanSnapshot,
        config: &'a Config,
        clock: Clock,
    ) -> Result<Self, Fail> {
        let records = Ledger::new(home.clone()).read_of(&field.plan.source.path)?;
        let commits = config.commits(&field.plan)?;
        Ok(Self { git: Git::new(home.clone()), home, field, records, config, commits, clock, _lock: lock })
    }

    /// The commit that is due after a task, whether the plan names it or not.
    pub(crate) fn rule(&self, task: &Task) -> Option<CommitRule> {
        self.commits.of(task)
    }

    /// Whether nothing is ever committed.
    pub(crate) fn never(&self) -> bool {
        self.commits.never()
    }

    /// Makes the commit that is due for a task that was ticked in `run`.
    pub(crate) fn settle(&self, task: &Task, run: &RunId) -> Result<Settled, Fail> {
        let Some(rule) = &self.rule(task) else {
            return Ok(Settled::Commit(skip("the plan names no commit for this task")));
        };
        let ticked = self.standing(task).filter(|s| s.tick.as_ref() == Some(run));
        if ticked.is_none() || task.state != State::Completed {
            return Ok(Settled::Commit(skip("the task was not ticked on proof in this run")));
        }
        if let Some(waits) = rule.with.iter().find(|id| !self.is_done(id)) {
            return Ok(Settled::Commit(skip(&format!(
                "waits for task '{waits}', which goes into the same commit"
            ))));
        }
        if let Some(why) = commit::obstacle(&self.home) {
            return Ok(Settled::Refused("commit-obstacle", why.to_owned()));
        }
        self.commit(task, rule, run)
    }

    fn commit(&self, task: &Task, rule: &CommitRule, run: &RunId) -> Result<Settled, Fail> {
        let now = Tree::now(&self.home, &self.field.ground)?.unwrap_or_default();
        let changed = self.git.changed()?;
        let named = self.named(task, rule);
        if let Some(path) = commit::hidden(&self.git, &now, &changed)?.iter().find(|path| named(path)) {
            let message = format!(
                "'{path}' differs from the last commit, and git's index says not to look at it; see 'git update-index'"
            );
            return Ok(Settled::Refused("hidden-change", message));
        }
        let ground = &self.field.ground;
        let before = self.before_the_work(task, rule);
        let has_moved = self.has_moved(task, rule, &now);
        // Where several workers share a tree, a file that none of them is known to have written and that changed
        // after the proof belongs to a task that is still at work.
        let unattributed = self.unattributed(task, rule);
        let of_others = |path: &String| unattributed.contains(path) && has_moved(path);
        let (files, rest): (Vec<_>, Vec<_>) =
            changed.into_iter().partition(|path| named(path) && !before(path) && !of_others(path));
        let theirs = prior_changes::worked_on(&self.records, &self.field.plan.source.path);
        // Files that no worker changed are counted at the end of the run.
        let is_untouched = |path: &String| theirs.get(path).is_some_and(Option::is_none);
        tell_theirs(LEFT, rest.iter().filter(|path| named(path) && !is_untouched(path)));
        // Our own stages write the plan before the first worker starts: that is no person's change.
        let is_ours = |path: &String| ground.is_own(path) || ground.is_plan(path);
        let is_theirs = |path: &&String| theirs.contains_key(*path) && !is_ours(path);
        tell_theirs("and committed as the plan names it", files.iter().filter(is_theirs));
        let outside = rest.into_iter().filter(|path| !is_ours(path)).collect();
        if let Some(path) = files.iter().find(|path| path.ends_with('/')) {
            let message = format!("'{path}' is a repository of its own: a commit cannot hold its files");
            return Ok(Settled::Refused("commit-refused", message));
        }
        if files.is_empty() {
            return self.nothing_left(task, rule, run, &now, outside);
        }
        match condition::judge(&rule.condition, self.home.root())? {
            Judged::Holds => {}
            Judged::Not(why) => {
                let commit = Commit { outside, ..skip(&why) };
                self.record(task, rule, run, &commit)?;
                return Ok(Settled::Commit(commit));
            }
            Judged::ForAPerson => {
                let message = format!(
                    "whether '{}' holds is for a person to say; if it does, commit by hand: {}",
                    rule.condition,
                    files.join(", ")
                );
                return Ok(Settled::Refused("commit-condition", message));
            }
        }
        if let Some(moved) = files.iter().find(|path| has_moved(path))
            && !self.is_proved_again(task, rule, &now)?
        {
            let message =
                format!("'{moved}' changed after the proof; what would be committed is not what was checked");
            return Ok(Settled::Refused("tree-moved", message));
        }
        self.make(task, rule, run, &now, Commit { files, outside, ..Commit::default() })
    }

    /// Makes a commit of these files, each as it is in this tree.
    fn make(
        &self,
        task: &Task,
        rule: &CommitRule,
        run: &RunId,
        now: &Tree,
        commit: Commit,
    ) -> Result<Settled, Fail> {
        let trailers = self.trailers(task, rule, run)?;
        let message = self.message(task, rule);
        let by_stages = residual::by_stages(self.field);
        let request = Request {
            message: &message,
            trailers: &trailers,
            files: &commit.files,
            tree: now,
            by_stages: &by_stages,
        };
        match commit::make(&self.git, &request)? {
            Made::Refused(said) => {
                Ok(Settled::Refused("commit-refused", format!("git refused the commit: {said}")))
            }
            Made::Rewritten(message) => Ok(Settled::Refused("hook-rewrote", message)),
            Made::Formatted(files) => {
                let message = format!(
                    "a commit hook changed {}: the checks of the task run again before that is committed",
                    files.join(", ")
                );
                Ok(Settled::Refused("hook-formatted", message))
            }
            Made::Commit(hash) => {
                let commit = Commit { hash: Some(hash), ..commit };
                self.record(task, rule, run, &commit)?;
                Ok(Settled::Commit(commit))
            }
        }
    }

    /// Adds a merge commit for the work of a task's own tree, if the configuration asks for it.
    fn join(&self, order: &Order, hash: &str) -> Result<(), Fail> {
        let tree = order.worker.as_ref().and_then(|worker| worker.worktree.as_ref());
        let parent = self.git.ask(&Call::of(&["rev-parse", "--verify", "--quiet", &format!("{hash}^")]))?;
        if let Some(tree) = tree.filter(|_| self.config.worktree.land == LandBy::Merge)
            && parent.status.success()
        {
            let joined = worker_commits::join(&self.git, &parent.line(), hash, &tree.branch)?;
            self.git.run(&Call::of(&["update-ref", "-m", "plantools: land", "HEAD", &joined, hash]))?;
        }
        Ok(())
    }

    /// Whether the row names a file. A row without files means the worker's changes.
    pub(crate) fn named(&self, task: &Task, rule: &CommitRule) -> impl Fn(&str) -> bool {
        let ground = &self.field.ground;
        let ours = |path: &str| ground.is_own(path) || ground.is_plan(path);
        let by_worker = self.changed_by_worker(task, rule);
        let files = (!rule.files.is_empty()).then(|| FileRows::new(&rule.files));
        let landed = self.was_isolated(task, rule);
        // Without a strategy of the plan the tick goes with the work, so that a commit is all of a task.
        let with_plan = (self.config.commit.with_plan || rule.own) && !self.is_ticked_by_others();
        // The file of another task is committed with that task: until then it may hold anything.
        let tasks = self.field.plan.tasks.iter();
        let others = tasks
            .filter(|other| other.kind != Kind::Container && !members(task, rule).any(|id| *id == other.id));
        let of_others: HashSet<String> =
            others.filter_map(|other| Some(other.detail.as_ref()?.path.clone())).collect();
        move |path| {
            let listed = match &files {
                None => by_worker.contains(path),
                Some(files) => files.names(path),
            };
            let with_plan =
                with_plan && ours(path) && !path.starts_with(".plantools/") && !of_others.contains(path);
            // Work from a task's own tree has landed by name: other changes in the main tree are not the task's.
            let is_its = !landed || ours(path) || by_worker.contains(path);
            ((listed && !ours(path)) || with_plan) && is_its
        }
    }

    /// Whether a box of the plan is ticked that is open in the last commit and that no stage ticked: while workers
    /// run elsewhere, one of them may have done it, so the plan stays out of the commit.
    fn is_ticked_by_others(&self) -> bool {
        // Mostly every ticked box of the plan is on record, and the plan of the last commit need not be read.
        if Ticked::default().unheard(self.field, &self.records).is_empty() {
            return false;
        }
        let source = &self.field.plan.source;
        let path = source.path.as_str();
        let committed = self.git.ask(&Call::of(&["cat-file", "blob", &format!("HEAD:{path}")])).ok();
        let committed = committed.filter(|answer| answer.status.success());
        let old = committed.and_then(|answer| {
            dialects::read(&Text { path, bytes: &answer.out }, Some(&source.dialect)).ok()
        });
        old.is_some_and(|old| !Ticked::of(&old).unheard(self.field, &self.records).is_empty())
    }

    /// Whether a change was there before the first worker of a commit's tasks, and no worker of the plan has
    /// touched it since: then it is a person's, even if a row names its folder. The same holds for a file that a
    /// worker went on with, unless the row names that very file.
    fn before_the_work(&self, task: &Task, rule: &CommitRule) -> impl Fn(&str) -> bool {
        let ground = &self.field.ground;
        let mine = |p: &&Punch| {
            p.kind == Type::AttemptBegin && members(task, rule).any(|id| p.task.as_ref() == Some(id))
        };
        let begun = self.records.iter().find(mine).and_then(|p| p.data.get(SINCE)?.as_u64());
        let begun = begun.map(|millis| UNIX_EPOCH + Duration::from_millis(millis));
        let worked_on = OnceCell::new();
        let mut theirs = prior_changes::on_record(&self.records, &self.field.plan.source.path);
        theirs.retain(|path| !rule.files.iter().any(|file| file.trim().trim_start_matches("./") == path));
        move |path| {
            if theirs.contains(path) && !ground.is_own(path) {
                return true;
            }
            let changed = fs::changed_at(&self.home.root().join(path));
            let is_old = changed.zip(begun).is_some_and(|(changed, begun)| changed < begun);
            let by_worker = || worked_on.get_or_init(|| self.changed_by_any_worker()).contains(path);
            is_old && !ground.is_own(path) && !ground.is_plan(path) && !by_worker()
        }
    }

    fn changed_by_any_worker(&self) -> HashSet<String> {
        let ended = self.records.iter().filter(|p| p.kind == Type::AttemptEnd);
        let files = ended.filter_map(|p| p.data.get("changed_files")?.as_array().cloned()).flatten();
        files.filter_map(|f| f.as_str().map(str::to_owned)).collect()
    }

    /// Whether the tasks of a commit were worked on in trees of their own.
    fn was_isolated(&self, task: &Task, rule: &CommitRule) -> bool {
        let mine = |p: &&Punch| {
            p.kind == Type::AttemptBegin
                && p.plan == self.field.plan.source.path
                && members(task, rule).any(|id| p.task.as_ref() == Some(id))
        };
        self.records.iter().rev().find(mine).is_some_and(|p| p.data.get("worktree").is_some())
    }

    /// The files that the attempts at a commit's tasks changed, according to the ledger.
    fn changed_by_worker(&self, task: &Task, rule: &CommitRule) -> HashSet<String> {
        let is_member = |id: &TaskId| members(task, rule).any(|member| member == id);
        residual::changed_by_workers(&self.records, &self.field.plan.source.path, is_member)
    }

    /// The files of these that changed while several workers shared the tree and that none of them is known to have
    /// written.
    fn unattributed(&self, task: &Task, rule: &CommitRule) -> HashSet<String> {
        let is_member = |id: &TaskId| members(task, rule).any(|member| member == id);
        residual::unattributed(&self.records, &self.field.plan.source.path, is_member)
    }

    pub(crate) fn standing(&self, task: &Task) -> Option<task_history::TaskHistory> {
        let tasks = std::iter::once((&task.id, &task.fingerprint));
        task_history::of_plan(&self.records, &self.field.plan.source.path, tasks).remove(&task.id)
    }

    fn is_done(&self, id: &TaskId) -> bool {
        self.field.plan.tasks.iter().any(|t| t.id == *id && t.state.is_settled())
    }

    /// Whether a file is not as it was when the tasks of a commit were proved; the plan and our own files are apart.
    fn has_moved<'f>(
        &'f self,
        task: &Task,
        rule: &CommitRule,
        now: &'f Tree,
    ) -> impl Fn(&String) -> bool + use<'f> {
        let ticks = self.ticks(task, rule);
        let is_same = ticks.first().is_none_or(|tick| tick.tree.as_ref() == Some(&now.hash));
        let ground = &self.field.ground;
        move |path| {
            let proved = || ticks.iter().find_map(|tick| tick.data.get("files")?.get(path)?.as_str());
            let is = || now.entries.get(path).map_or("", String::as_str);
            !is_same && !ground.is_plan(path) && !ground.is_own(path) && proved() != Some(is())
        }
    }

    /// Whether every check of the tasks has passed again on the tree as it is: a commit hook has formatted the work.
    fn is_proved_again(&self, task: &Task, rule: &CommitRule, now: &Tree) -> Result<bool, Fail> {
        let source = &self.field.plan.source;
        let profile = self.config.profile(&source.dialect)?;
        let context = ProofContext::new(self.config, &profile, self.home.root());
        let tasks = &self.field.plan.tasks;
        for member in members(task, rule).filter_map(|id| tasks.iter().find(|task| task.id == *id)) {
            let own =
                proof::checks(member, context).into_iter().filter(|check| !check.key.starts_with("gate:"));
            let own: Vec<_> = own.collect();
            let passes = |check: &proof::Check| {
                let scope = Scope { digest: Some(&check.digest), tree: Some(&now.hash), ..Scope::default() };
                verdict::latest_observed(self.records.iter(), &scope)
                    .is_some_and(|p| p.kind == Type::GatePass)
            };
            if own.is_empty() || !own.iter().all(passes) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The last tick of each task of a commit, the latest first: the latest tick that names a file decides about
    /// it.
    pub(crate) fn ticks(&self, task: &Task, rule: &CommitRule) -> Vec<&Punch> {
        let plan = &self.field.plan.source.path;
        let of = |id: &TaskId| {
            let mut own =
                self.records.iter().rev().filter(|p| p.plan == *plan && p.task.as_ref() == Some(id));
            own.find(|p| p.kind == Type::Tick)
        };
        let mut ticks: Vec<&Punch> = members(task, rule).filter_map(of).collect();
        ticks.sort_by_key(|tick| std::cmp::Reverse(tick.seq));
        ticks
    }

    /// The message of the commit, and those of the commits that a worker had made itself. They are indented: no line of
    /// them can be taken for a trailer.
    fn message(&self, task: &Task, rule: &CommitRule) -> String {
        let plan = &self.field.plan.source.path;
        let is_member = |p: &Punch| members(task, rule).any(|id| p.task.as_ref() == Some(id));
        let since =
            |p: &Punch| p.plan == *plan && is_member(p) && matches!(p.kind, Type::Commit | Type::Untick);
        let from = self.records.iter().rposition(since).map_or(0, |at| at + 1);
        let own =
            self.records.get(from..).unwrap_or_default().iter().filter(|p| p.plan == *plan && is_member(p));
        let taken = own.filter_map(|p| p.data.get("taken_back")?.as_array()).flatten();
        let said = taken.filter_map(|one| one.get("message").or(one.get("subject"))?.as_str());
        let mut message = rule.message.trim_end().to_owned();
        for (number, text) in
            said.filter(|text| text.trim() != message.as_str()).collect::<Vec<_>>().into_iter().enumerate()
        {
            message.push_str(if number == 0 { "\n\nThe worker's own commits:\n" } else { "" });
            for line in text.trim().lines() {
                message.push_str("\n    ");
                message.push_str(line.trim_end());
            }
            message.push('\n');
        }
        message
    }

    /// The checks that the ticks of a commit's tasks rest on.
    fn checks(&self, task: &Task, rule: &CommitRule) -> String {
        const SHOWN: usize = 20;
        let mut names: Vec<&str> = Vec::new();
        for tick in self.ticks(task, rule).into_iter().rev() {
            for turn in ["made_true", "true_before", "before_unknown"] {
                let list = tick.data.pointer(&format!("/evidence/{turn}")).and_then(|list| list.as_array());
                names.extend(list.into_iter().flatten().filter_map(|name| name.as_str()));
            }
        }
        let more = names.len().saturating_sub(SHOWN);
        names.truncate(SHOWN);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{}{more}", names.join(", "))
    }

    fn trailers(
        &self,
        task: &Task,
        rule: &CommitRule,
        run: &RunId,
    ) -> Result<Vec<(&'static str, String)>, Fail> {
        let mut out = vec![("Plan", self.field.plan.source.path.clone())];
        out.extend(members(task, rule).map(|id| ("Task", id.to_string())));
        out.push(("Run", run.to_string()));
        // Several tasks in one commit have the weakest of their levels.
        let levels = self.ticks(task, rule).into_iter().filter_map(level::of_tick);
        out.extend(levels.max().map(|level| ("Evidence", level.shown().to_owned())));
        let checks = self.checks(task, rule);
        out.extend((!checks.is_empty()).then_some(("Checks", checks)));
        if let Some(anchor) = Ledger::new(self.home.clone()).anchor()? {
            out.push(("Ledger-Head", anchor));
        }
        Ok(out)
    }

    /// Writes one record for each task that the commit belongs to.
    pub(crate) fn record(
        &self,
        task: &Task,
        rule: &CommitRule,
        run: &RunId,
        commit: &Commit,
    ) -> Result<(), Fail> {
        let plan = &self.field.plan;
        let mut entries = Vec::new();
        for id in members(task, rule) {
            let Some(member) = plan.tasks.iter().find(|t| t.id == *id) else { continue };
            entries.push(Entry {
                plan: plan.source.path.clone(),
                task: Some(member.id.clone()),
                fingerprint: Some(member.fingerprint.clone()),
                source: SourceKind::Git,
                data: json!({ "commit": commit }),
                ..Entry::new(
                    run.clone(),
                    Type::Commit,
                    commit.hash.clone().unwrap_or_else(|| "skipped".to_owned()),
                    self.clock.now(),
                )
            });
        }
        let ledger = Ledger::new(self.home.clone());
        // A commit that was skipped leaves nothing in git: if a power cut takes the record, the next run makes it again.
        if commit.hash.is_some() {
            ledger.append_all(entries)?
        } else {
            ledger.append_unsynced(entries)?
        };
        Ok(())
    }
}

pub(crate) fn members<'t>(task: &'t Task, rule: &'t CommitRule) -> impl Iterator<Item = &'t TaskId> {
    std::iter::once(&task.id).chain(rule.with.iter())
}

pub(crate) fn skip(reason: &str) -> Commit {
    Commit { skipped: Some(reason.to_owned()), ..Commit::default() }
}

/// The halt if another run has the task now.
pub(crate) fn lost(stage: &str, message: String) -> Halt {
    Halt { stage: stage.into(), retry: true, ..halt(leases::LOST, message) }
}

pub(crate) fn halt(code: &str, message: String) -> Halt {
    Halt {
        stage: STAGE.into(),
        code: code.into(),
        category: Category::Unknown,
        message,
        retry: false,
        counts: false,
        not_before: None,
    }
}
