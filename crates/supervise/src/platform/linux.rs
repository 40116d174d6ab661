//! Linux only: the subreaper, pidfds, `/proc`, `splice`. `posix.rs` has the same names for other systems.

use std::{
    fs,
    os::fd::{BorrowedFd, OwnedFd},
    path::Path,
};

use rustix::{
    io::{Errno, ioctl_fionread},
    pipe::{SpliceFlags, fcntl_setpipe_size, splice},
    process::{
        Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, pidfd_send_signal, set_child_subreaper,
    },
};

/// One process as `/proc/PID/stat` shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    pub(crate) zombie: bool,
    /// Clock ticks since boot; with the pid it identifies a process for ever.
    pub(crate) start: u64,
}

/// Makes this process the parent of its orphaned descendants, and gives it a name of its own, so that a kill by the
/// caller's name does not end both.
pub(crate) fn adopt_orphans() {
    // Kernels from 3.4 on support it; without it only the group is killed, as on other systems.
    let _ = set_child_subreaper(Some(getpid()));
    let _ = rustix::thread::set_name(c"supervise");
}

/// Makes this process the parent of the processes that a killed supervisor leaves.
pub(crate) fn adopt_from_supervisors() {
    let _ = set_child_subreaper(Some(getpid()));
}

/// A descriptor that is readable when the process has ended.
pub(crate) fn watch(pid: Pid) -> Option<OwnedFd> {
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// Whether the tree is gone when we have no children: every orphan would be our child.
pub(crate) fn gone(_leader: Pid) -> bool {
    true
}

/// Makes a pipe much larger than the tail, so that there is something to drop and the command seldom waits for us.
pub(crate) fn widen(pipe: BorrowedFd<'_>) {
    // Beyond the user's memory limit for pipes the size stays as it is.
    let _ = fcntl_setpipe_size(pipe, 1 << 20);
}

/// Drops all but the last `keep` bytes in a pipe, without a copy, into the supervisor's stdout, which is
/// `/dev/null`; returns how many.
pub(crate) fn discard(pipe: BorrowedFd<'_>, keep: usize) -> usize {
    let held = ioctl_fionread(pipe).ok().and_then(|held| usize::try_from(held).ok());
    let surplus = held.unwrap_or(0).saturating_sub(keep);
    // A few bytes are not worth a system call.
    if surplus < 4096 {
        return 0;
    }
    splice(pipe, None, rustix::stdio::stdout(), None, surplus, SpliceFlags::NONBLOCK).unwrap_or(0)
}

/// Whether `/proc` is missing, so that an empty list of processes means nothing.
pub(crate) fn blind() -> bool {
    !Path::new("/proc/self/stat").exists()
}

/// Every process that we can see.
pub(crate) fn processes() -> Vec<Process> {
    let Ok(folder) = fs::read_dir("/proc") else { return Vec::new() };
    folder
        .filter_map(|entry| Pid::from_raw(entry.ok()?.file_name().to_str()?.parse().ok()?))
        .filter_map(process)
        .collect()
}

/// One process, if it exists.
pub(crate) fn process(pid: Pid) -> Option<Process> {
    let stat = fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    parse_stat(pid, &stat)
}

/// Signals exactly this process; skips another one that has reused its pid.
pub(crate) fn signal(target: &Process, signal: Signal) -> Result<(), Errno> {
    let handle = pidfd_open(target.pid, PidfdFlags::empty());
    match (process(target.pid), handle) {
        (Some(now), _) if now.start != target.start => Err(Errno::SRCH),
        (Some(_), Ok(handle)) => pidfd_send_signal(handle, signal),
        // Before 5.3 there is no pidfd; the pid was right a moment ago.
        (Some(_), Err(Errno::NOSYS)) => kill_process(target.pid, signal),
        (None, _) => Err(Errno::SRCH),
        (_, Err(errno)) => Err(errno),
    }
}

/// Whether the process was started with `NAME=VALUE` in its environment. Not known for other users' processes.
pub(crate) fn has_env(pid: Pid, entry: &[u8]) -> bool {
    fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero()))
        .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|found| found == entry))
}

/// The name in the second field may contain blanks and parentheses, so fields are counted from the last
/// parenthesis.
fn parse_stat(pid: Pid, line: &[u8]) -> Option<Process> {
    let end = line.iter().rposition(|byte| *byte == b')')?;
    let mut fields = str::from_utf8(&line[end + 1..]).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    let session = fields.next()?.parse().ok()?;
    let start = fields.nth(15)?.parse().ok()?;
    Some(Process { pid, parent, group, session, zombie: matches!(state, "Z" | "X"), start })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_does_not_shift_the_fields() {
        let stat = b"7 (a) Z) (b) S 3 5 6 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 99 1 1\n";
        let found = Pid::from_raw(7).and_then(|pid| parse_stat(pid, stat));
        let wanted = Pid::from_raw(7).map(|pid| Process {
            pid,
            parent: 3,
            group: 5,
            session: 6,
            zombie: false,
            start: 99,
        });
        assert_eq!(found, wanted);
        assert!(found.is_some());
    }
}
