//! `commit-run pending`: commits that a crash between tick and commit left owing, or that were refused.
//!
//! A refused commit is on record, and owed until it is made or a person has committed its files.

use crate::commit;
use crate::job::PlanCommit;
use crate::land::turn;
use crate::settle::{House, Settled, halt, members, skip};
use dialects::PlanSnapshot;
use ledger::leases::RenewalWatch;
use ledger::task_history::{self, TaskHistory};
use ledger::{Entry, Ledger};
use repo::git::{Call, Git};
use repo::prior_changes;
use repo::tree::Tree;
use serde_json::json;
use supervise::processes::alive;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::tool;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::order::Commit;
use wire::plan::CommitRule;
use wire::punch::{Punch, Type};
use wire::{RunId, Task};

/// Makes every commit that is owed; exit 1 if one could not be made.
pub(crate) fn pending(args: &PlanCommit, run: &RunArgs, out: &mut Output) -> Result<Exit, Fail> {
    let path = args.plan.as_path();
    let root = root::find(path)?;
    if !root::has_git(&root) {
        return Ok(Exit::Ok);
    }
    turn::recover(&Home::of(&root)?)?;
    let field = PlanSnapshot::at(path, &root, None)?;
    let config = args.config.load(&root)?;
    let commits = config.commits(&field.plan)?;
    if field.plan.tasks.iter().any(|t| !t.state.is_settled() && commits.of(t).is_some()) {
        commit::identity(&Git::new(Home::of(&root)?))?;
    }
    let clock = run.clock()?;
    let plan = &field.plan.source.path;
    prior_changes::note(&Git::new(Home::of(&root)?), &field.ground, plan, &run.run_id(&clock)?, clock.now())?;
    let mut exit = Exit::Ok;
    let owing: Vec<(Task, CommitRule)> = {
        let house = House::new(Home::of(&root)?, &field, &config, run.clock()?)?;
        house.owing().into_iter().map(|(task, rule)| (task.clone(), rule)).collect()
    };
    for (task, rule) in &owing {
        let house = House::new(Home::of(&root)?, &field, &config, run.clock()?)?;
        let standing = house.standing(task).filter(|s| !s.committed);
        // Another run that shares the plan is about to make this commit itself.
        let is_theirs = |s: &TaskHistory| {
            let shared = s.held().filter(|hold| hold.owner.lease_seconds.is_some());
            shared.is_some_and(|hold| RenewalWatch::once().is_good(&house.home, &hold.owner, alive))
        };
        let Some(standing) = standing.filter(|s| !is_theirs(s)) else { continue };
        let Some(run) = standing.tick else { continue };
        if let Some(hash) = made_already(&house.git, &field.plan.source.path, task, &run)? {
            house.record(task, rule, &run, &Commit { hash: Some(hash), ..Commit::default() })?;
            continue;
        }
        match house.settle(task, &run)? {
            Settled::Commit(Commit { hash: Some(hash), .. }) => {
                out.shown(&format!("{hash} task {}\n", task.id))?;
            }
            Settled::Commit(_) if standing.owed.is_some() => {
                let message = "its files are committed, so its commit is no longer owed";
                tool::note(&format!("commit-run: task '{}': {message}", task.id));
            }
            Settled::Commit(_) => {}
            Settled::Refused(code, message) => {
                tool::note(&format!("commit-run: task '{}': {message}", task.id));
                if standing.owed.is_none() {
                    house.refuse(task, &run, code, &message)?;
                }
                exit = Exit::No;
            }
        }
    }
    Ok(exit)
}

impl<'a> House<'a> {
    /// Settles a row without any file that differs from the last commit: the task changed none, or a person has
    /// committed them, whatever the row's condition. Changes that were discarded after the commit was refused are
    /// in no commit, and stay owed.
    pub(crate) fn nothing_left(
        &self,
        task: &Task,
        rule: &CommitRule,
        run: &RunId,
        now: &Tree,
        outside: Vec<String>,
    ) -> Result<Settled, Fail> {
        if let Some(path) = self.discarded(task, rule, now)? {
            let message = format!(
                "'{path}' is not what was checked, and was not committed since; bring it back, or clear the task's box"
            );
            return Ok(Settled::Refused("tree-moved", message));
        }
        let commit = Commit { outside, ..skip("nothing to commit that the row names") };
        self.record(task, rule, run, &commit)?;
        Ok(Settled::Commit(commit))
    }

    /// A file of the row that is neither as it was ticked nor in a commit since the row's own was refused.
    fn discarded(&self, task: &Task, rule: &CommitRule, now: &Tree) -> Result<Option<String>, Fail> {
        let plan = &self.field.plan.source.path;
        let mine = |p: &&Punch| p.plan == *plan && members(task, rule).any(|id| p.task.as_ref() == Some(id));
        let mut refusals = self.records.iter().rev().filter(mine).filter(|p| p.kind == Type::Halt);
        let Some(then) = refusals.find_map(|p| p.data.pointer("/detail/head")?.as_str()) else {
            return Ok(None);
        };
        let named = self.named(task, rule);
        let ground = &self.field.ground;
        for (path, proved) in
            self.ticks(task, rule).iter().filter_map(|tick| tick.data.get("files")?.as_object()).flatten()
        {
            let apart = ground.is_plan(path) || ground.is_own(path);
            if apart || !named(path) || proved.as_str() == Some(now.at(path).unwrap_or_default()) {
                continue;
            }
            let at = |commit: &str| {
                let name = format!("{commit}:{path}");
                Ok::<_, Fail>(self.git.ask(&Call::of(&["rev-parse", "--verify", "--quiet", &name]))?.line())
            };
            if at(then)? == at("HEAD")? {
                return Ok(Some(path.clone()));
            }
        }
        Ok(None)
    }

    /// The details in the record of a refused commit: the other tasks of the row, and the last commit at that time.
    pub(crate) fn detail(&self, task: &Task) -> Result<serde_json::Value, Fail> {
        let with = self.rule(task).map(|rule| rule.with).unwrap_or_default();
        Ok(json!({ task_history::WITH: with, "head": self.git.head()? }))
    }

    /// Records a refused commit, so that the tasks that depend on it wait.
    pub(crate) fn refuse(&self, task: &Task, run: &RunId, code: &str, message: &str) -> Result<(), Fail> {
        Ledger::new(self.home.clone()).append(Entry {
            plan: self.field.plan.source.path.clone(),
            task: Some(task.id.clone()),
            fingerprint: Some(task.fingerprint.clone()),
            data: json!({ "halt": halt(code, message.to_owned()), "detail": self.detail(task)? }),
            ..Entry::new(run.clone(), Type::Halt, code.to_owned(), self.clock.now())
        })?;
        Ok(())
    }

    /// The tasks that are ticked on proof and not committed yet.
    pub(crate) fn owing(&self) -> Vec<(&'a Task, CommitRule)> {
        let field: &'a PlanSnapshot = self.field;
        let tasks = field.plan.tasks.iter().filter_map(|task| Some((task, self.rule(task)?)));
        let wanted = field.plan.tasks.iter().map(|task| (&task.id, &task.fingerprint));
        let standings = task_history::of_plan(&self.records, &field.plan.source.path, wanted);
        let owes = |task: &Task| standings.get(&task.id).is_some_and(|s| s.tick.is_some() && !s.committed);
        tasks.filter(|(task, _)| owes(task)).collect()
    }
}

/// A commit whose trailers match this one: it was made before the ledger recorded it.
fn made_already(git: &Git, plan: &str, task: &Task, run: &RunId) -> Result<Option<String>, Fail> {
    if git.head()?.is_none() {
        return Ok(None);
    }
    let answer = git.run(&Call::of(&["log", "-z", "--max-count=2000", "--format=%H%n%B"]))?;
    let text = String::from_utf8_lossy(&answer.out).into_owned();
    let is_it = |body: &str| {
        let has = |name: &str, value: &str| body.lines().any(|l| l.strip_prefix(name) == Some(value));
        has("Plan: ", plan) && has("Task: ", task.id.as_str()) && has("Run: ", run.as_str())
    };
    let found = text.split('\0').filter_map(|entry| entry.split_once('\n')).find(|(_, body)| is_it(body));
    Ok(found.map(|(hash, _)| hash.to_owned()))
}
