//! The only `unsafe` code: a fork without `exec`, and the first and last steps of a forked process.
//!
//! - Signals are blocked around the fork, so no handler of the caller ever runs in the supervisor. There they reach
//!   a handler that does nothing: unlike an ignored or blocked signal, the command does not inherit that.
//! - The supervisor keeps no descriptor of the caller but 0, 1, 2 and those named: it must not hold the caller's
//!   locks, pipes, or the lifelines of other jobs.
//! - The supervisor leaves by `_exit`: no destructor, no flush of buffers that belong to the caller. A panic ends
//!   it too.

#![expect(unsafe_code, reason = "rustix and std have no fork; each block below says why it is sound")]

use std::{
    io, mem,
    os::fd::{AsRawFd, BorrowedFd, RawFd},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
};

use rustix::process::Pid;

/// The exit code of a supervisor that panicked.
const PANICKED: i32 = 101;

/// Forks. The new process keeps the descriptors `keep`, runs `body` and exits with its result.
///
/// The caller must be single-threaded.
pub(crate) fn supervisor(keep: [BorrowedFd<'_>; 2], body: impl FnOnce() -> i32) -> io::Result<Pid> {
    let mask = block_signals()?;
    // SAFETY: fork has no preconditions. In a single-threaded caller, which the crate requires, the new process has
    // a consistent heap and holds no lock.
    let forked = unsafe { libc::fork() };
    if forked == 0 {
        disarm_signals();
        restore_signals(&mask);
        close_all_but(keep.map(|fd| fd.as_raw_fd()));
        let code = catch_unwind(AssertUnwindSafe(body)).unwrap_or(PANICKED);
        // SAFETY: _exit ends the process and touches no memory of ours.
        unsafe { libc::_exit(code) }
    }
    let error = io::Error::last_os_error();
    restore_signals(&mask);
    Pid::from_raw(forked).filter(|_| forked > 0).ok_or(error)
}

fn block_signals() -> io::Result<libc::sigset_t> {
    // SAFETY: an all-zero sigset_t is a valid value, sigfillset initialises it, and both pointers are to live locals.
    let (answer, old) = unsafe {
        let mut all: libc::sigset_t = mem::zeroed();
        let mut old: libc::sigset_t = mem::zeroed();
        libc::sigfillset(&raw mut all);
        (libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut old), old)
    };
    if answer == 0 { Ok(old) } else { Err(io::Error::from_raw_os_error(answer)) }
}

fn restore_signals(mask: &libc::sigset_t) {
    // SAFETY: the kernel gave us the mask, and the old one is not requested.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, ptr::null_mut()) };
}

/// Signals that would end or stop the supervisor, and that may reach it although meant for its caller or its
/// command.
const DISARMED: [libc::c_int; 15] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGTERM,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
    libc::SIGXCPU,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGIO,
];

extern "C" fn nothing(_signal: libc::c_int) {}

/// Signals that the caller ignores stay ignored, here and in the command, as everywhere on Unix (`nohup`); but
/// SIGCHLD gets its default back: if it were ignored, the kernel would reap our children and lose their status.
fn disarm_signals() {
    let handler: extern "C" fn(libc::c_int) = nothing;
    // SAFETY: both dispositions are valid, `nothing` touches no state at all, and this process is single-threaded.
    unsafe {
        for signal in DISARMED {
            if libc::signal(signal, handler as libc::sighandler_t) == libc::SIG_IGN {
                libc::signal(signal, libc::SIG_IGN);
            }
        }
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
    }
}

/// Closes every descriptor from 3 up except these two.
fn close_all_but(keep: [RawFd; 2]) {
    let [low, high] = if keep[0] < keep[1] { keep } else { [keep[1], keep[0]] };
    close_range(3, low - 1);
    close_range(low + 1, high - 1);
    close_range(high + 1, RawFd::MAX);
}

/// Objects of the caller that own these descriptors exist here only as memory: none is used or dropped before
/// `_exit`.
fn close_range(first: RawFd, last: RawFd) {
    if first > last {
        return;
    }
    #[cfg(target_os = "linux")]
    // SAFETY: a system call on numbers; as stated above, nothing here uses the descriptors.
    if unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } == 0 {
        return;
    }
    // Older kernels and other systems: single-threaded tools have no descriptors beyond this.
    for fd in first..=last.min(1023) {
        // SAFETY: as above; closing a number that is not open is harmless.
        unsafe { libc::close(fd) };
    }
}
