//! The one place with `unsafe`: a fork without `exec`, and what a forked process must do first and last.
//!
//! - Signals are blocked around the fork, so no handler of the caller ever runs in the supervisor. There they meet a
//!   handler that does nothing: unlike an ignored or blocked signal, that is not inherited by the command.
//! - The supervisor keeps no descriptor of the caller but 0, 1, 2 and those named: it must not hold the caller's
//!   locks, pipes, or the lifelines of other jobs.
//! - The supervisor leaves by `_exit`: no destructor, no flush of buffers that belong to the caller. A panic ends it too.

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

/// Forks. The new process keeps the descriptors `keep`, runs `body` and exits with its answer.
///
/// The caller must be single-threaded.
pub(crate) fn supervisor(keep: [BorrowedFd<'_>; 2], body: impl FnOnce() -> i32) -> io::Result<Pid> {
    let mask = block_signals()?;
    // SAFETY: fork has no preconditions. In a single-threaded caller, which the crate asks for, the new process has a
    // consistent heap and no lock is held in it.
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
    // SAFETY: the mask is one that the kernel gave us, and the old one is not asked for.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, mask, ptr::null_mut()) };
}

/// Signals that would end or stop the supervisor, and that may reach it when somebody means its caller or its command.
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

/// What the caller ignores stays ignored, here and in the command, as everywhere on Unix (`nohup`); but SIGCHLD gets
/// its default back: with it ignored the kernel would reap our children and lose their status.
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

/// Closes every descriptor from 3 up but the two.
fn close_all_but(keep: [RawFd; 2]) {
    let [low, high] = if keep[0] < keep[1] { keep } else { [keep[1], keep[0]] };
    close_range(3, low - 1);
    close_range(low + 1, high - 1);
    close_range(high + 1, RawFd::MAX);
}

/// Objects of the caller that own these descriptors exist here as memory only: none is used or dropped before `_exit`.
fn close_range(first: RawFd, last: RawFd) {
    if first > last {
        return;
    }
    #[cfg(target_os = "linux")]
    // SAFETY: a system call on numbers; that nothing here uses the descriptors is said above.
    if unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) } == 0 {
        return;
    }
    // Older kernels and other systems: descriptors beyond this are not known in single-threaded tools.
    for fd in first..=last.min(1023) {
        // SAFETY: as above; closing a number that is not open is harmless.
        unsafe { libc::close(fd) };
    }
}
