//! A linked worktree for one attempt: its place, its creation and its removal.
//!
//! It is below `.plantools/worktrees` and has a branch `plantools/NAME`. The ledger records which attempt it
//! belongs to. A worktree is stale if no record names it, if its attempt was interrupted, or if its task is done;
//! if its attempt failed, it is kept until the task is done.

use crate::git::{Call, Git, checked_out, may_exist};
use crate::snapshot;
use ledger::Ledger;
use ledger::leases;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::files::lock::{Lock, PATIENCE};
use toolkit::files::root::{Home, inside};
use toolkit::files::{fs, sha};
use wire::order::{Owner, Worktree};
use wire::punch::{Punch, Type};
use wire::{Order, TaskId};

/// The folder of all worktrees, in our own folder.
const FOLDER: &str = "worktrees";
/// The prefix of all branches.
const BRANCHES: &str = "plantools/";

/// The home of the tree that contains an order's work: its worktree until it has landed.
pub fn place(order: &Order) -> Result<Home, Fail> {
    let root = Path::new(&order.plan.root);
    match own(order) {
        Some(tree) => Home::of(&path_of(root, tree)?),
        None => Home::of(root),
    }
}

/// The worktree of an order whose work has not landed.
pub fn own(order: &Order) -> Option<&Worktree> {
    let tree = order.worker.as_ref().and_then(|worker| worker.worktree.as_ref());
    tree.filter(|_| order.land.is_none())
}

/// The worktree with the work of a task's last attempt; `None` if it was done in the main tree, or is gone.
pub fn of_last_attempt(records: &[Punch], order: &Order) -> Result<Option<Worktree>, Fail> {
    let mine = |p: &&Punch| {
        p.kind == Type::AttemptBegin
            && p.plan == order.plan.path
            && p.task.as_ref() == Some(&order.task.id)
            && p.fingerprint.as_ref() == Some(&order.task.fingerprint)
    };
    let last = records.iter().rev().find(mine);
    let tree = last.and_then(|p| serde_json::from_value(p.data.get("worktree")?.clone()).ok());
    let Some(tree) = tree else { return Ok(None) };
    let there = is_whole(&path_of(Path::new(&order.plan.root), &tree)?)?;
    Ok(there.then_some(tree))
}

/// Whether a worktree is there and git can read it. A power cut may leave the files of the work and damage those of
/// git that were never synced.
pub fn is_whole(path: &Path) -> Result<bool, Fail> {
    if !path.join(".git").exists() {
        return Ok(false);
    }
    let differs = Git::new(Home::of(path)?).ask(&Call::of(&["diff-index", "--quiet", "HEAD", "--"]))?;
    Ok(matches!(differs.status.code(), Some(0 | 1)))
}

/// The path of a worktree; fails if it is not one of ours.
pub fn path_of(root: &Path, tree: &Worktree) -> Result<PathBuf, Fail> {
    let ours = tree.path.strip_prefix(".plantools/worktrees/").is_some_and(|name| !name.contains('/'));
    if !ours || !tree.branch.starts_with(BRANCHES) {
        let message = format!("'{}' on '{}' is no worktree of ours", tree.path, tree.branch);
        return Err(Fail::data("bad-order", message));
    }
    inside(root, &tree.path)
}

/// A name that no other attempt has, valid for a branch.
pub fn name_of(order: &Order) -> String {
    let what = [order.plan.path.as_str(), order.run.as_str(), order.task.key.as_str()].join("\0");
    let digest = sha::hex(format!("{what}\0{}", order.attempt).as_bytes());
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let key: String = order.task.key.chars().take(40).map(plain).collect();
    format!("{}-{}", key.trim_matches('-'), &digest[..8])
}

/// Whether [`name_of`] could have made a name: a crash may have come before it was on record.
fn is_name(name: &str) -> bool {
    let digest = name.rsplit_once('-').map(|(_, digest)| digest);
    digest.is_some_and(|d| d.len() == 8 && d.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
}

/// Whether the branch of this name has no commits beyond a snapshot of ours or the history.
fn has_no_work(git: &Git, name: &str) -> Result<bool, Fail> {
    let branch = format!("refs/heads/{BRANCHES}{name}");
    let author = git.ask(&Call::of(&["log", "-1", "--format=%ae", &branch]))?;
    if !author.status.success() || author.line() == snapshot::ADDRESS {
        return Ok(true);
    }
    let known = ["merge-base", "--is-ancestor", &branch, "HEAD"];
    Ok(git.ask(&Call::of(&known))?.status.success())
}

/// Shared lock from before a worktree is made until it is on record, so that it does not count as stale meanwhile.
pub fn making(home: &Home, who: &str) -> Result<Lock, Fail> {
    Lock::share(&home.folder("locks")?.join(FOLDER), PATIENCE, who)
}

/// Makes a worktree of this name at a commit. Runs no hooks: the configuration decides about the setup.
pub fn make(git: &Git, name: &str, base: &str) -> Result<Worktree, Fail> {
    let branch = format!("{BRANCHES}{name}");
    add(git, name, base, &["-b", &branch])
}

/// The same without a branch, for one that is soon removed.
pub fn make_detached(git: &Git, name: &str, base: &str) -> Result<Worktree, Fail> {
    add(git, name, base, &["--detach"])
}

fn add(git: &Git, name: &str, base: &str, how: &[&str]) -> Result<Worktree, Fail> {
    remove(git, name)?;
    let path = git.home().folder(FOLDER)?.join(name);
    let branch = format!("{BRANCHES}{name}");
    let shown = path.to_string_lossy().into_owned();
    let args = ["-c", "core.hooksPath=/dev/null", "worktree", "add", "--quiet", "--force"];
    if let Err(fail) = git.run(&Call::of(&[&args[..], how, &[&shown, base]].concat())) {
        let taken = ["rev-parse", "--verify", "--quiet", "refs/heads/plantools"];
        if git.ask(&Call::of(&taken))?.status.success() {
            let message = "a branch 'plantools' is in the way of the branches of tasks; rename it";
            return Err(Fail::config("git-failed", message));
        }
        return Err(fail);
    }
    Ok(Worktree { path: git.home().relative(&path), branch, base: base.to_owned() })
}

/// The worktree that has a branch checked out.
pub fn with_branch(git: &Git, branch: &str) -> Result<Option<PathBuf>, Fail> {
    let listed = git.run(&Call::of(&["worktree", "list", "--porcelain", "-z"]))?.out;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let wanted = format!("branch refs/heads/{branch}");
    let entry = listed.split("\0\0").find(|entry| entry.split('\0').any(|line| line == wanted));
    let path = entry.and_then(|entry| entry.split('\0').find_map(|line| line.strip_prefix("worktree ")));
    Ok(path.map(PathBuf::from).filter(|path| path.exists()))
}

/// Makes a worktree for a branch that a person merges later; the branch begins at HEAD if it is new.
pub fn make_for_branch(git: &Git, branch: &str, path: &Path) -> Result<(), Fail> {
    git.ask(&Call::of(&["worktree", "prune"]))?;
    let name = format!("refs/heads/{branch}");
    let is_there = git.ask(&Call::of(&["rev-parse", "--verify", "--quiet", &name]))?.status.success();
    let shown = path.to_string_lossy().into_owned();
    let add = ["-c", "core.hooksPath=/dev/null", "worktree", "add", "--quiet"];
    let what = if is_there { vec![shown.as_str(), branch] } else { vec!["-b", branch, &shown, "HEAD"] };
    git.run(&Call::of(&[&add[..], &what].concat())).map(|_| ())
}

/// Removes the worktree of this name and its branch, or whatever is left of them.
pub fn remove(git: &Git, name: &str) -> Result<(), Fail> {
    let path = git.home().folder(FOLDER)?.join(name);
    if path.exists() {
        let shown = path.to_string_lossy().into_owned();
        let removed = git.ask(&Call::of(&["worktree", "remove", "--force", "--force", &shown]))?;
        if !removed.status.success() && path.exists() {
            fs::remove_folder(&path)?;
        }
        if !removed.status.success() {
            git.ask(&Call::of(&["worktree", "prune"]))?;
        }
    }
    let branch = format!("refs/heads/{BRANCHES}{name}");
    if may_exist(git.home().root(), &branch) {
        git.ask(&Call::of(&["update-ref", "-d", &branch]))?;
    }
    Ok(())
}

/// The names of all worktrees made for the task of an order, without those in which another run is still at work:
/// `lives` tells which owners are.
pub fn of_task(records: &[Punch], order: &Order, lives: impl Fn(&Owner) -> bool) -> BTreeSet<String> {
    let mine =
        records.iter().filter(|p| p.plan == order.plan.path && p.task.as_ref() == Some(&order.task.id));
    let free = mine.filter(|p| p.run == order.run || !lives(&leases::of(p).owner));
    free.filter_map(named).map(str::to_owned).collect()
}

/// Removes stale worktrees; `lives` tells whether an owner may still be at work. While others make worktrees,
/// leaves the work to the next caller.
pub fn tidy(home: &Home, lives: impl Fn(&Owner) -> bool, who: &str) -> Result<(), Fail> {
    let Some(_lock) = Lock::take_if_free(&home.folder("locks")?.join(FOLDER), who)? else { return Ok(()) };
    let git = Git::new(home.clone());
    let there = all(&git)?;
    if there.is_empty() {
        return Ok(());
    }
    // Read under the lock: every worktree that another run made before it is on record.
    prune(&git, &there, &Ledger::new(home.clone()).read()?, lives)
}

fn prune(
    git: &Git,
    there: &BTreeSet<String>,
    records: &[Punch],
    lives: impl Fn(&Owner) -> bool,
) -> Result<(), Fail> {
    let kept = kept(records, lives);
    let made: BTreeSet<&str> = records.iter().filter_map(named).collect();
    let here = String::from_utf8_lossy(&checked_out(git.home().root())).trim().to_owned();
    // A branch or folder that is not ours may have such a name too.
    let ours = |name: &String| -> Result<bool, Fail> {
        let is_here = here.strip_prefix("ref: refs/heads/plantools/") == Some(name.as_str());
        Ok(!is_here && (made.contains(name.as_str()) || is_name(name) && has_no_work(git, name)?))
    };
    for name in there.iter().filter(|name| !kept.contains(*name)) {
        if ours(name)? {
            remove(git, name)?;
        }
    }
    git.ask(&Call::of(&["worktree", "prune"])).map(|_| ())
}

/// Every name that has a folder or a branch.
fn all(git: &Git) -> Result<BTreeSet<String>, Fail> {
    let folder = git.home().folder(FOLDER)?;
    let mut names: BTreeSet<String> = fs::names(&folder)?.into_iter().collect();
    let refs = format!("refs/heads/{BRANCHES}");
    let listed = git.run(&Call::of(&["for-each-ref", "--format=%(refname)", &refs]))?;
    let text = String::from_utf8_lossy(&listed.out).into_owned();
    names.extend(text.lines().filter_map(|name| name.strip_prefix(&refs)).map(str::to_owned));
    Ok(names)
}

/// An attempt with a worktree: its name, the record of its start, and whether it ended.
type Attempt<'p> = (&'p str, &'p Punch, bool);

/// The names that a task still needs: those of attempts that are running, wait for their checks, or failed.
fn kept(records: &[Punch], lives: impl Fn(&Owner) -> bool) -> BTreeSet<String> {
    let mut known: HashMap<(&str, &TaskId), Vec<Attempt<'_>>> = HashMap::new();
    for record in records {
        let Some(task) = &record.task else { continue };
        let own = known.entry((&record.plan, task)).or_default();
        match record.kind {
            Type::AttemptBegin => own.extend(named(record).map(|name| (name, record, false))),
            Type::AttemptEnd | Type::Halt => {
                let same = own
                    .iter_mut()
                    .filter(|(_, begun, _)| begun.run == record.run && begun.attempt == record.attempt);
                same.for_each(|(_, _, ended)| *ended = true);
            }
            Type::Tick => own.clear(),
            _ => {}
        }
    }
    let all = known.into_values().flatten();
    all.filter(|(_, begun, ended)| *ended || lives(&leases::of(begun).owner))
        .map(|(name, _, _)| name.to_owned())
        .collect()
}

/// The name of the worktree in which an attempt began.
fn named(record: &Punch) -> Option<&str> {
    let branch = record.data.pointer("/worktree/branch")?.as_str()?;
    (record.kind == Type::AttemptBegin).then(|| branch.strip_prefix(BRANCHES))?
}
