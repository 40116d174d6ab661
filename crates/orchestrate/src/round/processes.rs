//! Processes below this one, as `/proc` shows them. Where there is no `/proc`, there are none.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;

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
