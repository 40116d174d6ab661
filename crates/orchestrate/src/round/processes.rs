//! Processes below this one, as `/proc` shows them. Where there is no `/proc`, there are none.

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::fs::FileTypeExt;

/// A process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) name: String,
    /// `T` is stopped by a signal, `Z` has ended.
    pub(crate) state: char,
    session: i32,
    /// The processor time it has used, in ticks.
    pub(crate) ticks: u64,
}

impl Process {
    /// The process with this id.
    pub(crate) fn of(pid: i32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name may contain any character, and ends at the last parenthesis.
        let (head, tail) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = tail.split_whitespace().collect();
        let number = |at: usize| fields.get(at).and_then(|field| field.parse().ok());
        Some(Self {
            pid,
            name: head.split_once('(')?.1.to_owned(),
            state: fields.first()?.chars().next()?,
            session: fields.get(3)?.parse().ok()?,
            ticks: number(11).unwrap_or(0) + number(12).unwrap_or(0),
        })
    }

    /// The name and the id, for people.
    pub(crate) fn shown(&self) -> String {
        format!("{}, process {}", self.name, self.pid)
    }
}

/// The children of a process.
pub(crate) fn children(pid: i32) -> Vec<i32> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// How often a process has been given the processor: every sign of life adds to it.
pub(crate) fn switches(pid: i32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let counts = text.lines().filter(|line| line.contains("ctxt_switches:"));
    counts.filter_map(|line| line.rsplit(char::is_whitespace).next()?.parse::<u64>().ok()).sum()
}

/// How many bytes wait on the standard input of a process, if that is a pipe.
pub(crate) fn unread(pid: i32) -> u64 {
    let path = format!("/proc/{pid}/fd/0");
    if !fs::metadata(&path).is_ok_and(|about| about.file_type().is_fifo()) {
        return 0;
    }
    // For a moment there is one reader more, which reads nothing.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let pipe = rustix::fs::open(&path, flags, Mode::empty());
    pipe.and_then(rustix::io::ioctl_fionread).unwrap_or(0)
}

/// Whether a process waits for input, as far as the system tells.
pub(crate) fn waits_for_input(pid: i32) -> bool {
    let place = fs::read_to_string(format!("/proc/{pid}/wchan")).unwrap_or_default();
    place.contains("pipe") || place.contains("poll") || matches!(place.as_str(), "" | "0")
}

/// Everything below a process that is in the session of this one. Workers and checks have sessions of their own, and
/// supervisors that look after them.
pub(crate) fn family(of: i32) -> Vec<Process> {
    let Some(own) = Process::of(std::process::id().cast_signed()) else { return Vec::new() };
    let mut found: Vec<Process> = Vec::new();
    let mut left = children(of);
    while let Some(pid) = left.pop() {
        let Some(process) = Process::of(pid).filter(|process| process.session == own.session) else {
            continue;
        };
        if found.iter().all(|known| known.pid != pid) {
            left.extend(children(pid));
            found.push(process);
        }
    }
    found
}

/// Sends a signal; a process that is gone needs none.
pub(crate) fn signal(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = kill_process(pid, signal);
    }
}
