//! The working tree as one hash, without touching the user's index.
//!
//! The tree is everything that git tracks or would add, without the files that our own stages write. The plan's own
//! files count with their marks blanked, so that a tick does not invalidate its own proof. A private index below
//! `.plantools/` caches earlier hashes, and no object is written.

mod blob;
pub mod nested;

use crate::git::{Call, Git, Running, nul_separated};
use crate::products;
use ledger::changed::TreeView;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::oversize;
use toolkit::files::root::{self, Home};
use toolkit::files::{fs, sha};
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
        // Start both queries at once: the files that exist, and what the index knows of them.
        let listed = git.begin(&Call::of(&["ls-files", "-z", "-c", "-o", "--exclude-standard"]))?;
        let index = private_index(home)?;
        let known = known(&git, &index);
        let listed = listed.succeed()?.out;
        let (nested, files): (Vec<&[u8]>, Vec<&[u8]>) =
            listed.split(|b| *b == 0).filter(|path| !path.is_empty()).partition(|path| path.ends_with(b"/"));
        let mut files = reachable(home.root(), files);
        let products = products::untracked(&git)?;
        if !products.is_empty() {
            files.retain(|path| !products.contains(&*String::from_utf8_lossy(path)));
        }
        let staged = staged(&git, &index, known, &files)?;
        let mut within = nested::of_converted(&git, &files, || objects_of(&staged))?;
        let links = entries_of(&staged).filter(|(what, _)| what.starts_with(b"160000"));
        for path in nested.into_iter().chain(links.map(|(_, path)| path)) {
            let path = path.strip_suffix(b"/").unwrap_or(path);
            let digest = nested::of_repository(&git, Path::new(OsStr::from_bytes(path)))?;
            within.extend(digest.map(|digest| (String::from_utf8_lossy(path).into_owned(), digest)));
        }
        Ok(Some(Self::from_listing(&files, &staged, within, ground)))
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

    fn from_listing(
        files: &[&[u8]],
        staged: &[u8],
        mut within: BTreeMap<String, String>,
        ground: &OwnFiles,
    ) -> Self {
        let wanted: HashSet<&[u8]> = files.iter().copied().collect();
        let is_apart = |path: &str| ground.is_own(path) || ground.is_plan(path);
        let (mut entries, mut beside) = (BTreeMap::new(), BTreeMap::new());
        for (what, path) in entries_of(staged).filter(|(_, path)| wanted.contains(path)) {
            let path = String::from_utf8_lossy(path).into_owned();
            let map = if is_apart(&path) { &mut beside } else { &mut entries };
            map.insert(path, String::from_utf8_lossy(what).into_owned());
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

/// The paths that differ between the two.
fn differing<'m>(
    now: &'m BTreeMap<String, String>,
    before: &'m BTreeMap<String, String>,
) -> impl Iterator<Item = &'m String> {
    let here = now.iter().filter(|(path, what)| before.get(*path) != Some(what)).map(|(path, _)| path);
    here.chain(before.keys().filter(|path| !now.contains_key(*path)))
}

/// The files that exist where they are listed. A file below a folder that became a link counts as deleted.
fn reachable<'l>(top: &Path, files: Vec<&'l [u8]>) -> Vec<&'l [u8]> {
    let mut known: HashMap<&'l [u8], bool> = HashMap::new();
    let is_link =
        |folder: &[u8]| top.join(OsStr::from_bytes(folder)).symlink_metadata().is_ok_and(|m| m.is_symlink());
    let mut is_reachable = |path: &&'l [u8]| {
        let folders = path.iter().enumerate().filter(|(_, b)| **b == b'/').map(|(end, _)| &path[..end]);
        folders.into_iter().all(|folder| !*known.entry(folder).or_insert_with(|| is_link(folder)))
    };
    files.into_iter().filter(|path| is_reachable(path)).collect()
}

/// Each entry of a listed index: mode, object and stage, and the path.
fn entries_of(staged: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    staged.split(|b| *b == 0).filter_map(|entry| {
        // tag SP mode SP object SP stage TAB path
        let tab = entry.iter().position(|b| *b == b'\t')?;
        Some((entry.get(2..tab)?, &entry[tab + 1..]))
    })
}

/// The object of each path.
fn objects_of(staged: &[u8]) -> HashMap<&[u8], &[u8]> {
    // mode SP object SP stage
    let object = |what| <[u8]>::split(what, |b| *b == b' ').nth(1);
    entries_of(staged).filter_map(|(what, path)| Some((path, object(what)?))).collect()
}

/// The working tree as an index lists it. An index, the user's or a cached one, with entries that git is set not to
/// look at is not used: then the user's index is taken without its marks.
fn staged(
    git: &Git,
    index: &Path,
    first: Result<Option<Running>, Fail>,
    files: &[&[u8]],
) -> Result<Vec<u8>, Fail> {
    let again = || known(git, index);
    let mut result = stage(git, index, first, files);
    if result.as_ref().is_err_and(|fail| fail.code != oversize::TOO_LARGE) {
        // A power cut may have torn the cached index: start without it.
        fs::remove(&git.home().path("tree.index"))?;
        fs::remove(index)?;
        result = stage(git, index, again(), files);
    }
    if result.as_ref().is_ok_and(|staged| looks_away(git.home().root(), files, staged)) {
        result = unmark(git, index).and_then(|()| stage(git, index, again(), files));
    }
    match &result {
        Ok(_) => keep(index, &git.home().path("tree.index")),
        Err(_) => fs::remove(index)?,
    }
    result
}

/// Makes a private copy of the user's index in which no entry is marked.
fn unmark(git: &Git, index: &Path) -> Result<(), Fail> {
    fs::remove(index)?;
    let users = root::git_dir(git.home().root()).join("index");
    if copy_with_time(&users, index).is_err() {
        return fs::remove(index);
    }
    let listed = git.run(&Call::of(&["ls-files", "-z", "-v"]).index(index))?.out;
    let entries = listed.split(|b| *b == 0).filter(|entry| entry.len() > 2);
    let marked: Vec<&[u8]> = entries.filter(|entry| is_marked(entry)).map(|entry| &entry[2..]).collect();
    let input = nul_separated(marked.iter().map(|path| OsStr::from_bytes(path)));
    for mark in ["--no-skip-worktree", "--no-assume-unchanged"] {
        git.run(&Call::of(&["update-index", "-z", mark, "--stdin"]).index(index).input(&input))?;
    }
    Ok(())
}

/// Whether git is set not to look at the file of an entry: `S`, or a lower-case letter.
pub fn is_marked(entry: &[u8]) -> bool {
    entry.first().is_some_and(|tag| *tag == b'S' || tag.is_ascii_lowercase())
}

/// Whether an entry is marked, or a file that exists has none.
fn looks_away(top: &Path, files: &[&[u8]], staged: &[u8]) -> bool {
    if staged.split(|b| *b == 0).any(is_marked) {
        return true;
    }
    let known: HashSet<&[u8]> = entries_of(staged).map(|(_, path)| path).collect();
    let is_there = |path: &&&[u8]| {
        let data = top.join(OsStr::from_bytes(path)).symlink_metadata();
        data.is_ok_and(|data| data.is_file() || data.is_symlink())
    };
    files.iter().filter(|path| !known.contains(*path)).any(|path| is_there(&path))
}

/// A copy of the cached index that only this process uses, so that a kill leaves no lock behind.
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

/// Copies an index with its time: git uses that time to decide which entries it must not trust.
pub fn copy_with_time(from: &Path, to: &Path) -> std::io::Result<()> {
    let time = std::fs::metadata(from)?.modified()?;
    std::fs::copy(from, to)?;
    std::fs::OpenOptions::new().write(true).open(to)?.set_modified(time)
}

/// Asks git which entries an index has, and which files still match them.
fn known(git: &Git, index: &Path) -> Result<Option<Running>, Fail> {
    let call = Call::of(&["ls-files", "-z", "-v", "-s", "-m", "-d"]).index(index);
    index.is_file().then(|| git.begin(&call)).transpose()
}

/// Updates the private index from the working tree and lists it, each entry with its tag. Mostly nothing has
/// changed since the last time, and then git need not be called again.
fn stage(
    git: &Git,
    index: &Path,
    known: Result<Option<Running>, Fail>,
    files: &[&[u8]],
) -> Result<Vec<u8>, Fail> {
    let known = known?.map(Running::succeed).transpose()?.map(|answer| answer.out).unwrap_or_default();
    let known = Known::of(&known);
    let moved: Vec<&[u8]> = files.iter().copied().filter(|file| !known.holds(file)).collect();
    // A worker could write the index file too: do not trust it for files that changed since the run began.
    let doubted = blob::doubted(git.home().root(), files, &objects_of(&known.listing));
    // A folder took the place of a file: that file is deleted, and git would not notice.
    let (gone, moved): (Vec<&[u8]>, Vec<&[u8]>) = moved.into_iter().partition(|file| is_folder(git, file));
    if gone.is_empty() && moved.is_empty() && doubted.is_empty() {
        return Ok(known.listing);
    }
    // Everything that is read and hashed from here on must be within the size limit.
    oversize::refuse(git.home().root(), moved.iter().chain(&doubted).copied())?;
    let (mut gone, mut moved) = ([gone, doubted.clone()].concat(), [moved, doubted].concat());
    // Pass each path once: the second time git would look up the object of the new entry, which `--info-only` does not
    // write.
    moved.sort_unstable();
    moved.dedup();
    let reset = as_tracked(git, index, &moved)?;
    gone.retain(|path| !reset.contains(*path));
    for (paths, how) in
        [(gone, "--force-remove"), (moved, "--replace")].iter().filter(|(paths, _)| !paths.is_empty())
    {
        let update = ["update-index", "-z", "--add", "--remove", "--info-only", how, "--stdin"];
        let input = [paths.join(&0u8), vec![0]].concat();
        git.run(&Call::of(&update).input(&input).index(index))?;
    }
    Ok(git.run(&Call::of(&["ls-files", "-z", "-s", "-v"]).index(index))?.out)
}

/// Resets the entries of files with carriage returns to those of the user's index, and returns their paths: how git
/// stores such a file depends on what it stored before.
fn as_tracked(git: &Git, index: &Path, files: &[&[u8]]) -> Result<HashSet<Vec<u8>>, Fail> {
    let returns = |file: &&&[u8]| {
        let path = git.home().root().join(OsStr::from_bytes(file));
        let is_file = path.symlink_metadata().is_ok_and(|about| about.is_file());
        is_file && fs::read(&path).is_ok_and(|bytes| bytes.windows(2).any(|pair| pair == b"\r\n"))
    };
    let files: HashSet<&[u8]> = files.iter().filter(returns).copied().collect();
    if files.is_empty() {
        return Ok(HashSet::new());
    }
    let listed = git.run(&Call::of(&["ls-files", "-z", "-s"]))?.out;
    let path_of = |entry: &[u8]| entry.iter().position(|b| *b == b'\t').map(|tab| entry[tab + 1..].to_vec());
    let entries = listed.split(|b| *b == 0).filter_map(|entry| Some((entry, path_of(entry)?)));
    let tracked: Vec<(&[u8], Vec<u8>)> =
        entries.filter(|(_, path)| files.contains(path.as_slice())).collect();
    let input: Vec<u8> = tracked.iter().flat_map(|(entry, _)| [entry, &b"\0"[..]].concat()).collect();
    git.run(&Call::of(&["update-index", "-z", "--index-info"]).input(&input).index(index))?;
    Ok(tracked.into_iter().map(|(_, path)| path).collect())
}

/// Whether a path is a folder, but not a repository of its own.
fn is_folder(git: &Git, path: &[u8]) -> bool {
    let path = git.home().root().join(OsStr::from_bytes(path));
    std::fs::symlink_metadata(&path).is_ok_and(|facts| facts.is_dir()) && !path.join(".git").exists()
}

/// The entries of an index, and the files that still match them.
struct Known<'k> {
    same: HashSet<&'k [u8]>,
    changed: HashSet<&'k [u8]>,
    /// All of it, as `ls-files -s -v` lists it.
    listing: Vec<u8>,
}

impl<'k> Known<'k> {
    /// From a listing with tags: `H` is an unchanged entry; a file with any other tag has to be looked at.
    fn of(tagged: &'k [u8]) -> Self {
        let mut known = Self { same: HashSet::new(), changed: HashSet::new(), listing: Vec::new() };
        for entry in tagged.split(|b| *b == 0) {
            let Some((tag, what)) = entry.split_at_checked(2) else { continue };
            let Some(tab) = what.iter().position(|b| *b == b'\t') else { continue };
            let paths = if tag == b"H " { &mut known.same } else { &mut known.changed };
            paths.insert(&what[tab + 1..]);
            if tag == b"H " {
                known.listing.extend_from_slice(entry);
                known.listing.push(0);
            }
        }
        known
    }

    fn holds(&self, path: &[u8]) -> bool {
        self.same.contains(path) && !self.changed.contains(path)
    }
}

/// Keeps the index for the next time; it is only a cache, so losing it only costs time.
fn keep(index: &Path, as_path: &Path) {
    if std::fs::rename(index, as_path).is_err() {
        let _ = std::fs::remove_file(index);
    }
}
