//! A working tree as a commit of its own, and three of them joined into one.
//!
//! The user's index is never touched, and no reference is made: what is made here is found by its name alone. A
//! snapshot holds everything that git tracks or would add, committed or not, so that work begins from what is there.

use crate::git::{Call, Git, nul_separated};
use crate::root::{self, inside};
use crate::{Exit, Fail, fs, tree};
use std::path::{Path, PathBuf};

/// Who makes snapshots; they are never part of anybody's history.
const NAME: &str = "user.name=plantools";
const MAIL: &str = "user.email=plantools@localhost";

/// What git says to an option that it does not know.
const USAGE: i32 = 129;

/// What came of joining two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The joined tree, with git's own marks where they could not be joined.
    pub tree: String,
    /// The files that could not be joined.
    pub conflicts: Vec<String>,
}

/// The whole working tree as a commit on `parent`; the parent itself where nothing differs.
pub fn take(git: &Git, parent: Option<&str>) -> Result<String, Fail> {
    let index = fs::sibling(&git.home().folder("tmp")?.join("snapshot.index"));
    let known = root::git_dir(git.home().root()).join("index");
    if known.is_file() && tree::copy_with_time(&known, &index).is_err() {
        fs::remove(&index)?;
    }
    let written = git
        .run(&Call::of(&["add", "--all"]).index(&index))
        .and_then(|_| git.run(&Call::of(&["write-tree"]).index(&index)));
    fs::remove(&index)?;
    let tree = written?.line();
    match parent {
        Some(parent) if tree_of(git, parent)? == tree => Ok(parent.to_owned()),
        parent => commit(git, &tree, parent.as_slice(), "snapshot"),
    }
}

/// A commit that no branch knows.
pub fn commit(git: &Git, tree: &str, parents: &[&str], message: &str) -> Result<String, Fail> {
    let mut args = vec!["-c", NAME, "-c", MAIL, "commit-tree", tree, "-m", message];
    for parent in parents {
        args.extend(["-p", parent]);
    }
    Ok(git.run(&Call::of(&args))?.line())
}

/// The tree of a commit.
pub fn tree_of(git: &Git, commit: &str) -> Result<String, Fail> {
    let name = format!("{commit}^{{tree}}");
    Ok(git.run(&Call::of(&["rev-parse", "--verify", "--quiet", &name]))?.line())
}

/// Joins two commits that both began at `base`; nothing in any working tree changes.
pub fn merge(git: &Git, base: &str, ours: &str, theirs: &str) -> Result<Merged, Fail> {
    let merge = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"];
    let ask = |more: &[&str]| git.ask(&Call::of(&[&merge[..], more].concat()));
    let mut answer = ask(&[&format!("--merge-base={base}"), ours, theirs])?;
    if answer.status.code() == Some(USAGE) {
        // Before 2.40 git cannot be told where they began, and finds it by itself: by their parents.
        let on_base = |commit| self::commit(git, &tree_of(git, commit)?, &[base], "join");
        answer = ask(&[&on_base(ours)?, &on_base(theirs)?])?;
    }
    if !matches!(answer.status.code(), Some(0 | 1)) {
        let said = answer.err.lines().next().unwrap_or("no reason given").to_owned();
        let message = format!("git cannot join trees (2.38 or later can): {said}");
        return Err(Fail::new(Exit::Unavailable, "no-merge-tree", message));
    }
    let text = String::from_utf8_lossy(&answer.out).into_owned();
    let mut names = text.split('\0').map(|name| name.trim_end_matches('\n')).filter(|name| !name.is_empty());
    let tree = names.next().unwrap_or_default().to_owned();
    let mut conflicts: Vec<String> = names.map(str::to_owned).collect();
    conflicts.sort();
    conflicts.dedup();
    Ok(Merged { tree, conflicts })
}

/// The paths that differ between two trees, and whether each is in the second.
pub fn changed(git: &Git, from: &str, to: &str) -> Result<Vec<(String, bool)>, Fail> {
    let listed = git.run(&Call::of(&["diff-tree", "-r", "-z", "--no-renames", "--name-status", from, to]))?;
    let text = String::from_utf8_lossy(&listed.out).into_owned();
    let words: Vec<&str> = text.split('\0').collect();
    let pairs = words.chunks_exact(2);
    Ok(pairs.map(|pair| (pair[1].to_owned(), pair[0] != "D")).collect())
}

/// Makes those of the `files` that differ between two trees what they are in the second. What was done already is
/// done again, so that a crash in the middle is mended by doing it once more, forwards or backwards.
pub fn put(git: &Git, from: &str, to: &str, files: &[String]) -> Result<(), Fail> {
    let listed: std::collections::HashSet<&String> = files.iter().collect();
    let all = changed(git, from, to)?.into_iter().filter(|(path, _)| listed.contains(path));
    let (there, gone): (Vec<_>, Vec<_>) = all.partition(|(_, is_there)| *is_there);
    let top = git.home().root();
    for (path, _) in &gone {
        remove(top, &inside(top, path)?)?;
    }
    if there.is_empty() {
        return Ok(());
    }
    let index = fs::sibling(&git.home().folder("tmp")?.join("put.index"));
    let paths = nul_separated(there.iter().map(|(path, _)| path));
    let put = git.run(&Call::of(&["read-tree", to]).index(&index)).and_then(|_| {
        let write = ["checkout-index", "--force", "--quiet", "-z", "--stdin"];
        git.run(&Call::of(&write).index(&index).input(&paths))
    });
    fs::remove(&index)?;
    put.map(|_| ())
}

/// Removes a file, and the folders that are empty without it.
fn remove(top: &Path, path: &Path) -> Result<(), Fail> {
    fs::remove(path)?;
    let folders = path.ancestors().skip(1).take_while(|folder| *folder != top && folder.starts_with(top));
    for folder in folders.map(PathBuf::from) {
        if std::fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}
