//! The lock of a run: one run for one plan and in one tree, several with `--shared`.
//!
//! The file names its holder. The stages of a run hold the lock too: if the run is killed, the next one waits for what
//! is left of it, and ends it after a while. A file that names no living holder means nothing.

use crate::round::processes::{Process, signal};
use crate::show::console::Console;
use crate::stop_reason::{Reason, Stop};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::Signal;
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use toolkit::Fail;
use toolkit::cli::clock::Clock;
use toolkit::cli::env;
use toolkit::files::root::{self, Home};
use toolkit::files::{fs, lock};

/// How long the next run waits for what a killed run has left behind before it ends it.
const LEFT_BEHIND: Duration = Duration::from_secs(60);
/// How long that may take then.
const LAST_WORDS: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(100);

/// What another process asks of a run, by a file beside its lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    Pause,
    Unpause,
    Stop,
}

impl Request {
    /// Leaves the request for the run that has the lock, or takes it away.
    pub(crate) fn leave(self, lock: &Path) -> Result<(), Fail> {
        match self {
            Self::Pause => touch(&beside(lock, "pause")),
            Self::Stop => touch(&beside(lock, "stop")),
            Self::Unpause => remove(&beside(lock, "pause")),
        }
    }
}

fn touch(path: &Path) -> Result<(), Fail> {
    fs::open_own(path, OpenOptions::new().write(true).create(true).truncate(true)).map(drop)
}

fn remove(path: &Path) -> Result<(), Fail> {
    if path.symlink_metadata().is_ok() { fs::remove(path) } else { Ok(()) }
}

/// A file of the run beside its lock.
pub(crate) fn beside(lock: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(lock);
    name.push(".");
    name.push(end);
    name.into()
}

/// Which lock is asked for.
struct Asked<'a> {
    plan: &'a str,
    is_shared: bool,
    waits: bool,
}

/// The lock, held until dropped.
#[derive(Debug)]
pub(crate) struct RunLock {
    path: PathBuf,
    file: File,
    is_shared: bool,
    began: SystemTime,
    /// The lock of the tree, except inside of an attempt: the run around that has it.
    tree: Option<Box<Self>>,
}

impl RunLock {
    /// Takes the lock, and that of the tree; 75 if another run has one of them, unless `waits`.
    pub(crate) fn take(
        path: &Path,
        plan: &OsStr,
        is_shared: bool,
        waits: bool,
        console: &mut Console,
    ) -> Result<Self, Stop> {
        let asked = Asked { plan: &plan.to_string_lossy(), is_shared, waits };
        let busy = |holder: &str| format!("{} is being carried out by {holder}", asked.plan);
        let mut lock = Self::take_one(path, &asked, "", console, busy)?;
        if !env::is_below_attempt() {
            let home = Home::of(&root::find(Path::new(plan))?)?;
            let (path, of) = (lock::of_work(&home)?, format!(", plan {}", asked.plan));
            let busy = |holder: &str| {
                let tree = home.root().display();
                format!(
                    "another run works in {tree}: {holder}; --wait waits for it, --worktree works beside it"
                )
            };
            lock.tree = Some(Box::new(Self::take_one(&path, &asked, &of, console, busy)?));
        }
        Ok(lock)
    }

    fn take_one(
        path: &Path,
        asked: &Asked<'_>,
        of: &str,
        console: &mut Console,
        busy: impl Fn(&str) -> String,
    ) -> Result<Self, Stop> {
        let Asked { plan, is_shared, waits } = *asked;
        // Read and written: on a folder of another machine a shared lock needs the one, an exclusive lock the other.
        let file =
            fs::open_own(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))?;
        let (path, began) = (path.to_path_buf(), SystemTime::now());
        let mut lock = Self { path, file, is_shared, began, tree: None };
        if !lock.is_free()? && !lock.outlive(plan, console)? {
            if !waits {
                let holder = lock.holder();
                let holder = if holder.is_empty() { "another run" } else { &holder };
                return Err(Stop::Reason(Reason::Busy, busy(holder)));
            }
            let taken = if is_shared { lock.file.lock_shared() } else { lock.file.lock() };
            taken.map_err(|e| Fail::io(&lock.path, &e))?;
        }
        let shared = if is_shared { " --shared" } else { "" };
        let note = format!(
            "orchestrate{shared}, process {} on {}, since {}{of}\n",
            std::process::id(),
            host(),
            Clock::default().now()
        );
        lock.write(note.as_bytes())?;
        lock.began = SystemTime::now();
        // A request to stop is for all runs that share the plan and began before it.
        if !is_shared {
            remove(&beside(&lock.path, "stop"))?;
        }
        Ok(lock)
    }

    /// Lets the children that are started meanwhile hold the lock too.
    pub(crate) fn inherited(&self) -> impl Drop + use<'_> {
        struct Closing<'a>(Vec<&'a File>);
        impl Drop for Closing<'_> {
            fn drop(&mut self) {
                for file in &self.0 {
                    let _ = fcntl_setfd(file, FdFlags::CLOEXEC);
                }
            }
        }
        let files: Vec<&File> =
            std::iter::once(&self.file).chain(self.tree.as_ref().map(|tree| &tree.file)).collect();
        for file in &files {
            let _ = fcntl_setfd(file, FdFlags::empty());
        }
        Closing(files)
    }

    /// Whether a person lets the run wait.
    pub(crate) fn is_paused(&self) -> bool {
        beside(&self.path, "pause").exists()
    }

    /// Takes a request to stop; one that several runs share stays for all that began before it.
    pub(crate) fn takes_stop(&self) -> Result<bool, Fail> {
        let path = beside(&self.path, "stop");
        let Ok(about) = path.symlink_metadata() else { return Ok(false) };
        if self.is_shared {
            let since = self.began.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
            return Ok(u64::try_from(about.mtime()).unwrap_or(0) >= since);
        }
        remove(&path)?;
        Ok(true)
    }

    /// Keeps other runs that share the plan from its end meanwhile: its checks and its last commit are about the tree.
    pub(crate) fn alone_at_the_end(&self) -> Result<File, Fail> {
        let path = beside(&self.path, "end");
        let file =
            fs::open_own(&path, OpenOptions::new().read(true).write(true).create(true).truncate(false))?;
        file.lock().map_err(|e| Fail::io(&path, &e))?;
        Ok(file)
    }

    fn is_free(&self) -> Result<bool, Fail> {
        let taken = if self.is_shared { self.file.try_lock_shared() } else { self.file.try_lock() };
        match taken {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(e)) => Err(Fail::io(&self.path, &e)),
        }
    }

    /// The note of the holder.
    fn holder(&mut self) -> String {
        let mut text = String::new();
        let _ = self
            .file
            .seek(SeekFrom::Start(0))
            .and_then(|_| (&self.file).take(1000).read_to_string(&mut text));
        text.trim().to_owned()
    }

    fn write(&mut self, note: &[u8]) -> Result<(), Fail> {
        let written = self.file.set_len(0).and_then(|()| self.file.seek(SeekFrom::Start(0)).map(drop));
        written.and_then(|()| self.file.write_all(note)).map_err(|e| Fail::io(&self.path, &e))
    }

    /// Waits for the stages that a killed run has left behind, continues those that are stopped, and ends them after a
    /// while. No if another run is alive.
    fn outlive(&mut self, plan: &str, console: &mut Console) -> Result<bool, Stop> {
        let (mut told, began, mut killed) = (Vec::new(), Instant::now(), false);
        loop {
            let noted = self.holder();
            let conductor = holder_here(&noted);
            let left = self.left_behind();
            let lives = |process: &Process| {
                Some(process.pid) == conductor
                    || process.name == "orchestrate" && self.is_locked_by(process.pid)
            };
            if !noted.is_empty() && conductor.is_none() || left.iter().any(lives) {
                return Ok(false);
            }
            let shown: Vec<String> = left.iter().map(Process::shown).collect();
            if !shown.is_empty() && shown != told {
                console.note(&format!("waiting for what a killed run has left behind: {}", shown.join("; ")));
                told.clone_from(&shown);
            }
            let overdue = began.elapsed() >= LEFT_BEHIND;
            for process in &left {
                signal(process.pid, if overdue { Signal::KILL } else { Signal::CONT });
            }
            if overdue && !killed && !shown.is_empty() {
                killed = true;
                console.note(&format!("it takes too long and is ended: {}", shown.join("; ")));
            }
            if self.is_free()? {
                return Ok(true);
            }
            // Someone holds it whom /proc does not show: another machine, or another user.
            if left.is_empty() && began.elapsed() > LOOK * 5 {
                return Ok(false);
            }
            if began.elapsed() >= LEFT_BEHIND + LAST_WORDS {
                let message = format!(
                    "{plan} is still held by what a killed run has left behind: {}",
                    shown.join("; ")
                );
                return Err(Stop::Reason(Reason::Busy, message));
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Whether this process took a lock on the file itself; yes where the system does not tell.
    fn is_locked_by(&self, pid: i32) -> bool {
        let (Ok(own), Ok(locks)) = (self.file.metadata(), std::fs::read_to_string("/proc/locks")) else {
            return true;
        };
        let inode = format!(":{}", own.ino());
        let takes = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.get(1) == Some(&"FLOCK")
                && words.get(4).and_then(|word| word.parse().ok()) == Some(pid)
                && words.get(5).is_some_and(|file| file.ends_with(&inode))
        };
        locks.lines().any(takes)
    }

    /// The other processes that have the lock open.
    fn left_behind(&self) -> Vec<Process> {
        let Ok(own) = self.file.metadata() else { return Vec::new() };
        let is_ours = |pid: &i32| *pid == std::process::id().cast_signed();
        let pids = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let holds = |pid: &i32| {
            let open = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
            open.filter_map(|fd| std::fs::metadata(fd.path()).ok())
                .any(|file| (file.dev(), file.ino()) == (own.dev(), own.ino()))
        };
        let found = pids.filter(|pid| !is_ours(pid)).filter(holds).filter_map(Process::of);
        found.filter(|process| process.state != 'Z').collect()
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // The next run reads no name of a process that is gone.
        if holder_here(&self.holder()) == Some(std::process::id().cast_signed()) {
            let _ = self.write(b"");
        }
    }
}

/// The process that a note of this machine names.
fn holder_here(note: &str) -> Option<i32> {
    let rest = note.strip_prefix("orchestrate")?;
    let rest = rest.strip_prefix(" --shared").unwrap_or(rest).strip_prefix(", process ")?;
    let (pid, rest) = rest.split_once(" on ")?;
    let (on, _) = rest.split_once(", since ")?;
    (on == host()).then(|| pid.parse().ok()).flatten()
}

/// The name of this machine.
pub(crate) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::{holder_here, host};

    #[test]
    fn a_note_names_a_process_of_this_machine() {
        let note = |on: &str| format!("orchestrate --shared, process 42 on {on}, since 2026-01-31T12:00:00Z");
        assert_eq!(holder_here(&note(&host())), Some(42));
        assert_eq!(holder_here(&note("elsewhere")), None);
        assert_eq!((holder_here("somebody, process 42"), holder_here("")), (None, None));
    }
}
