//! Work that is being brought into the main tree and is not yet proved there.
//!
//! `.plantools/landing.json` exists from before the first file of a task's work changes in the main tree until the
//! task is ticked or its work is undone. It limits landings to one at a time across processes, lets a worker that
//! starts meanwhile begin from the tree without it, and lets the next run repair what a crash left.

use crate::git::{Call, Git, nul_separated};
use crate::snapshot;
use crate::snapshot::Change;
use crate::tree;
use ledger::{Entry, Ledger};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashSet;
use std::hash::BuildHasher;
use std::time::Duration;
use std::time::UNIX_EPOCH;
use toolkit::cli::tool;
use toolkit::files::lock::Lock;
use toolkit::files::root::Home;
use toolkit::files::{fs, sha};
use toolkit::{Exit, Fail};
use wire::order::Owner;
use wire::punch::{Punch, SourceKind, Trust, Type};
use wire::{Order, RunId, TaskId};

/// How long one change of the main tree may take: a commit runs hooks.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// A landing in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Landing {
    /// The plan.
    pub plan: String,
    /// The task.
    pub task: TaskId,
    /// The run.
    pub run: RunId,
    /// The attempt.
    pub attempt: u32,
    /// The main tree before it, as a commit.
    pub before: String,
    /// The tree after it.
    pub after: String,
    /// The files that it changes.
    pub files: Vec<String>,
    /// The branch's commit before and after, if commits of the worker land.
    pub head: Option<(String, String)>,
    /// The process that landed it, and when that process started.
    pub owner: (u32, Option<u64>),
    /// The owner of the task, if several runs share the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<Owner>,
}

impl Landing {
    /// The landing in progress.
    pub fn read(home: &Home) -> Result<Option<Self>, Fail> {
        let Some(bytes) = fs::read_if_there(&home.path(NAME))? else { return Ok(None) };
        let bad = |message: String| Fail::data("bad-landing", message).in_file(&home.path(NAME));
        let digest = sha::hex(&bytes);
        let is_it = |p: &Punch| {
            (p.kind, p.key.as_str(), p.source.kind, p.trust) == RECORD && p.data["sha256"] == digest.as_str()
        };
        let landing: Self = serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
        // It moves files and the branch, so accept only one that is on record.
        if !Ledger::new(home.clone()).read_of(&landing.plan)?.iter().rev().any(is_it) {
            return Err(bad(
                "is not on record, so nothing is done by it; look at it, and remove it".to_owned()
            ));
        }
        Ok(Some(landing))
    }

    /// Marks it as in progress: first in the ledger, then in its file.
    pub fn begin(&self, home: &Home, now: String) -> Result<(), Fail> {
        let bytes = serde_json::to_vec(self).map_err(|e| Fail::data("bad-landing", e.to_string()))?;
        let (kind, key, source, trust) = RECORD;
        Ledger::new(home.clone()).append(Entry {
            plan: self.plan.clone(),
            task: Some(self.task.clone()),
            attempt: Some(self.attempt),
            source,
            trust,
            data: json!({ "sha256": sha::hex(&bytes), HEAD: self.head }),
            ..Entry::new(self.run.clone(), kind, key, now)
        })?;
        fs::create(&home.folder("")?.join(NAME), &bytes)
    }

    /// Marks it as finished.
    pub fn end(home: &Home) -> Result<(), Fail> {
        fs::remove(&home.path(NAME))
    }

    /// Whether it belongs to this order.
    pub fn is_of(&self, order: &Order) -> bool {
        self.plan == order.plan.path
            && self.task == order.task.id
            && self.run == order.run
            && self.attempt == order.attempt
    }

    /// Whether its task was ticked: then it stays.
    pub fn is_ticked(&self, records: &[Punch]) -> bool {
        records.iter().rev().any(|p| {
            p.kind == Type::Tick
                && p.plan == self.plan
                && p.task.as_ref() == Some(&self.task)
                && p.run == self.run
                && p.attempt == Some(self.attempt)
        })
    }

    /// Changes the main tree. The caller holds the lock of the main tree.
    pub fn carry_out(&self, git: &Git) -> Result<(), Fail> {
        snapshot::put(git, &self.before, &self.after, &self.files)?;
        // git does not sync what it writes into the tree; the tick that follows says that it is there.
        fs::sync_files(git.home().root(), &self.files, UNIX_EPOCH)?;
        self.force(git)?;
        self.head.as_ref().map_or(Ok(()), |(old, new)| move_head(git, old, new))
    }

    /// Adds those files to the index that git ignores here: the worker made git track them.
    fn force(&self, git: &Git) -> Result<(), Fail> {
        // What our own look lists is not ignored, or tracked already.
        let seen = tree::names(git)?;
        let is_there = |path: &&String| git.home().root().join(path).symlink_metadata().is_ok();
        let is_seen = |path: &&String| seen.as_ref().is_some_and(|seen| seen.contains(path.as_bytes()));
        let open: Vec<&String> = self.files.iter().filter(is_there).filter(|path| !is_seen(path)).collect();
        if open.is_empty() {
            return Ok(());
        }
        let forced = ignored(git, &["check-ignore", "-z", "--stdin"], open.into_iter())?;
        if forced.is_empty() {
            return Ok(());
        }
        let add = ["add", "--force", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"];
        git.run(&Call::of(&add).input(&forced)).map(|_| ())
    }

    /// Removes new files of it that git ignores from the index.
    fn forget(&self, git: &Git) -> Result<(), Fail> {
        let changed = snapshot::changed(git, &self.before, &self.after)?;
        let new = changed.iter().filter(|(path, change)| *change == Change::New && self.files.contains(path));
        let ask = ["check-ignore", "--no-index", "-z", "--stdin"];
        let forced = ignored(git, &ask, new.map(|(path, _)| path))?;
        if forced.is_empty() {
            return Ok(());
        }
        git.run(&Call::of(&["update-index", "--force-remove", "-z", "--stdin"]).input(&forced)).map(|_| ())
    }

    /// Undoes it, or as much of it as was done. The caller holds the lock of the main tree.
    pub fn undo(&self, git: &Git) -> Result<(), Fail> {
        if let Some((old, new)) = &self.head
            && git.head()?.as_ref() == Some(new)
        {
            move_head(git, new, old)?;
        }
        let now = snapshot::take(git, git.head()?.as_deref())?;
        self.forget(git)?;
        let edited = self.edited_since(git, &now)?;
        if edited.is_empty() {
            return snapshot::put(git, &self.after, &self.before, &self.files);
        }
        // A file was edited after the landing: keep that edit, and keep the whole file if the two cannot be
        // separated.
        let landed = snapshot::commit(git, &self.after, &[&self.before], "landed")?;
        let merged = snapshot::merge(git, &landed, &now, &self.before)?;
        let (left, back): (Vec<_>, Vec<_>) = self
            .files
            .iter()
            .cloned()
            .partition(|path| edited.contains(path) && merged.conflicts.contains(path));
        if !left.is_empty() {
            tool::note(&format!(
                "changed in the main tree after the work of task '{}' was brought in, so not taken back with it: {}",
                self.task,
                left.join(", ")
            ));
        }
        snapshot::put(git, &now, &merged.tree, &back)
    }

    /// Those of its files that are neither as it made them nor as they were before, nor a part of either that a
    /// crash left.
    fn edited_since(&self, git: &Git, now: &str) -> Result<Vec<String>, Fail> {
        let differ = |from: &str, to: &str| -> Result<HashSet<String>, Fail> {
            Ok(snapshot::changed(git, from, to)?.into_iter().map(|(path, _)| path).collect())
        };
        let (made, were) = (differ(now, &self.after)?, differ(now, &self.before)?);
        let other = self.files.iter().filter(|path| made.contains(*path) && were.contains(*path));
        let mut out = Vec::new();
        for path in other {
            // A path that cannot be read as a file is something else by now.
            let is = fs::read_if_there(&git.home().root().join(path)).map(Option::unwrap_or_default);
            let Ok(is) = is else {
                out.push(path.clone());
                continue;
            };
            let mut torn = false;
            for tree in [&self.after, &self.before] {
                let name = format!("{tree}:{path}");
                let blob = git.ask(&Call::of(&["cat-file", "--filters", &name]))?;
                torn |= blob.status.success() && blob.out.starts_with(&is);
            }
            if !torn {
                out.push(path.clone());
            }
        }
        Ok(out)
    }

    /// Ends it: keeps ticked work and undoes the rest. The caller holds the lock of the main tree.
    pub fn settle(&self, git: &Git) -> Result<(), Fail> {
        let records = Ledger::new(git.home().clone()).read_of(&self.plan)?;
        if !self.is_ticked(&records) {
            self.undo(git)?;
        }
        Self::end(git.home())
    }
}

const NAME: &str = "landing.json";
/// The record of a landing; its data contains the digest of the file.
const RECORD: (Type, &str, SourceKind, Trust) = (Type::Message, "landing", SourceKind::Tool, Trust::Observed);

/// In that record: the branch's commit before and after, if commits of the worker land.
const HEAD: &str = "head";

/// The commits that landings on record brought into the branch, each ending with one of `ends`: the worker's, made again.
pub fn brought_in(
    git: &Git,
    records: &[Punch],
    ends: &HashSet<&str, impl BuildHasher>,
) -> Result<HashSet<String>, Fail> {
    let (kind, key, source, trust) = RECORD;
    let is_one = |p: &&Punch| (p.kind, p.key.as_str(), p.source.kind, p.trust) == (kind, key, source, trust);
    let heads = records.iter().filter(is_one);
    let heads =
        heads.filter_map(|p| serde_json::from_value::<(String, String)>(p.data.get(HEAD)?.clone()).ok());
    let mut commits = HashSet::new();
    for (old, new) in heads.filter(|(_, new)| ends.contains(new.as_str())) {
        let listed = git.ask(&Call::of(&["rev-list", &format!("{old}..{new}")]))?;
        commits.extend(String::from_utf8_lossy(&listed.out).lines().map(str::to_owned));
    }
    Ok(commits)
}

/// The lock for changing, committing or snapshotting the main tree.
pub fn lock(home: &Home, who: &str) -> Result<Lock, Fail> {
    Lock::take(&home.folder("locks")?.join("commit"), PATIENCE, who)
}

/// The commit that new work begins from: the main tree as it is, without work that is not proved there yet.
pub fn base(git: &Git) -> Result<String, Fail> {
    let _lock = lock(git.home(), "a tree being taken as it is")?;
    if let Some(landing) = Landing::read(git.home())?
        && !landing.is_ticked(&Ledger::new(git.home().clone()).read_of(&landing.plan)?)
    {
        return Ok(landing.before);
    }
    snapshot::take(git, git.head()?.as_deref())
}

/// Those of the paths that git ignores, each followed by a NUL.
fn ignored<'p>(git: &Git, ask: &[&str], paths: impl Iterator<Item = &'p String>) -> Result<Vec<u8>, Fail> {
    // `check-ignore` has no literal paths; a colon begins a pattern.
    let input = nul_separated(paths.filter(|path| !path.starts_with(':')));
    let answer = git.ask(&Call::of(ask).input(&input).with_hooks())?;
    // It exits with 1 if it ignores none.
    if !matches!(answer.status.code(), Some(0 | 1)) {
        let said = answer.err.lines().next().unwrap_or("no reason given");
        return Err(Fail::new(Exit::Io, "git-failed", format!("'git check-ignore' failed: {said}")));
    }
    Ok(answer.out)
}

/// Moves the branch and those entries of the index for which nothing else is staged.
fn move_head(git: &Git, from: &str, to: &str) -> Result<(), Fail> {
    git.run(&Call::of(&["read-tree", "-m", "-i", from, to]))?;
    git.run(&Call::of(&["update-ref", "-m", "plantools: land", "HEAD", to, from]))?;
    Ok(())
}
