//! Fallback for systems without a subreaper, pidfds and `/proc`: only the process group is known, and a process
//! that leaves the group is not found. Same names as `linux.rs`.

use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::{
    io::Errno,
    process::{Pid, Signal, kill_process, test_kill_process, test_kill_process_group},
};

/// One process, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    pub(crate) zombie: bool,
    pub(crate) start: u64,
}

/// There is no subreaper.
pub(crate) fn adopt_orphans() {}

/// There is no subreaper for the caller either.
pub(crate) fn adopt_from_supervisors() {}

/// There is no pidfd; the supervisor polls the leader with `waitpid`.
pub(crate) fn watch(_pid: Pid) -> Option<OwnedFd> {
    None
}

/// Whether the tree is gone when we have no children: orphans in the group are not ours.
pub(crate) fn gone(leader: Pid) -> bool {
    test_kill_process_group(leader).is_err()
}

/// The size of a pipe cannot be changed.
pub(crate) fn widen(_pipe: BorrowedFd<'_>) {}

/// Everything is read.
pub(crate) fn discard(_pipe: BorrowedFd<'_>, _keep: usize) -> usize {
    0
}

/// There is no list of processes.
pub(crate) fn blind() -> bool {
    true
}

/// There is no list of processes.
pub(crate) fn processes() -> Vec<Process> {
    Vec::new()
}

/// A process that exists, without a start time.
pub(crate) fn process(pid: Pid) -> Option<Process> {
    test_kill_process(pid).ok()?;
    Some(Process { pid, parent: 0, group: 0, session: 0, zombie: false, start: 0 })
}

/// Signals the process that has this pid now.
pub(crate) fn signal(target: &Process, signal: Signal) -> Result<(), Errno> {
    kill_process(target.pid, signal)
}

/// Environments of other processes cannot be read.
pub(crate) fn has_env(_pid: Pid, _entry: &[u8]) -> bool {
    false
}
