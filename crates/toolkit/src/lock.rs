//! Locks that are open files: they end with their holder, however it ends.
//!
//! The lock file is never removed, so that two processes cannot hold locks on two files of one name; it says
//! who holds it.

use crate::root::Home;
use crate::{Exit, Fail, fs, sha};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// How long a tool waits for a lock that one holder keeps.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How many times as long it waits in all while holders come and go: many writers on a slow disk are a queue, and no
/// reason to give up.
pub const QUEUE: u32 = 20;

/// A lock that is held until dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock, waiting at most so long for any one holder; `who` is what others are told meanwhile.
    pub fn take(path: &Path, wait: Duration, who: &str) -> Result<Self, Fail> {
        Self::wait(path, wait, who, File::try_lock)
    }

    /// Takes the lock beside others who do the same, and keeps off those who take it alone.
    pub fn share(path: &Path, wait: Duration, who: &str) -> Result<Self, Fail> {
        Self::wait(path, wait, who, File::try_lock_shared)
    }

    /// Takes the lock if nobody has it, for what can be left to a later time as well: one that others share all the time
    /// may never be free for long.
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

    /// The note is for people; a lock without one is as good.
    fn noted(mut file: File, who: &str) -> Self {
        let _ = file.set_len(0);
        let _ = file.write_all(format!("{who}, process {}\n", std::process::id()).as_bytes());
        Self { _file: file }
    }
}

fn open(path: &Path) -> Result<File, Fail> {
    fs::open_own(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

/// The lock under which a plan's files are changed, however its path is written.
pub fn of_plan(home: &Home, path: &Path, who: &str) -> Result<Lock, Fail> {
    let real = path.canonicalize().map_err(|e| Fail::io(path, &e))?;
    let name = format!("edit-{}", &sha::hex(real.as_os_str().as_encoded_bytes())[..16]);
    Lock::take(&home.folder("locks")?.join(name), PATIENCE, who)
}

/// How long one order's checks may keep the others waiting.
const CHECKS: Duration = Duration::from_secs(24 * 3600);

/// The lock under which one tree that several tasks share is looked at: what a check leaves there for a moment must not be
/// taken for a change by whoever looks at the proof of another task.
pub fn of_tree(home: &Home, who: &str) -> Result<Lock, Fail> {
    Lock::take(&home.folder("locks")?.join("tree"), CHECKS, who)
}

/// When the lock was last taken: its holder writes his note then.
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
