//! Locks that are open files: the system releases them when their holder ends, however it ends.
//!
//! The lock file is never removed, so that two processes cannot hold locks on two files of one name; it names its
//! holder.

use crate::files::root::Home;
use crate::files::{fs, sha};
use crate::{Exit, Fail};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// How long a tool waits for one holder of a lock.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How many times as long it waits in total while holders change: a queue of writers on a slow disk is no reason to
/// give up.
pub const QUEUE: u32 = 20;

/// A lock that is held until dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock, waiting at most `wait` for any one holder; `who` names us to others meanwhile.
    pub fn take(path: &Path, wait: Duration, who: &str) -> Result<Self, Fail> {
        Self::wait(path, wait, who, File::try_lock)
    }

    /// Takes the lock together with other shared holders, and keeps exclusive ones out.
    pub fn share(path: &Path, wait: Duration, who: &str) -> Result<Self, Fail> {
        Self::wait(path, wait, who, File::try_lock_shared)
    }

    /// Takes the lock if it is free, for work that can be done later as well: a lock that is always shared may
    /// never be free for long.
    pub fn take_if_free(path: &Path, who: &str) -> Result<Option<Self>, Fail> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self::noted(file, who))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(Fail::io(path, &e)),
        }
    }

    fn wait(
        path: &Path,
        wait: Duration,
        who: &str,
        take: impl Fn(&File) -> Result<(), TryLockError>,
    ) -> Result<Self, Fail> {
        let mut file = open(path)?;
        let began = Instant::now();
        let mut deadline = began + wait;
        let mut held_since = taken_at(&file);
        let mut pause = Duration::from_micros(200);
        loop {
            match take(&file) {
                Ok(()) => return Ok(Self::noted(file, who)),
                Err(TryLockError::Error(e)) => return Err(Fail::io(path, &e)),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    let since = taken_at(&file);
                    if since == held_since || began.elapsed() >= wait * QUEUE {
                        return Err(busy(path, &mut file));
                    }
                    (held_since, deadline) = (since, Instant::now() + wait);
                }
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(10));
                }
            }
        }
    }

    /// The note is for people; the lock works without it.
    fn noted(mut file: File, who: &str) -> Self {
        let _ = file.set_len(0);
        let _ = file.write_all(format!("{who}, process {}\n", std::process::id()).as_bytes());
        Self { _file: file }
    }
}

fn open(path: &Path) -> Result<File, Fail> {
    fs::open_own(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

/// The lock for changing a plan's files, the same however the path is written.
pub fn of_plan(home: &Home, path: &Path, who: &str) -> Result<Lock, Fail> {
    let real = path.canonicalize().map_err(|e| Fail::io(path, &e))?;
    let name = format!("edit-{}", &sha::hex(real.as_os_str().as_encoded_bytes())[..16]);
    Lock::take(&home.folder("locks")?.join(name), PATIENCE, who)
}

/// The file that a run of a plan locks, the same however the path is written. Other files of the run stand beside it.
pub fn of_run(home: &Home, path: &Path) -> Result<PathBuf, Fail> {
    let real = path.canonicalize().map_err(|e| Fail::io(path, &e))?;
    let name = format!("run-{}", &sha::hex(real.as_os_str().as_encoded_bytes())[..16]);
    Ok(home.folder("locks")?.join(name))
}

/// The file that a run locks for the tree that it works in, whatever its plan.
pub fn of_work(home: &Home) -> Result<PathBuf, Fail> {
    Ok(home.folder("locks")?.join("work"))
}

/// How long to wait for the checks of one order.
const CHECKS: Duration = Duration::from_secs(24 * 3600);

/// The lock for looking at a tree that several tasks share: a file that a check leaves there for a moment must not
/// count as a change when the proof of another task is examined.
pub fn of_tree(home: &Home, who: &str) -> Result<Lock, Fail> {
    Lock::take(&home.folder("locks")?.join("tree"), CHECKS, who)
}

/// When the lock was last taken: the holder writes its note then.
fn taken_at(file: &File) -> Option<SystemTime> {
    file.metadata().and_then(|m| m.modified()).ok()
}

fn busy(path: &Path, file: &mut File) -> Fail {
    let mut holder = String::new();
    let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(300).read_to_string(&mut holder));
    let holder = holder.trim();
    let holder = if holder.is_empty() { "another process" } else { holder };
    Fail::new(Exit::Busy, "lock-busy", format!("held by {holder}")).in_file(path)
}
