//! The working tree as git lists it, for a tree that only git can read: filters, other repositories within, a sparse or
//! split index, conflicts, names that differ in case only.
//!
//! Git relies on the times and the size of a file that an index stores. An index can be forged so that a changed
//! file looks unchanged; the time of a file's last change of state (`ctime`) cannot be set back.

use super::look::INDEX;
use super::{Seen, nested};
use crate::git::{Call, Git, Running, nul_separated};
use crate::products;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use toolkit::Fail;
use toolkit::cli::clock;
use toolkit::files::fs;
use toolkit::files::oversize;
use toolkit::files::root::{self, Home};

/// Looks at the tree.
pub(super) fn look(git: &Git) -> Result<Seen, Fail> {
    let home = git.home();
    // Start both queries at once: the files that exist, and what the index knows of them.
    let listed = git.begin(&Call::of(&["ls-files", "-z", "-c", "-o", "--exclude-standard"]))?;
    let index = private_index(home)?;
    let known = known(git, &index);
    let listed = listed.succeed()?.out;
    let (nested, files): (Vec<&[u8]>, Vec<&[u8]>) =
        listed.split(|b| *b == 0).filter(|path| !path.is_empty()).partition(|path| path.ends_with(b"/"));
    let mut files = reachable(home.root(), files);
    let products = products::untracked(git)?;
    if !products.is_empty() {
        files.retain(|path| !products.contains(&*String::from_utf8_lossy(path)));
    }
    let of_editors = products::of_editors(git, &files)?;
    files.retain(|path| !of_editors.contains(path));
    let staged = staged(git, &index, known, &files)?;
    let mut within = nested::of_converted(git, &files, || objects_of(&staged))?;
    let links = entries_of(&staged).filter(|(what, _)| what.starts_with(b"160000"));
    for path in nested.into_iter().chain(links.map(|(_, path)| path)) {
        let path = path.strip_suffix(b"/").unwrap_or(path);
        let digest = nested::of_repository(git, Path::new(OsStr::from_bytes(path)))?;
        within.extend(digest.map(|digest| (String::from_utf8_lossy(path).into_owned(), digest)));
    }
    let wanted: HashSet<&[u8]> = files.iter().copied().collect();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let files = entries_of(&staged).filter(|(_, path)| wanted.contains(path));
    Ok(Seen { files: files.map(|(what, path)| (text(path), text(what))).collect(), within })
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
        fs::remove(&git.home().path(INDEX))?;
        fs::remove(index)?;
        result = stage(git, index, again(), files);
    }
    if result.as_ref().is_ok_and(|staged| looks_away(git.home().root(), files, staged)) {
        result = unmark(git, index).and_then(|()| stage(git, index, again(), files));
    }
    match &result {
        Ok(_) => keep(index, &git.home().path(INDEX)),
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
pub(super) fn is_marked(entry: &[u8]) -> bool {
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
    let index = fs::sibling(&home.folder("tmp")?.join(INDEX));
    let known = [home.path(INDEX), root::git_dir(home.root()).join("index")];
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
    let doubted = doubted(git.home().root(), files, &objects_of(&known.listing));
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

/// The files that changed since the run began and are not, byte for byte, the objects that the index lists for
/// them. This includes files that git stores in another form.
fn doubted<'f>(top: &Path, files: &[&'f [u8]], objects: &HashMap<&[u8], &[u8]>) -> Vec<&'f [u8]> {
    let since = clock::began();
    let is_doubted = |file: &&&[u8]| {
        let path = top.join(OsStr::from_bytes(file));
        let Some(object) = objects.get(**file) else { return false };
        let Ok(about) = path.symlink_metadata() else { return false };
        fs::changed_at(&path).is_none_or(|changed| changed >= since)
            && !about.is_dir()
            && name_of(&path, &about, object.len()).as_deref() != Some(*object)
    };
    files.iter().filter(is_doubted).copied().collect()
}

/// The object name of a file's bytes, in the length that the repository uses.
fn name_of(path: &Path, about: &std::fs::Metadata, length: usize) -> Option<Vec<u8>> {
    let bytes = if about.is_symlink() {
        std::fs::read_link(path).ok()?.as_os_str().as_bytes().to_vec()
    } else {
        fs::read(path).ok()?
    };
    let head = format!("blob {}\0", bytes.len());
    let digest = if length == 64 {
        Sha256::new().chain_update(&head).chain_update(&bytes).finalize().to_vec()
    } else {
        Sha1::new().chain_update(&head).chain_update(&bytes).finalize().to_vec()
    };
    Some(digest.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect())
}
