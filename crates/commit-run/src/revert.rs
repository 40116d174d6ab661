//! `commit-run revert`: reverts the commits of tasks, the latest first.
//!
//! Every tree is made before anything changes: a conflict, or a file that a person has changed, changes nothing. The plan
//! and the files that our own stages write are left as they are: `checkbox` clears the boxes, and the commit takes that
//! with it. Each step can be repeated, so that a run that was killed ends as any other.

use crate::commit::{self, Made, Request};
use crate::history::{History, TaskCommit, UNDONE};
use crate::job::RevertArgs;
use crate::land::turn;
use crate::residual;
use crate::settle::House;
use dialects::PlanSnapshot;
use ledger::{Entry, Ledger};
use markdown::Text;
use repo::git::{Call, Git};
use repo::snapshot::{self, Change};
use repo::tree::Tree;
use serde_json::json;
use std::collections::HashSet;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::{env, tool};
use toolkit::files::lock::{self, Lock};
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::punch::{Punch, Type};
use wire::tick::{SCHEMA, TickDoc};
use wire::{Plan, State, Task, TaskId};

/// Reverts, or says what would be reverted: one `tick/1` for each task, in the order of the undoing.
pub(crate) fn revert(args: &RevertArgs, run: &RunArgs, out: &mut Output) -> Result<Exit, Fail> {
    let root = root::find(&args.plan)?;
    let home = Home::of(&root)?;
    let has_git = root::has_git(&root);
    if has_git {
        turn::recover(&home)?;
    }
    let field = PlanSnapshot::at(&args.plan, &root, None)?;
    let config = args.config.load(&root)?;
    let git = Git::new(home.clone());
    let history = if has_git { History::read(&git)? } else { History::default() };
    let wanted = Wanted::of(&field.plan, &history, args)?;
    if args.list || !has_git {
        return wanted.tell(&field.plan, &[], out);
    }
    // `orchestrate undo` has the tree; a person's own call may not meet a run in it.
    let has_tree = args.dry_run || env::get(env::RUN).is_some();
    let work = if has_tree { None } else { Lock::take_if_free(&lock::of_work(&home)?, crate::STAGE)? };
    if !has_tree && work.is_none() {
        let message = format!("a run works in {}: wait for its end", root.display());
        return Err(Fail::new(Exit::Busy, "plan-busy", message));
    }
    let lock = turn::take(&home)?;
    let house = House::under(lock, home, &field, &config, run.clock()?)?;
    let planned = match house.gone(&wanted, &history) {
        Some(why) => Err(why),
        None => house.planned(&wanted.commits)?,
    };
    let steps = match planned {
        Ok(steps) => steps,
        Err(why) => {
            tool::note(&format!("commit-run: {why}"));
            return Ok(Exit::No);
        }
    };
    if args.dry_run {
        return wanted.tell(&field.plan, &steps, out);
    }
    house.mend_records(&wanted, &history, run)?;
    for step in &steps {
        if let Err(why) = house.carry_out(step, &args.reason, run)? {
            tool::note(&format!("commit-run: {why}"));
            return Ok(Exit::No);
        }
    }
    wanted.tell(&field.plan, &steps, out)
}

/// The tasks to undo, and their commits; the latest first.
struct Wanted {
    tasks: Vec<TaskId>,
    commits: Vec<TaskCommit>,
}

impl Wanted {
    fn of(plan: &Plan, history: &History, args: &RevertArgs) -> Result<Self, Fail> {
        let of_plan = |commit: &&TaskCommit| commit.plan == plan.source.path;
        let commits: Vec<&TaskCommit> = history.commits.iter().rev().filter(of_plan).collect();
        let mut tasks: HashSet<&TaskId> = HashSet::new();
        for id in &args.ids {
            let found = plan.tasks.iter().find(|task| task.id.as_str() == id);
            let known = || format!("there is no task '{id}' in {}", plan.source.path);
            tasks.insert(&found.ok_or_else(|| Fail::new(Exit::No, "no-such-task", known()))?.id);
        }
        // A commit is reverted with all of its tasks, and a task with its parts.
        let is_worked =
            |task: &&Task| task.state != State::Pending || commits.iter().any(|c| c.tasks.contains(&task.id));
        loop {
            let before = tasks.len();
            let shared = commits.iter().filter(|commit| commit.tasks.iter().any(|id| tasks.contains(id)));
            let shared: Vec<&TaskId> = shared.flat_map(|commit| &commit.tasks).collect();
            let needs = |task: &&Task| args.dependents && task.depends_on.iter().any(|id| tasks.contains(id));
            let is_part = |task: &&Task| task.parent.as_ref().is_some_and(|id| tasks.contains(id));
            let more = plan.tasks.iter().filter(|task| (needs(task) || is_part(task)) && is_worked(task));
            let more: Vec<&TaskId> = more.map(|task| &task.id).collect();
            tasks.extend(shared.into_iter().chain(more));
            if tasks.len() == before {
                break;
            }
        }
        let commits: Vec<TaskCommit> = commits
            .into_iter()
            .filter(|commit| commit.tasks.iter().any(|id| tasks.contains(id)))
            .cloned()
            .collect();
        // By the latest commit of each; those without one first, the last of the plan before the others.
        let place = |id: &TaskId| commits.iter().position(|commit| commit.tasks.contains(id));
        let mut ordered: Vec<TaskId> =
            plan.tasks.iter().rev().map(|task| &task.id).filter(|id| tasks.contains(id)).cloned().collect();
        ordered.sort_by_key(|id| place(id).map_or(0, |at| at + 1));
        Ok(Self { tasks: ordered, commits })
    }

    /// Prints the tasks, each with its latest commit.
    fn tell(&self, plan: &Plan, steps: &[Step], out: &mut Output) -> Result<Exit, Fail> {
        for id in &self.tasks {
            let Some(task) = plan.tasks.iter().find(|task| task.id == *id) else { continue };
            let commit = self.commits.iter().find(|commit| commit.tasks.contains(id));
            let changed = steps.iter().any(|step| step.commit.tasks.contains(id) && !step.files.is_empty());
            let document = TickDoc {
                schema: SCHEMA.to_owned(),
                plan: plan.source.path.clone(),
                task: id.clone(),
                title: task.title.clone(),
                state: task.state,
                changed,
                criterion: None,
                line: None,
                level: None,
                commit: commit.map(|commit| commit.hash.clone()),
            };
            out.document(&document, false)?;
        }
        Ok(Exit::Ok)
    }
}

/// One commit to revert.
struct Step {
    commit: TaskCommit,
    /// The tree before and after, as commits.
    before: String,
    after: String,
    files: Vec<String>,
}

impl House<'_> {
    /// A ticked task whose commit is on record and not in this history, in words: its work cannot be found.
    fn gone(&self, wanted: &Wanted, history: &History) -> Option<String> {
        let plan = &self.field.plan;
        let known = |hash: &str| {
            let reverted = history.reverted.iter().map(|(_, commit)| commit);
            history.commits.iter().chain(reverted).any(|commit| commit.hash == hash)
        };
        let is_ticked = |id: &TaskId| plan.tasks.iter().any(|t| t.id == *id && t.state != State::Pending);
        let has_commit = |id: &TaskId| wanted.commits.iter().any(|commit| commit.tasks.contains(id));
        wanted.tasks.iter().filter(|id| is_ticked(id) && !has_commit(id)).find_map(|id| {
            let of_task = |p: &&Punch| {
                p.kind == Type::Commit && p.plan == plan.source.path && p.task.as_ref() == Some(id)
            };
            let last = self.records.iter().rev().find(of_task)?;
            let hash = last.data.pointer("/commit/hash")?.as_str().filter(|hash| !known(hash))?;
            let hash = short(hash);
            Some(format!(
                "commit {hash} of task {id} is not in this history: it was amended, squashed or left on another branch. Revert \
                 the work by hand, and open the box with --soft"
            ))
        })
    }

    /// Whether a person has changed more of the plan than its boxes since the last commit.
    fn is_plan_edited(&self) -> Result<bool, Fail> {
        let source = &self.field.plan.source;
        let path = source.path.as_str();
        let old = self.git.ask(&Call::of(&["cat-file", "blob", &format!("HEAD:{path}")]))?;
        let now = self.field.files.iter().find(|(name, _)| name == path).map(|(_, bytes)| bytes.as_slice());
        let Some(now) = now.filter(|now| old.status.success() && *now != old.out) else { return Ok(false) };
        let before = dialects::read(&Text { path, bytes: &old.out }, Some(&source.dialect));
        Ok(before.map_or(true, |before| {
            dialects::blanked(&before, path, &old.out) != dialects::blanked(&self.field.plan, path, now)
        }))
    }

    /// The trees of all reverts; why there are none.
    fn planned(&self, commits: &[TaskCommit]) -> Result<Result<Vec<Step>, String>, Fail> {
        let git = &self.git;
        let Some(head) = git.head()?.filter(|_| !commits.is_empty()) else { return Ok(Ok(Vec::new())) };
        if let Some(why) = commit::obstacle(&self.home) {
            return Ok(Err(format!("{why}: end it first, git status says how")));
        }
        let (mut steps, mut now) = (Vec::new(), head.clone());
        for commit in commits {
            let parent = self.parent(&commit.hash)?;
            let merged = snapshot::merge(git, &commit.hash, &now, &parent)?;
            let conflicts: Vec<String> =
                merged.conflicts.into_iter().filter(|path| self.is_work(path)).collect();
            if let Some(first) = conflicts.first() {
                let later = self.later(&commit.hash, first)?;
                return Ok(Err(format!(
                    "the work of task {} cannot be undone: commit {} '{}' and a later change conflict in {}{later}; undo that \
                     first, or revert it by hand: git revert {}",
                    shown(&commit.tasks),
                    short(&commit.hash),
                    commit.subject,
                    conflicts.join(", "),
                    short(&commit.hash),
                )));
            }
            let after = snapshot::commit(git, &merged.tree, &[&now], "undo")?;
            let files = snapshot::changed(git, &now, &after)?;
            let files = files.into_iter().map(|(path, _)| path).filter(|path| self.is_work(path)).collect();
            steps.push(Step { commit: commit.clone(), before: now, after: after.clone(), files });
            now = after;
        }
        Ok(self.in_the_way(&head, &now, &steps)?.map_or(Ok(steps), Err))
    }

    /// Whether a path is work, and neither the plan nor written by our own stages.
    fn is_work(&self, path: &str) -> bool {
        !self.field.ground.is_own(path)
            && !self.field.ground.is_plan(path)
            && !path.starts_with(".plantools/")
    }

    /// The parent of a commit; an empty tree before the first.
    fn parent(&self, hash: &str) -> Result<String, Fail> {
        let name = format!("{hash}^");
        let parent = self.git.ask(&Call::of(&["rev-parse", "--verify", "--quiet", &name]))?;
        if parent.status.success() {
            return Ok(parent.line());
        }
        let empty = self.git.run(&Call::of(&["mktree"]).input(b""))?.line();
        snapshot::commit(&self.git, &empty, &[], "nothing")
    }

    /// The last commit that changed a file after this one.
    fn later(&self, hash: &str, path: &str) -> Result<String, Fail> {
        let range = format!("{hash}..HEAD");
        let said = self.git.ask(&Call::of(&["log", "-1", "--format=%h '%s'", &range, "--", path]))?.line();
        Ok(if said.is_empty() { String::new() } else { format!(", which {said} changed last") })
    }

    /// Why the reverts would write over what is in no commit. What an earlier call has put there is ours.
    fn in_the_way(&self, head: &str, last: &str, steps: &[Step]) -> Result<Option<String>, Fail> {
        let git = &self.git;
        if self.is_plan_edited()? {
            let path = &self.field.plan.source.path;
            return Ok(Some(format!(
                "'{path}' has changes that are in no commit, besides its boxes: commit or stash them, and undo again"
            )));
        }
        let here = snapshot::take(git, Some(head))?;
        let paths = |from: &str, to: &str| -> Result<HashSet<String>, Fail> {
            Ok(snapshot::changed(git, from, to)?.into_iter().map(|(path, _)| path).collect())
        };
        let files: Vec<&String> = steps.iter().flat_map(|step| &step.files).collect();
        let mut theirs = paths(head, &here)?;
        let staged = git.run(&Call::of(&["diff-index", "--cached", "--name-only", "-z", "HEAD"]))?.out;
        theirs.extend(String::from_utf8_lossy(&staged).split('\0').map(str::to_owned));
        // A call that was killed has left one of the trees between.
        for tree in steps.iter().map(|step| step.after.as_str()).chain([last]) {
            let differ = paths(tree, &here)?;
            theirs.retain(|path| differ.contains(path));
        }
        if let Some(path) = files.iter().find(|path| theirs.contains(**path)) {
            return Ok(Some(format!(
                "'{path}' has changes that are in no commit: commit or stash them (git stash push -- '{path}'), and undo again"
            )));
        }
        let all = snapshot::changed(git, head, last)?.into_iter().filter(|(path, _)| self.is_work(path));
        let all: Vec<(String, Change)> = all.collect();
        let known = paths(head, &here)?;
        let mut ways = snapshot::in_the_way(self.home.root(), &all);
        ways.retain(|path| !known.contains(path));
        ways.extend(snapshot::not_looked_at(git, &all)?);
        Ok(ways.first().map(|path| {
            format!("'{path}' is in the way, and git does not look at it: move it, and undo again")
        }))
    }

    /// Puts the files of one revert, and commits them with what `checkbox` has changed in the plan.
    fn carry_out(&self, step: &Step, reason: &str, run: &RunArgs) -> Result<Result<(), String>, Fail> {
        let git = &self.git;
        snapshot::put(git, &step.before, &step.after, &step.files)?;
        let changed = git.changed()?;
        let is_its = |path: &String| step.files.contains(path) || self.field.ground.is_plan(path);
        let files: Vec<String> = changed.into_iter().filter(is_its).collect();
        if files.is_empty() {
            tool::note(&format!(
                "commit-run: nothing is left of commit {} '{}'",
                short(&step.commit.hash),
                step.commit.subject
            ));
            return Ok(Ok(()));
        }
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        let TaskCommit { hash, subject, plan, tasks } = &step.commit;
        let message = format!("Revert \"{subject}\"\n\nThis reverts commit {hash}.\n\n{reason}");
        let mut trailers = vec![("Plan", plan.clone())];
        trailers.extend(tasks.iter().map(|id| (UNDONE, id.to_string())));
        trailers.push(("Run", run.run_id(&self.clock)?.to_string()));
        if let Some(anchor) = Ledger::new(self.home.clone()).anchor()? {
            trailers.push(("Ledger-Head", anchor));
        }
        let tree = Tree::now(&self.home, &self.field.ground)?.unwrap_or_default();
        let by_stages = residual::by_stages(self.field);
        let request = Request {
            message: message.trim_end(),
            trailers: &trailers,
            files: &files,
            tree: &tree,
            by_stages: &by_stages,
        };
        let said = match commit::make(git, &request)? {
            Made::Commit(by) => {
                self.undone(&step.commit, &by, run)?;
                return Ok(Ok(()));
            }
            Made::Refused(said) => format!("git refused the commit: {said}"),
            Made::Rewritten(said) => said,
            Made::Formatted(files) => format!("a commit hook changed {}", files.join(", ")),
        };
        snapshot::put(git, &step.after, &step.before, &step.files)?;
        Ok(Err(format!(
            "the revert of {} '{subject}' was not committed, and its files are as they were: {said}",
            short(hash)
        )))
    }

    /// Records reverts that were made by a call that was killed before it recorded them.
    fn mend_records(&self, wanted: &Wanted, history: &History, run: &RunArgs) -> Result<(), Fail> {
        let plan = &self.field.plan.source.path;
        for (by, commit) in &history.reverted {
            let is_known = |p: &Punch| p.key == RECORD && p.data["by"] == by.as_str();
            // A dependent whose box is open and whose commit is reverted is no longer among the wanted.
            let is_opened = |id: &TaskId| {
                self.records.iter().any(|p| p.kind == Type::Untick && p.task.as_ref() == Some(id))
            };
            let is_asked = |id: &TaskId| wanted.tasks.contains(id) || is_opened(id);
            if commit.plan == *plan
                && commit.tasks.iter().any(is_asked)
                && self.is_ours(by)?
                && !self.records.iter().any(is_known)
            {
                self.undone(commit, by, run)?;
            }
        }
        Ok(())
    }

    fn is_ours(&self, hash: &str) -> Result<bool, Fail> {
        let format = format!("--format=%(trailers:key={UNDONE},valueonly)");
        Ok(!self.git.run(&Call::of(&["log", "-1", &format, hash]))?.line().is_empty())
    }

    fn undone(&self, commit: &TaskCommit, by: &str, run: &RunArgs) -> Result<(), Fail> {
        let of = |id: &TaskId| self.field.plan.tasks.iter().find(|task| task.id == *id);
        let run = run.run_id(&self.clock)?;
        let entries = commit.tasks.iter().filter_map(of).map(|task| Entry {
            plan: commit.plan.clone(),
            task: Some(task.id.clone()),
            fingerprint: Some(task.fingerprint.clone()),
            data: json!({ "reverted": commit.hash, "by": by }),
            ..Entry::new(run.clone(), Type::Message, RECORD, self.clock.now())
        });
        Ledger::new(self.home.clone()).append_all(entries.collect()).map(|_| ())
    }
}

/// The record of a revert.
const RECORD: &str = "undone";

fn short(hash: &str) -> &str {
    hash.get(..8).unwrap_or(hash)
}

fn shown(tasks: &[TaskId]) -> String {
    tasks.iter().map(TaskId::as_str).collect::<Vec<_>>().join(" and ")
}
