//! Commits that a worker made. The branch is reset to where the attempt began and the files stay: they are judged
//! like any other work, and `commit-run` makes the commit.
//!
//! Only commits on top of that beginning are taken back. If a worker was killed together with its supervisors, the
//! next run takes its commits back: the record of the attempt has the beginning, and git's reflog of `HEAD` has the
//! mark that every git process of the attempt writes there, which no commit of a person carries.

use crate::attempt::survivors;
use config::profile::Profile;
use ledger::leases;
use repo::git::{Call, Git, checked_out};
use repo::landing;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use supervise::processes::alive;
use toolkit::Fail;
use toolkit::cli::{env, tool};
use toolkit::files::redact::Redact;
use toolkit::files::root::{Home, git_dir, has_git, inside};
use toolkit::files::{fs, sha};
use wire::digest::Sealed;
use wire::order::Owner;
use wire::punch::{Punch, Type};
use wire::{Order, RunId};

/// In the record of an attempt: the commits that were taken back.
pub(crate) const TAKEN_BACK: &str = "taken_back";
/// In the record that begins an attempt: the content of `HEAD`.
pub(crate) const HEAD: &str = "head";
/// In the record that begins an attempt: git's index, if something was staged.
pub(crate) const INDEX: &str = "index";

/// The maximum number of commits to list.
const MANY: usize = 50;

/// The most of a message that is kept.
const LONG: usize = 4000;

/// A commit that was taken back.
#[derive(Debug, Clone)]
pub(crate) struct Taken {
    pub(crate) commit: String,
    pub(crate) subject: String,
    /// The whole message.
    pub(crate) message: String,
}

/// The state of a repository before a worker started.
pub(crate) struct Beginning<'a> {
    pub(crate) git: &'a Git,
    /// `None` before the first commit.
    pub(crate) commit: Option<&'a str>,
    pub(crate) index: Option<&'a [u8]>,
}

impl Beginning<'_> {
    /// The commits since then, oldest first.
    pub(crate) fn made(&self) -> Result<Vec<Taken>, Fail> {
        let range = self.commit.map_or_else(|| "HEAD".to_owned(), |commit| format!("{commit}..HEAD"));
        let args = ["log", "-z", "--reverse", "--topo-order", "--format=%H%n%B", &range];
        let listed = self.git.run(&Call::of(&args))?;
        let listed = String::from_utf8_lossy(&listed.out).into_owned();
        let commits = listed.split('\0').filter_map(|entry| entry.split_once('\n'));
        let taken = commits.map(|(commit, message)| Taken {
            commit: commit.to_owned(),
            subject: message.lines().next().unwrap_or_default().chars().take(200).collect(),
            message: message.trim().chars().take(LONG).collect(),
        });
        Ok(taken.take(MANY).collect())
    }

    /// Whether all of them are on top of that beginning. Commits that were fetched, or merged from another branch,
    /// are not.
    pub(crate) fn is_below_all(&self) -> Result<bool, Fail> {
        let Some(commit) = self.commit else {
            // A first commit has no history below it if its branch is the only ref.
            let refs = self.git.run(&Call::of(&["for-each-ref", "--format=%(refname)"]))?;
            return Ok(refs.line().lines().count() <= 1);
        };
        let range = format!("{commit}..HEAD");
        let count = |more: &[&str]| -> Result<String, Fail> {
            let args = [&["rev-list", "--count"][..], more, &[&range]].concat();
            Ok(self.git.run(&Call::of(&args))?.line())
        };
        Ok(count(&[])? == count(&["--ancestry-path"])?)
    }

    /// Takes them back. What a person had staged is staged again, as far as git can still read it.
    pub(crate) fn go_back(&self, scratch: &Path) -> Result<(), Fail> {
        let root = self.git.home().root();
        survivors::unlock(root)?;
        let index = git_dir(root).join("index");
        if let Some(commit) = self.commit {
            self.git.run(&Call::of(&["reset", "--quiet", "--mixed", commit]))?;
        } else {
            self.git.run(&Call::of(&["update-ref", "-m", "worker-run: taken back", "-d", "HEAD"]))?;
            fs::remove(&index)?;
        }
        let Some(bytes) = self.index else { return Ok(()) };
        fs::replace(&index, bytes, scratch)?;
        let readable = match self.commit {
            Some(commit) => self.git.ask(&Call::of(&["diff-index", "--cached", "--quiet", commit]))?,
            None => self.git.ask(&Call::of(&["ls-files", "-z", "--cached"]))?,
        };
        match self.commit {
            _ if matches!(readable.status.code(), Some(0 | 1)) => Ok(()),
            Some(commit) => self.git.run(&Call::of(&["reset", "--quiet", "--mixed", commit])).map(|_| ()),
            None => fs::remove(&index),
        }
    }

    /// Whether the beginning is an ancestor of the current commit.
    pub(crate) fn is_kept(&self) -> Result<bool, Fail> {
        let Some(commit) = self.commit else { return Ok(true) };
        let call = ["merge-base", "--is-ancestor", commit, "HEAD"];
        Ok(self.git.ask(&Call::of(&call))?.status.success())
    }
}

/// Reports what was taken back.
pub(crate) fn tell(order: &Order, taken: &[Taken]) {
    if taken.is_empty() {
        return;
    }
    let names: Vec<String> = taken
        .iter()
        .map(|one| format!("{} '{}'", &one.commit[..one.commit.len().min(8)], one.subject))
        .collect();
    let many = if taken.len() == 1 { "commit" } else { "commits" };
    tool::note(&format!(
        "worker-run: task {}: took back {} {many} of the worker ({}); the files stay, to be checked and committed like any \
         work",
        order.task.id,
        taken.len(),
        names.join(", ")
    ));
}

/// The same for a record.
pub(crate) fn listed(taken: &[Taken]) -> Value {
    taken
        .iter()
        .map(|one| json!({ "commit": one.commit, "subject": one.subject, "message": one.message }))
        .collect()
}

/// Masks secrets.
pub(crate) fn masked(mut taken: Vec<Taken>, redact: &Redact) -> Vec<Taken> {
    for one in &mut taken {
        one.subject = redact.text(&one.subject);
        one.message = redact.text(&one.message);
    }
    taken
}

/// The text that git writes to the reflog of `HEAD` for a command of a run's workers.
pub(crate) fn mark(run: &RunId) -> String {
    format!("plantools {run}/")
}

/// Saves git's index with the attempt if something is staged: another run may have to restore it.
pub(crate) fn keep_index(git: &Git, folder: &Path, index: Option<&[u8]>) -> Result<Option<Sealed>, Fail> {
    // The last index of which git said that it is as its commit.
    static PLAIN: Mutex<Option<(String, String)>> = Mutex::new(None);
    let (Some(bytes), Some(head)) = (index, git.head().ok().flatten()) else { return Ok(None) };
    let asked = (sha::hex(bytes), head);
    if PLAIN.lock().unwrap_or_else(PoisonError::into_inner).as_ref() == Some(&asked) {
        return Ok(None);
    }
    let staged = git.ask(&Call::of(&["diff-index", "--cached", "--quiet", "HEAD"]))?;
    if staged.status.code() != Some(1) {
        if staged.status.success() {
            *PLAIN.lock().unwrap_or_else(PoisonError::into_inner) = Some(asked);
        }
        return Ok(None);
    }
    fs::seal(git.home().root(), &kept_index(folder), bytes).map(Some)
}

/// An ended attempt no longer needs it.
pub(crate) fn forget_index(folder: &Path) -> Result<(), Fail> {
    fs::remove(&kept_index(folder))
}

fn kept_index(folder: &Path) -> std::path::PathBuf {
    folder.join("index")
}

/// Takes back commits of interrupted attempts in the main tree; their workers and supervisors have ended.
pub(crate) fn after_crash(
    home: &Home,
    order: &Order,
    profile: &Profile,
    records: &[Punch],
    redact: &Redact,
) -> Result<Vec<Taken>, Fail> {
    let open = interrupted(home, order, records);
    if open.is_empty() || profile.worker_commits || !has_git(home.root()) {
        return Ok(Vec::new());
    }
    let git = Git::new(home.clone());
    // Another run may be landing work.
    let _lock = landing::lock(home, crate::STAGE)?;
    for begun in open {
        let text = |name: &str| begun.data.get(name).and_then(Value::as_str);
        let (Some(commit), Some(head)) = (text("commit"), text(HEAD)) else { continue };
        if git.head()?.as_deref() == Some(commit)
            || String::from_utf8_lossy(&checked_out(home.root())) != head
        {
            continue;
        }
        let index = index_of(home, begun)?;
        let staged = git.ask(&Call::of(&["diff-index", "--cached", "--quiet", "HEAD"]))?.status.code();
        // Do not lose what was staged since by restoring what was staged then.
        let index = index.as_deref().filter(|_| staged == Some(0));
        let beginning = Beginning { git: &git, commit: Some(commit), index };
        if !beginning.is_kept()? || !beginning.is_below_all()? || !is_marked(&git, commit, &begun.run)? {
            continue;
        }
        let taken = masked(beginning.made()?, redact);
        beginning.go_back(&home.folder("tmp")?)?;
        tell(order, &taken);
        return Ok(taken);
    }
    Ok(Vec::new())
}

/// The attempts at a plan that began in the main tree and have no end, oldest first.
fn interrupted<'r>(home: &Home, order: &Order, records: &'r [Punch]) -> Vec<&'r Punch> {
    let mut open: Vec<&Punch> = Vec::new();
    for record in records.iter().filter(|p| p.plan == order.plan.path) {
        match record.kind {
            Type::AttemptBegin => open.push(record),
            Type::AttemptEnd => {
                open.retain(|p| (&p.task, &p.run, p.attempt) != (&record.task, &record.run, record.attempt));
            }
            _ => {}
        }
    }
    open.retain(|p| {
        let owner: Owner = p.data.read().unwrap_or_default();
        p.data.get("worktree").is_none() && !leases::may_live(home, &owner, alive)
    });
    open
}

/// The index saved with an attempt, if its digest matches.
fn index_of(home: &Home, begun: &Punch) -> Result<Option<Vec<u8>>, Fail> {
    let sealed = begun.data.get(INDEX).and_then(|value| serde_json::from_value::<Sealed>(value.clone()).ok());
    let Some(sealed) = sealed else { return Ok(None) };
    let bytes = fs::read_if_there(&inside(home.root(), &sealed.path)?)?;
    Ok(bytes.filter(|bytes| sha::hex(bytes) == sealed.sha256))
}

/// Whether every step of `HEAD` since a commit was made by a worker of a run.
fn is_marked(git: &Git, commit: &str, run: &RunId) -> Result<bool, Fail> {
    let args = ["log", "--walk-reflogs", "--max-count=1000", "--format=%H %gs", "HEAD"];
    let answer = git.ask(&Call::of(&args))?;
    let text = String::from_utf8_lossy(&answer.out).into_owned();
    let mark = mark(run);
    for line in text.lines() {
        let (hash, step) = line.split_once(' ').unwrap_or((line, ""));
        if hash == commit {
            return Ok(true);
        }
        if !step.starts_with(&mark) {
            return Ok(false);
        }
    }
    Ok(false)
}

/// The mark of an attempt, for the environment of its worker.
pub(crate) fn environment(attempt: &str) -> (&'static str, String) {
    (env::REFLOG, format!("plantools {attempt}"))
}
