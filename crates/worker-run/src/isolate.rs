//! A separate tree for an attempt: a linked worktree that begins from the current main tree, set up as configured.

pub(crate) mod pid_namespace;
pub(crate) mod sandbox;

use config::WorktreeRule;
use ledger::leases;
use repo::git::{Call, Git};
use repo::{landing, snapshot, worktree};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;
use supervise::{Ended, Job, Limits, Stop};
use toolkit::cli::tool;
use toolkit::files::oversize::TOO_LARGE;
use toolkit::files::root::{Home, has_git};
use toolkit::{Exit, Fail};
use wire::Order;
use wire::order::{Category, Halt, Worktree};
use wire::punch::{Punch, Type};

/// The default time limit for the setup.
const SETUP_SECONDS: u64 = 600;

/// What keeps workers apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Isolate {
    /// Nothing: all share the working tree
    #[default]
    None,
    /// A git worktree and a branch for each
    Worktree,
}

/// Removes worktrees of earlier runs that are no longer needed.
pub(crate) fn tidy(root: &Path) -> Result<(), Fail> {
    let home = Home::of(root)?;
    if !has_git(root) {
        let message = "'--isolate worktree' needs a git repository";
        return Err(Fail::new(Exit::Config, "no-repository", message).in_file(root));
    }
    worktree::tidy(&home, |owner| leases::may_live(&home, owner, supervise::processes::alive), crate::STAGE)
}

/// Creates the worktree of an attempt. Adopts the work of the previous attempt if it still applies.
pub(crate) fn make(order: &Order, records: &[Punch]) -> Result<Worktree, Fail> {
    let root = Path::new(&order.plan.root);
    let git = Git::new(Home::of(root)?);
    let base = landing::base(&git)?;
    let tree = worktree::make(&git, &worktree::name_of(order), &base)?;
    if let Some(last) = last(order, records) {
        let from = worktree::path_of(root, &last)?;
        if last.branch != tree.branch && worktree::is_whole(&from)? {
            take_up(&Git::new(Home::of(&from)?), &last, &at(root, &tree)?, &base)?;
        }
    }
    Ok(tree)
}

/// Git in a worktree.
fn at(root: &Path, tree: &Worktree) -> Result<Git, Fail> {
    Ok(Git::new(Home::of(&worktree::path_of(root, tree)?)?))
}

/// The worktree of the last completed attempt at the same task.
fn last(order: &Order, records: &[Punch]) -> Option<Worktree> {
    let mine = |p: &&Punch| {
        p.plan == order.plan.path
            && p.task.as_ref() == Some(&order.task.id)
            && p.fingerprint.as_ref() == Some(&order.task.fingerprint)
    };
    let ended = records.iter().rev().filter(mine).find(|p| p.kind == Type::AttemptEnd)?;
    let mut begun = records.iter().rev().filter(mine).filter(|p| p.kind == Type::AttemptBegin);
    let begun = begun.find(|p| p.run == ended.run && p.attempt == ended.attempt)?;
    let tree: Value = begun.data.get("worktree")?.clone();
    serde_json::from_value(tree).ok()
}

/// Applies the work of one worktree to another with a different base; if the two conflict, the new one stays
/// unchanged.
fn take_up(from: &Git, last: &Worktree, to: &Git, base: &str) -> Result<(), Fail> {
    let work = match snapshot::take(from, from.head()?.as_deref()) {
        Err(fail) if fail.code == TOO_LARGE => {
            tool::note(&format!("worker-run: the work of the attempt before is not taken up: {fail}"));
            return Ok(());
        }
        work => work?,
    };
    let merged = snapshot::merge(to, &last.base, base, &work)?;
    if !merged.conflicts.is_empty() {
        return Ok(());
    }
    let files: Vec<String> =
        snapshot::changed(to, base, &merged.tree)?.into_iter().map(|(path, _)| path).collect();
    snapshot::put(to, base, &merged.tree, &files)
}

/// The setup job of a new worktree, if configured.
pub(crate) fn setup(rule: &WorktreeRule, place: &Path, folder: &Path, grace: u64) -> Option<Job> {
    let Some(command) = &rule.setup else {
        if place.join(".gitmodules").exists() {
            tool::note(
                "worker-run: a worktree begins without its submodules; '[worktree] setup' can check them out",
            );
        }
        return None;
    };
    let mut job = Job::new(["sh", "-c", command]);
    job.cwd = place.to_path_buf();
    job.stdout_log = Some(setup_log(folder));
    job.limits = Limits {
        timeout: Some(Duration::from_secs(rule.setup_seconds.unwrap_or(SETUP_SECONDS))),
        grace: Duration::from_secs(grace),
        ..Limits::default()
    };
    Some(job)
}

pub(crate) fn setup_log(folder: &Path) -> PathBuf {
    folder.join("setup.log")
}

/// Files that the setup left in the tree become part of the base, and are not landed with the work.
pub(crate) fn after_setup(root: &Path, tree: &mut Worktree) -> Result<(), Fail> {
    let git = at(root, tree)?;
    let base = snapshot::take(&git, Some(&tree.base))?;
    if base != tree.base {
        git.run(&Call::of(&["reset", "--quiet", "--soft", &base]))?;
        git.run(&Call::of(&["read-tree", &base]))?;
        tree.base = base;
    }
    Ok(())
}

/// Why a worktree could not be set up; `None` if it was.
pub(crate) fn not_set_up(ended: &Ended, log: &str) -> Option<Halt> {
    if ended.stop == Stop::Exited && ended.exit_code == Some(0) {
        return None;
    }
    let interrupted = ended.stop == Stop::Interrupted;
    let how = ended.exit_code.map_or_else(|| "was ended".to_owned(), |code| format!("gave exit {code}"));
    let last = ended.tail.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Some(Halt {
        stage: crate::STAGE.into(),
        code: if interrupted { "interrupted" } else { "setup-failed" }.into(),
        category: Category::EnvError,
        message: format!("the set-up command of the worktree {how}: {last} (see '{log}')"),
        retry: true,
        counts: !interrupted,
        not_before: None,
    })
}
