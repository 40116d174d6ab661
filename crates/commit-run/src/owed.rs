//! `--pending`: commits that a crash between tick and commit left owing.

use crate::args::Args;
use crate::settle::{House, Settled};
use crate::{commit, turn};
use dialects::Field;
use std::path::Path;
use supervise::procs::alive;
use toolkit::git::{Call, Git};
use toolkit::hold::Watch;
use toolkit::output::Output;
use toolkit::root::{self, Home};
use toolkit::standing::Standing;
use toolkit::{Exit, Fail, tool};
use wire::order::Commit;
use wire::{RunId, Task};

/// Makes every commit that is owed; exit 1 if one could not be made.
pub(crate) fn pending(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let path = args.file.as_deref().unwrap_or(Path::new("-"));
    let root = root::find(path)?;
    if !root::has_git(&root) {
        return Ok(Exit::Ok);
    }
    turn::recover(&Home::of(&root)?)?;
    let field = Field::at(path, &root, None)?;
    let config = args.config.load(&root)?;
    if field.plan.tasks.iter().any(|t| t.commit.is_some() && !t.state.is_settled()) {
        commit::identity(&Git::new(Home::of(&root)?))?;
    }
    let mut exit = Exit::Ok;
    for task in field.plan.tasks.iter().filter(|t| t.commit.is_some()) {
        let house = House::new(Home::of(&root)?, &field, &config, args.run.clock()?)?;
        let standing = house.standing(task).filter(|s| !s.committed);
        // Another run that shares the plan is about to make its own.
        let is_theirs = |s: &Standing| {
            let shared = s.held().filter(|hold| hold.owner.lease_seconds.is_some());
            shared.is_some_and(|hold| Watch::once().is_good(&house.home, &hold.owner, alive))
        };
        let Some(run) = standing.filter(|s| !is_theirs(s)).and_then(|s| s.tick) else { continue };
        if let Some(hash) = made_already(&house.git, &field.plan.source.path, task, &run)? {
            let rule = task.commit.clone().unwrap_or_default();
            house.record(task, &rule, &run, &Commit { hash: Some(hash), ..Commit::default() })?;
            continue;
        }
        match house.settle(task, &run)? {
            Settled::Commit(Commit { hash: Some(hash), .. }) => {
                out.shown(&format!("{hash} task {}\n", task.id))?;
            }
            Settled::Commit(_) => {}
            Settled::Refused(_, message) => {
                tool::note(&format!("commit-run: task '{}': {message}", task.id));
                exit = Exit::No;
            }
        }
    }
    Ok(exit)
}

/// A commit whose trailers say that it is this one: git knew of it before the ledger did.
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
