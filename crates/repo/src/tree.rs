//! The working tree as one hash, without touching the user's index.
//!
//! The tree is everything that git tracks or would add, without the files that our own stages write. The plan's own
//! files count with their marks blanked, so that a tick does not invalidate its own proof. A private index below
//! `.plantools/` caches earlier hashes, and no object is written.
//!
//! This process looks at the tree itself ([`look`]); git is asked for a tree that only git can read ([`by_git`]).

#[cfg(test)]
mod against_git;
mod blob;
mod by_git;
mod index;
mod look;
pub mod nested;
mod walk;

pub use by_git::copy_with_time;

use crate::git::{Call, Git};
use crate::products;
use ledger::changed::TreeView;
use std::collections::{BTreeMap, HashSet};
use toolkit::Fail;
use toolkit::files::root::{self, Home};
use toolkit::files::sha;
use wire::TreeHash;

/// Our own files and the plan's, which do not count as part of the tree as they are.
#[derive(Debug, Clone, Default)]
pub struct OwnFiles {
    /// Files, or folders with a trailing slash, that our own stages write.
    pub own: Vec<String>,
    /// The plan's files, with the digest of their bytes with the marks blanked.
    pub plan: Vec<(String, String)>,
}

impl OwnFiles {
    /// Whether a path is left out of the tree.
    pub fn is_own(&self, path: &str) -> bool {
        let ours =
            |own: &String| if own.ends_with('/') { path.starts_with(own.as_str()) } else { path == own };
        path.starts_with(".plantools/") || self.own.iter().any(ours)
    }

    /// Whether a path is one of the plan's files.
    pub fn is_plan(&self, path: &str) -> bool {
        self.plan.iter().any(|(plan, _)| plan == path)
    }
}

/// The tree at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// The hash of the whole tree.
    pub hash: TreeHash,
    /// Each path with its mode and content.
    pub entries: BTreeMap<String, String>,
    /// The same for the plan's files and our own, which are not part of the hash.
    pub beside: BTreeMap<String, String>,
    /// Content that the objects do not show: digests of nested repositories, and of files that git stores in
    /// another form.
    within: BTreeMap<String, String>,
}

impl Tree {
    /// The view of a tree that proof needs.
    pub fn view(&self) -> TreeView<'_> {
        TreeView { hash: &self.hash, entries: &self.entries }
    }

    /// The tree as it is now; `None` outside a git repository.
    pub fn now(home: &Home, ground: &OwnFiles) -> Result<Option<Self>, Fail> {
        if !root::has_git(home.root()) {
            return Ok(None);
        }
        let git = Git::new(home.clone());
        let products = products::on_record(home)?;
        let seen = match look::look(&git, &products)? {
            Some(own) => Seen { files: own.entries.iter().map(described).collect(), ..Seen::default() },
            None => by_git::look(&git)?,
        };
        Ok(Some(Self::of(seen, ground)))
    }

    /// Looks at the whole tree before the first worker of a run starts, so that no stage has to read a file again that
    /// was there before. Returns the moment of the look for [`toolkit::cli::env::SINCE`]; `None` if only git can look.
    pub fn prepare(home: &Home) -> Result<Option<String>, Fail> {
        if !root::has_git(home.root()) {
            return Ok(None);
        }
        let seen = look::look(&Git::new(home.clone()), &products::on_record(home)?)?;
        Ok(seen.map(|seen| format!("{}.{:09}", seen.begun.0, seen.begun.1)))
    }

    /// The mode and content of a path, in the hash or beside it.
    pub fn at(&self, path: &str) -> Option<&str> {
        self.entries.get(path).or_else(|| self.beside.get(path)).map(String::as_str)
    }

    /// Paths that differ, including new and deleted ones.
    pub fn changed_since(&self, before: &Tree) -> Vec<String> {
        let mut out: Vec<String> = differing(&self.entries, &before.entries).cloned().collect();
        out.extend(differing(&self.within, &before.within).cloned());
        out.sort();
        out.dedup();
        out
    }

    fn of(seen: Seen, ground: &OwnFiles) -> Self {
        let is_apart = |path: &str| ground.is_own(path) || ground.is_plan(path);
        let (mut entries, mut beside, mut within) = (BTreeMap::new(), BTreeMap::new(), seen.within);
        for (path, what) in seen.files {
            let map = if is_apart(&path) { &mut beside } else { &mut entries };
            map.insert(path, what);
        }
        within.retain(|path, _| !is_apart(path));
        let mut hasher = sha::Hasher::new();
        let mut add =
            |parts: [&str; 3]| parts.iter().for_each(|p| hasher.update(format!("{p}\0").as_bytes()));
        for (path, what) in &entries {
            add(["file", what, path]);
        }
        for (path, digest) in &within {
            add(["within", digest, path]);
        }
        for (path, digest) in &ground.plan {
            add(["plan", digest, path]);
        }
        Self { hash: TreeHash(format!("t1:{}", hasher.finish())), entries, beside, within }
    }
}

/// The names of all files that git tracks or would add, and that exist; `None` where only git can tell. Refuses a new or
/// changed file that is too large.
pub(crate) fn names(git: &Git) -> Result<Option<HashSet<Vec<u8>>>, Fail> {
    let seen = look::look(git, &products::on_record(git.home())?)?;
    Ok(seen.map(|seen| seen.entries.into_iter().map(|entry| entry.path).collect()))
}

/// The files that git's index is set not to look at.
pub(crate) fn marked(git: &Git) -> Result<HashSet<Vec<u8>>, Fail> {
    if let Some(marked) = look::marked(git.home().root()) {
        return Ok(marked.into_iter().collect());
    }
    let listed = git.run(&Call::of(&["ls-files", "-z", "-v"]))?.out;
    let entries = listed.split(|b| *b == 0).filter(|entry| entry.len() > 2 && by_git::is_marked(entry));
    Ok(entries.map(|entry| entry[2..].to_vec()).collect())
}

/// What a look at the tree gives.
#[derive(Default)]
struct Seen {
    /// Each path with its mode, object and stage.
    files: Vec<(String, String)>,
    /// Content that the objects do not show.
    within: BTreeMap<String, String>,
}

/// An entry as git lists it: mode, object and stage.
fn described(entry: &index::Entry) -> (String, String) {
    use std::fmt::Write;
    let mut what = format!("{:o} ", entry.mode);
    for byte in entry.object {
        let _ = write!(what, "{byte:02x}");
    }
    what.push_str(" 0");
    (String::from_utf8_lossy(&entry.path).into_owned(), what)
}

/// The paths that differ between the two.
fn differing<'m>(
    now: &'m BTreeMap<String, String>,
    before: &'m BTreeMap<String, String>,
) -> impl Iterator<Item = &'m String> {
    let here = now.iter().filter(|(path, what)| before.get(*path) != Some(what)).map(|(path, _)| path);
    here.chain(before.keys().filter(|path| !now.contains_key(*path)))
}
