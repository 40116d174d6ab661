//! The working tree as one hash, without touching the user's index.
//!
//! The tree is everything that git tracks or would add, leaving out the files that our own stages write, with
//! the plan's own files taken with their marks blanked: so a tick does not undo its own proof. A private
//! index below `.plantools/` remembers what was hashed before, and no object is written.

use crate::git::{Call, Git};
use crate::root::{self, Home};
use crate::{Fail, fs, sha};
use std::collections::BTreeMap;
use std::path::Path;
use wire::TreeHash;

/// What is ours or the plan's, and so not part of the tree as it is.
#[derive(Debug, Clone, Default)]
pub struct Ground {
    /// Files, or folders with a slash at the end, that our own stages write.
    pub own: Vec<String>,
    /// The plan's files, with the digest of their bytes after their marks were blanked.
    pub plan: Vec<(String, String)>,
}

impl Ground {
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
    /// Everything as one hash.
    pub hash: TreeHash,
    /// Each path with its mode and content.
    pub entries: BTreeMap<String, String>,
    /// The same of the plan's files and our own, which are no part of the hash.
    pub beside: BTreeMap<String, String>,
}

impl Tree {
    /// The tree as it is now; `None` outside a git repository.
    pub fn now(home: &Home, ground: &Ground) -> Result<Option<Self>, Fail> {
        if !root::has_git(home.root()) {
            return Ok(None);
        }
        let git = Git::new(home.clone());
        let listed = git.run(&Call::of(&["ls-files", "-z", "-c", "-o", "--exclude-standard"]))?;
        let index = private_index(home)?;
        let staged = stage(&git, &index, &listed.out);
        let result = staged.map(|staged| Self::from_listing(&listed.out, &staged, ground));
        match &result {
            Ok(_) => keep(&index, &home.path("tree.index")),
            Err(_) => fs::remove(&index)?,
        }
        result.map(Some)
    }

    /// The mode and content of a path, wherever it counts.
    pub fn at(&self, path: &str) -> Option<&str> {
        self.entries.get(path).or_else(|| self.beside.get(path)).map(String::as_str)
    }

    /// Paths that differ, new and gone ones included.
    pub fn changed_since(&self, before: &Tree) -> Vec<String> {
        let here = self.entries.iter().filter(|(path, what)| before.entries.get(*path) != Some(what));
        let gone = before.entries.keys().filter(|path| !self.entries.contains_key(*path));
        let mut out: Vec<String> = here.map(|(path, _)| path.clone()).chain(gone.cloned()).collect();
        out.sort();
        out
    }

    fn from_listing(listed: &[u8], staged: &[u8], ground: &Ground) -> Self {
        let wanted: std::collections::HashSet<&[u8]> = listed.split(|b| *b == 0).collect();
        let (mut entries, mut beside) = (BTreeMap::new(), BTreeMap::new());
        for entry in staged.split(|b| *b == 0) {
            // mode SP object SP stage TAB path
            let Some(tab) = entry.iter().position(|b| *b == b'\t') else { continue };
            let (what, path) = (&entry[..tab], &entry[tab + 1..]);
            if wanted.contains(path) {
                let path = String::from_utf8_lossy(path).into_owned();
                let apart = ground.is_own(&path) || ground.is_plan(&path);
                let map = if apart { &mut beside } else { &mut entries };
                map.insert(path, String::from_utf8_lossy(what).into_owned());
            }
        }
        let mut hasher = sha::Hasher::new();
        let mut add =
            |parts: [&str; 3]| parts.iter().for_each(|p| hasher.update(format!("{p}\0").as_bytes()));
        for (path, what) in &entries {
            add(["file", what, path]);
        }
        for (path, digest) in &ground.plan {
            add(["plan", digest, path]);
        }
        Self { hash: TreeHash(format!("t1:{}", hasher.finish())), entries, beside }
    }
}

/// A copy of the remembered index that only this process uses, so that a kill leaves no lock behind.
fn private_index(home: &Home) -> Result<std::path::PathBuf, Fail> {
    let index = fs::sibling(&home.folder("tmp")?.join("tree.index"));
    let known = [home.path("tree.index"), root::git_dir(home.root()).join("index")];
    if let Some(known) = known.iter().find(|path| path.is_file())
        && copy_with_time(known, &index).is_err()
    {
        fs::remove(&index)?;
    }
    Ok(index)
}

/// Git tells by the index's own time which entries it must not trust, so a copy has to keep it.
pub(crate) fn copy_with_time(from: &Path, to: &Path) -> std::io::Result<()> {
    let time = std::fs::metadata(from)?.modified()?;
    std::fs::copy(from, to)?;
    std::fs::OpenOptions::new().write(true).open(to)?.set_modified(time)
}

/// Brings the private index up to date with the working tree and lists it.
fn stage(git: &Git, index: &Path, paths: &[u8]) -> Result<Vec<u8>, Fail> {
    let files: Vec<&[u8]> =
        paths.split(|b| *b == 0).filter(|p| !p.is_empty() && !p.ends_with(b"/")).collect();
    let mut input = files.join(&0u8);
    input.push(0);
    let update = ["update-index", "-z", "--add", "--remove", "--replace", "--info-only", "--stdin"];
    if !files.is_empty() {
        git.run(&Call::of(&update).input(&input).index(index))?;
    }
    Ok(git.run(&Call::of(&["ls-files", "-z", "-s"]).index(index))?.out)
}

/// Remembers the index for the next time; it is only a cache, so losing it costs time and nothing else.
fn keep(index: &Path, as_path: &Path) {
    if std::fs::rename(index, as_path).is_err() {
        let _ = std::fs::remove_file(index);
    }
}
