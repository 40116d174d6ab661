//! The working tree as this process sees it, without git.
//!
//! A file is read only if nothing that can be trusted says that it is as it was. What this process saw before is trusted,
//! and then nothing else is asked. The first time there are our own index below `.plantools/` and the user's index. A
//! worker may have forged them so that a changed file looks unchanged; the time of a file's last change (`ctime`) cannot
//! be set back, so they are trusted only for files that have not changed since the run began.

use super::blob::{self, Blob};
use super::index::{self, Entry, Facts, Moment, Object};
use super::walk;
use crate::git::Git;
use crate::git::settings::{self, Settings};
use crate::products;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};
use toolkit::Fail;
use toolkit::cli::clock;
use toolkit::files::root::{self, Home};
use toolkit::files::{fs, oversize};

/// The name of our own index.
pub(super) const INDEX: &str = "tree.index";

/// How many trees a process remembers.
const REMEMBERED: usize = 8;

/// A tree.
pub(super) struct Look {
    /// When it was looked at, by the clock of the file system.
    pub(super) begun: Moment,
    /// Every file with its mode and object, sorted by path.
    pub(super) entries: Vec<Entry>,
}

/// Looks at the tree; `None` where only git can tell. Leaves out those of the
/// products that git does not track.
pub(super) fn look(git: &Git, products: &BTreeSet<String>) -> Result<Option<Look>, Fail> {
    let home = git.home();
    let users = root::git_dir(home.root()).join("index");
    let Some(tracked) = Known::read(&users) else { return Ok(None) };
    let settings = Settings::now(git)?;
    let system = &settings::system_files(git)?.attributes;
    // Whatever changes from now on has a time that is not earlier.
    let scratch = Scratch::new(home)?;
    let Some(mut found) = walk::walk(home.root(), &settings, system, &tracked.entries) else {
        return Ok(None);
    };
    let is_tracked = |path: &[u8]| tracked.entries.iter().any(|entry| entry.path == path);
    found.files.retain(|(path, _)| {
        let name = String::from_utf8_lossy(path);
        !(products.contains(&*name) || products::is_of_editor(&name)) || is_tracked(path)
    });
    let seen = remembered(home.root());
    let own = if seen.is_some() { None } else { Known::read(&home.path(INDEX)) };
    let known =
        if seen.is_some() { Vec::new() } else { own.iter().chain([&tracked]).map(Known::by_path).collect() };
    let sources = Sources { seen, known, since: since(), now: scratch.begun, clock: scratch.facts };
    let mut entries = Vec::with_capacity(found.files.len());
    let mut is_news = false;
    for (path, about) in found.files {
        let facts = Facts::of(&about);
        let mode = mode_of(&about);
        let known = sources.object(&path, &facts, mode);
        let read = || {
            let full = home.root().join(OsStr::from_bytes(&path));
            let too_large = oversize::error(about.len()).filter(|_| about.is_file());
            match too_large {
                Some(error) => Err(Fail::io(Path::new(OsStr::from_bytes(&path)), &error)),
                None => Ok(blob::of(&full, &about, found.may_convert)),
            }
        };
        let object = match known.map_or_else(read, |object| Ok(Blob::Is(object)))? {
            Blob::Is(object) => object,
            Blob::Gone => continue,
            Blob::AskGit => return Ok(None),
        };
        is_news |= known.is_none() && !sources.have(&path, &facts, mode, &object);
        let (is_only_named, may_be_absent, is_marked) = (false, false, false);
        entries.push(Entry { facts, mode, object, is_only_named, may_be_absent, is_marked, path });
    }
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    if is_news {
        scratch.keep(&index::write(&entries), &home.path(INDEX));
    }
    remember(home.root(), sources.now, &entries);
    Ok(Some(Look { begun: sources.now, entries }))
}

/// The entries of the user's index that git is told not to look at; `None` where only git can read it.
pub(super) fn marked(root: &Path) -> Option<Vec<Vec<u8>>> {
    let users = Known::read(&root::git_dir(root).join("index"))?;
    Some(users.entries.into_iter().filter(|entry| entry.is_marked).map(|entry| entry.path).collect())
}

/// The mode that git stores.
fn mode_of(about: &Metadata) -> u32 {
    match about.permissions().mode() & 0o100 {
        _ if about.is_symlink() => 0o120_000,
        0 => 0o100_644,
        _ => 0o100_755,
    }
}

/// When the run began: nothing that a worker of it wrote is older.
fn since() -> Moment {
    let began = clock::began().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    (i64::try_from(began.as_secs()).unwrap_or(i64::MAX), i64::from(began.subsec_nanos()))
}

/// An index file, and when it was written.
#[derive(Default)]
struct Known {
    entries: Vec<Entry>,
    written: Moment,
}

impl Known {
    /// `None` if it cannot be used; empty if there is none.
    fn read(path: &Path) -> Option<Self> {
        // Its time is taken first: one that replaces it meanwhile is newer.
        let written = path.metadata().map_or((0, 0), |about| (about.mtime(), about.mtime_nsec()));
        let Some(bytes) = fs::read_if_there(path).ok()? else { return Some(Self::default()) };
        Some(Self { entries: index::read(&bytes)?, written })
    }

    fn by_path(&self) -> ByPath<'_> {
        (self.entries.iter().map(|entry| (entry.path.as_slice(), entry)).collect(), self.written)
    }
}

/// Everything that knows the objects of files.
struct Sources<'s> {
    seen: Option<Arc<Seen>>,
    /// Our own index, and the user's; none if the tree was seen before.
    known: Vec<ByPath<'s>>,
    since: Moment,
    now: Moment,
    /// The file that `now` is the time of.
    clock: Facts,
}

/// The entries of an index, and when it was written.
type ByPath<'s> = (HashMap<&'s [u8], &'s Entry>, Moment);

impl Sources<'_> {
    fn object(&self, path: &[u8], facts: &Facts, mode: u32) -> Option<Object> {
        // Times of another file system may be coarser, so that they cannot be compared.
        if !facts.are_beside(&self.clock) {
            return None;
        }
        if let Some(seen) = &self.seen {
            let (then, kind, object) = seen.files.get(path)?;
            let is_same = then == facts && kind >> 12 == mode >> 12 && facts.are_before(seen.at);
            return is_same.then_some(*object);
        }
        let mut firm = self.entries(path, facts, mode).filter(|(_, written)| facts.are_before(*written));
        firm.next().filter(|_| facts.are_before(self.since)).map(|(entry, _)| entry.object)
    }

    /// The entries that describe this state of a file, and when they were written.
    fn entries(&self, path: &[u8], facts: &Facts, mode: u32) -> impl Iterator<Item = (&Entry, Moment)> {
        let found = self.known.iter().filter_map(move |(all, written)| Some((*all.get(path)?, *written)));
        found.filter(move |(entry, _)| {
            entry.facts.are(facts) && entry.mode >> 12 == mode >> 12 && !entry.is_only_named
        })
    }

    /// Whether an index has this object, and a new one would be no better.
    fn have(&self, path: &[u8], facts: &Facts, mode: u32, object: &Object) -> bool {
        let is_better = |written| !facts.are_before(written) && facts.are_before(self.now);
        self.entries(path, facts, mode).any(|(entry, written)| entry.object == *object && !is_better(written))
    }
}

/// A tree that this process has seen.
struct Seen {
    at: Moment,
    files: HashMap<Vec<u8>, (Facts, u32, Object)>,
}

static SEEN: Mutex<Vec<(PathBuf, Arc<Seen>)>> = Mutex::new(Vec::new());

fn remembered(root: &Path) -> Option<Arc<Seen>> {
    let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    seen.iter().find(|(path, _)| path == root).map(|(_, seen)| Arc::clone(seen))
}

fn remember(root: &Path, at: Moment, entries: &[Entry]) {
    let files = entries.iter().map(|e| (e.path.clone(), (e.facts, e.mode, e.object))).collect();
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    seen.retain(|(path, _)| path != root);
    if seen.len() >= REMEMBERED {
        seen.remove(0);
    }
    seen.push((root.to_path_buf(), Arc::new(Seen { at, files })));
}

/// A file of our own for a new index. Its time is the clock of the file system.
struct Scratch {
    path: PathBuf,
    file: File,
    facts: Facts,
    begun: Moment,
}

impl Scratch {
    fn new(home: &Home) -> Result<Self, Fail> {
        let path = fs::sibling(&home.folder("tmp")?.join(INDEX));
        let file = File::options().write(true).create_new(true).mode(0o600).open(&path);
        let file = file.map_err(|e| Fail::io(&path, &e))?;
        let about = file.metadata().map_err(|e| Fail::io(&path, &e))?;
        let (facts, begun) = (Facts::of(&about), (about.ctime(), about.ctime_nsec()));
        Ok(Self { path, file, facts, begun })
    }

    /// Keeps an index for the next time; it is only a cache, so losing it only costs time. Its own time is that of the
    /// look: what changed later is not trusted.
    fn keep(&self, bytes: &[u8], to: &Path) {
        use std::io::Write;
        let (seconds, nanos) = self.begun;
        let time = u64::try_from(seconds).ok().zip(u32::try_from(nanos).ok());
        let time = time.map(|(seconds, nanos)| UNIX_EPOCH + Duration::new(seconds, nanos));
        let written = (&self.file).write_all(bytes);
        if let (Ok(()), Some(time)) = (written, time)
            && self.file.set_modified(time).is_ok()
        {
            let _ = std::fs::rename(&self.path, to);
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::{Facts, Object, Seen, Sources};
    use crate::tree::index::Entry;
    use std::sync::Arc;

    const FILE: u32 = 0o100_644;
    const THEN: Object = [1; 20];

    /// The facts of a file that changed last in this second.
    fn changed_in(second: i64) -> (tempfile::TempDir, Facts) {
        let folder = tempfile::tempdir().unwrap();
        let facts = Facts::of(&folder.path().metadata().unwrap());
        (folder, facts.at_second(second))
    }

    fn entry(facts: Facts) -> Entry {
        Entry {
            facts,
            mode: FILE,
            object: THEN,
            is_only_named: false,
            may_be_absent: false,
            is_marked: false,
            path: b"a".to_vec(),
        }
    }

    #[test]
    fn an_index_is_trusted_only_for_what_is_older_than_the_run_and_the_index() {
        for (changed, written, since, is_trusted) in
            [(10, 20, 30, true), (10, 10, 30, false), (10, 20, 10, false), (25, 30, 20, false)]
        {
            let (_folder, facts) = changed_in(changed);
            let entry = entry(facts);
            let known = vec![([(&b"a"[..], &entry)].into_iter().collect(), (written, 0))];
            let sources = Sources { seen: None, known, since: (since, 0), now: (40, 0), clock: facts };
            let found = sources.object(b"a", &facts, FILE);
            assert_eq!(found, is_trusted.then_some(THEN), "{changed} {written} {since}");
            assert_eq!(sources.object(b"a", &facts, 0o120_000), None, "a link took its place");
            assert_eq!(sources.object(b"b", &facts, FILE), None);
        }
    }

    #[test]
    fn after_a_look_of_our_own_no_index_is_asked() {
        let (_folder, facts) = changed_in(10);
        let (_other, swapped) = changed_in(10);
        let forged = entry(swapped);
        let known = || vec![([(&b"a"[..], &forged)].into_iter().collect(), (20, 0))];
        let seen = Seen { at: (15, 0), files: [(b"a".to_vec(), (facts, FILE, THEN))].into_iter().collect() };
        let seen = Some(Arc::new(seen));
        let sources = Sources { seen, known: known(), since: (30, 0), now: (40, 0), clock: facts };
        assert_eq!(sources.object(b"a", &facts, FILE), Some(THEN));
        assert_eq!(sources.object(b"a", &swapped, FILE), None, "an older file in its place is read");
        let trusting = Sources { seen: None, known: known(), since: (30, 0), now: (40, 0), clock: facts };
        assert_eq!(trusting.object(b"a", &swapped, FILE), Some(THEN));
    }
}
