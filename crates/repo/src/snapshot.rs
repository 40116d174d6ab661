//! Commits of a whole working tree, and three-way merges of them.
//!
//! The user's index is never touched, and no reference is created: a snapshot is found by its hash alone. It
//! contains everything that git tracks or would add, committed or not, so that work begins from the current state.

use crate::git::{Call, Git, nul_separated};
use crate::{products, tree};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use toolkit::files::fs;
use toolkit::files::oversize;
use toolkit::files::root::{self, inside_as_it_is};
use toolkit::{Exit, Fail};

/// The author of snapshots; they are never part of a user's history.
const NAME: &str = "user.name=plantools";
const MAIL: &str = "user.email=plantools@localhost";
pub(crate) const ADDRESS: &str = "plantools@localhost";

/// Git's exit code for an unknown option.
const USAGE: i32 = 129;

/// The result of merging two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The merged tree, with git's conflict markers where the merge failed.
    pub tree: String,
    /// The files that could not be merged.
    pub conflicts: Vec<String>,
}

/// The whole working tree as a commit on `parent`; the parent itself if nothing differs.
pub fn take(git: &Git, parent: Option<&str>) -> Result<String, Fail> {
    // Git would read every new or changed file to its end, however long that takes. Our own look refuses it.
    if tree::names(git)?.is_none() {
        let listed = git.run(&Call::of(&["ls-files", "-z", "-o", "-m", "--exclude-standard"]))?.out;
        oversize::refuse(git.home().root(), listed.split(|b| *b == 0).filter(|path| !path.is_empty()))?;
    }
    let index = fs::sibling(&git.home().folder("tmp")?.join("snapshot.index"));
    let known = root::git_dir(git.home().root()).join("index");
    if known.is_file() && tree::copy_with_time(&known, &index).is_err() {
        fs::remove(&index)?;
    }
    let written = add_all(git, &index)
        .and_then(|()| products::leave_out(git, &index))
        .and_then(|()| git.run(&Call::of(&["write-tree"]).index(&index)));
    fs::remove(&index)?;
    let tree = written?.line();
    match parent {
        Some(parent) if tree_of(git, parent)? == tree => Ok(parent.to_owned()),
        parent => commit(git, &tree, parent.as_slice(), "snapshot"),
    }
}

/// How often to add a tree in which files come and go.
const TRIES: usize = 5;

/// Adds everything to this index. Git fails if a file disappears between its listing and its reading, as the temporary
/// file of an editor does; the next try no longer lists it.
fn add_all(git: &Git, index: &Path) -> Result<(), Fail> {
    let add = || git.run(&Call::of(&["add", "--all", "--sparse"]).index(index)).map(drop);
    let mut added = add();
    for _ in 1..TRIES {
        if added.is_ok() {
            break;
        }
        added = add();
    }
    added
}

/// Creates a commit that is on no branch.
pub fn commit(git: &Git, tree: &str, parents: &[&str], message: &str) -> Result<String, Fail> {
    let mut args = vec!["-c", NAME, "-c", MAIL, "commit-tree", tree, "-m", message];
    for parent in parents {
        args.extend(["-p", parent]);
    }
    Ok(git.run(&Call::of(&args))?.line())
}

/// The tree of a commit. A process asks git once about each: what a hash names never changes.
pub fn tree_of(git: &Git, commit: &str) -> Result<String, Fail> {
    static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(commit).cloned();
    if let Some(tree) = known {
        return Ok(tree);
    }
    let name = format!("{commit}^{{tree}}");
    let tree = git.run(&Call::of(&["rev-parse", "--verify", "--quiet", &name]))?.line();
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(commit.to_owned(), tree.clone());
    Ok(tree)
}

/// Merges two commits that both began at `base`; changes no working tree.
pub fn merge(git: &Git, base: &str, ours: &str, theirs: &str) -> Result<Merged, Fail> {
    let merge = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"];
    let ask = |more: &[&str]| git.ask(&Call::of(&[&merge[..], more].concat()));
    let mut answer = ask(&[&format!("--merge-base={base}"), ours, theirs])?;
    if answer.status.code() == Some(USAGE) {
        // Before 2.40 git takes no merge base, and finds it by itself from the parents.
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

/// How a path differs between two trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is only in the second.
    New,
    /// It is only in the first.
    Gone,
    /// It has another type: a file where a link or a repository was.
    Kind,
    /// It is in both.
    Other,
}

/// The paths that differ between two trees.
pub fn changed(git: &Git, from: &str, to: &str) -> Result<Vec<(String, Change)>, Fail> {
    let all = changed_as_it_is(git, from, to)?.into_iter();
    Ok(all.map(|(path, change)| (path.to_string_lossy().into_owned(), change)).collect())
}

/// The same with names that may not be UTF-8. The last answer is kept: a landing asks, and then changes these files.
fn changed_as_it_is(git: &Git, from: &str, to: &str) -> Result<Vec<(PathBuf, Change)>, Fail> {
    static LAST: Mutex<Option<(String, Changes)>> = Mutex::new(None);
    let trees = format!("{from} {to}");
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some((_, changes)) = last.filter(|(asked, _)| *asked == trees) {
        return Ok(changes);
    }
    let changes = asked_changes(git, from, to)?;
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some((trees, changes.clone()));
    Ok(changes)
}

type Changes = Vec<(PathBuf, Change)>;

fn asked_changes(git: &Git, from: &str, to: &str) -> Result<Changes, Fail> {
    let listed = git.run(&Call::of(&["diff-tree", "-r", "-z", "--no-renames", "--name-status", from, to]))?;
    let words: Vec<&[u8]> = listed.out.split(|b| *b == 0).collect();
    let change = |letter: &[u8]| match letter {
        b"A" => Change::New,
        b"D" => Change::Gone,
        b"T" => Change::Kind,
        _ => Change::Other,
    };
    let path = |name: &[u8]| PathBuf::from(OsStr::from_bytes(name));
    Ok(words.chunks_exact(2).map(|pair| (path(pair[1]), change(pair[0]))).collect())
}

/// Files on disk that are in the way of the new paths among the changes, and are not part of the tree the changes
/// started from: there is no other copy of them.
pub fn in_the_way(top: &Path, changes: &[(String, Change)]) -> Vec<String> {
    let of = |wanted| changes.iter().filter(move |(_, change)| *change == wanted).map(|(path, _)| path);
    let gone: HashSet<&str> = of(Change::Gone).map(String::as_str).collect();
    let mut out: Vec<String> = Vec::new();
    // A nested repository has files that are not part of ours.
    for path in of(Change::Gone).chain(of(Change::Kind)) {
        if top.join(path).symlink_metadata().is_ok_and(|about| about.is_dir()) {
            below(top, path, &mut |found| out.push(found.to_owned()));
        }
    }
    for path in of(Change::New) {
        // Check each folder that it needs, from the top, and the path itself: removing one removes everything below
        // it.
        let parts: Vec<&Path> =
            Path::new(path).ancestors().filter(|part| !part.as_os_str().is_empty()).collect();
        for part in parts.into_iter().rev() {
            let name = part.to_string_lossy();
            let Ok(about) = top.join(part).symlink_metadata() else { break };
            if !about.is_dir() {
                out.extend((!gone.contains(&*name)).then(|| name.into_owned()));
                break;
            }
            if top.join(part).join(".git").exists() {
                out.push(name.into_owned());
                break;
            }
            if *name == **path {
                below(top, path, &mut |found| out.extend((!gone.contains(found)).then(|| found.to_owned())));
            }
        }
    }
    out.sort();
    out.dedup();
    out
}

/// Those of the changed files that exist and that git's index is set to ignore: the snapshot does not contain their
/// real content.
pub fn not_looked_at(git: &Git, changes: &[(String, Change)]) -> Result<Vec<String>, Fail> {
    let marked = tree::marked(git)?;
    let is_there = |path: &str| git.home().root().join(path).symlink_metadata().is_ok();
    let hit = changes.iter().map(|(path, _)| path).filter(|path| marked.contains(path.as_bytes()));
    Ok(hit.filter(|path| is_there(path)).cloned().collect())
}

/// Passes each file below a folder to `show`.
fn below(top: &Path, folder: &str, show: &mut dyn FnMut(&str)) {
    let entries = std::fs::read_dir(top.join(folder)).into_iter().flatten().flatten();
    for entry in entries {
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            below(top, &path, show);
        } else {
            show(&path);
        }
    }
}

/// Gives those of the `files` that differ between two trees their content in the second. Repeating it is harmless,
/// so that running it again, forwards or backwards, repairs a crash in the middle.
pub fn put(git: &Git, from: &str, to: &str, files: &[String]) -> Result<(), Fail> {
    let listed: HashSet<&String> = files.iter().collect();
    let all = changed_as_it_is(git, from, to)?.into_iter();
    let all = all.filter(|(path, _)| listed.contains(&path.to_string_lossy().into_owned()));
    let (gone, there): (Vec<_>, Vec<_>) = all.partition(|(_, change)| *change == Change::Gone);
    let top = git.home().root();
    for (path, _) in &gone {
        remove(top, &inside_as_it_is(top, path)?)?;
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

/// Removes a file, and the folders that this leaves empty.
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
