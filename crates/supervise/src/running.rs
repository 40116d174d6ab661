//! The caller's side: starts supervisors, waits for several at once, reads their answers.
//!
//! A supervisor is trusted to answer, but not blindly: a stopped one is continued, a late one is killed and cleaned
//! up after, and dropping a handle ends its job.

use std::{
    cell::Cell,
    io::{self, PipeReader},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::net::UnixStream,
    },
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    net::SendFlags,
    process::{Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process, waitid, waitpid},
};

use crate::supervisor::{self, fork};
use crate::{Ended, Job, lost, system};

/// How long a supervisor may be silent after timeout and grace. It needs at most 0.7 s of it.
const PATIENCE: Duration = Duration::from_millis(900);
/// How often a silent supervisor is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// A running job. Dropping it ends the job and everything it started.
#[derive(Debug)]
pub struct Running {
    supervisor: Pid,
    id: String,
    lifeline: UnixStream,
    result: PipeReader,
    answer: Vec<u8>,
    began: Instant,
    grace: Duration,
    /// When to give the supervisor up.
    limit: Cell<Option<Instant>>,
    ended: Option<Ended>,
}

/// Runs one job to its end.
///
/// The caller must be single-threaded; see the crate documentation.
pub fn run(job: &Job) -> io::Result<Ended> {
    spawn(job)?.finish()
}

/// Starts a job under a supervisor of its own. If the command cannot be started, its [`Ended`] says so.
///
/// The caller must be single-threaded; see the crate documentation.
pub fn spawn(job: &Job) -> io::Result<Running> {
    let id = unique();
    let (lifeline, theirs) = UnixStream::pair()?;
    let (result, write) = io::pipe()?;
    rustix::io::ioctl_fionbio(&result, true)?;
    let began = Instant::now();
    let limit = job.limits.timeout.and_then(|timeout| patience(began, timeout, job.limits.grace));
    system::adopt_from_supervisors();
    let supervisor =
        fork::supervisor([theirs.as_fd(), write.as_fd()], || supervisor::serve(job, &id, &theirs, &write))?;
    lost::at_work(supervisor);
    Ok(Running {
        supervisor,
        id,
        lifeline,
        result,
        answer: Vec::new(),
        began,
        grace: job.limits.grace,
        limit: Cell::new(limit),
        ended: None,
    })
}

/// Waits until one of these has ended, and returns its index: its [`Running::try_finish`] has the answer.
///
/// `None` means: check your flags and call again. It is returned when the time is up, after a signal, and twice a
/// second in any case, so that a signal just before the wait is not missed.
pub fn wait_any(running: &[&Running], timeout: Option<Duration>) -> io::Result<Option<usize>> {
    let now = Instant::now();
    let limits = running
        .iter()
        .filter_map(|running| running.limit.get())
        .map(|limit| limit.saturating_duration_since(now));
    let nap = limits.chain(timeout).fold(LOOK, Duration::min);
    let mut descriptors: Vec<_> =
        running.iter().map(|running| PollFd::new(&running.result, PollFlags::IN)).collect();
    match poll(&mut descriptors, Timespec::try_from(nap).ok().as_ref()) {
        Err(Errno::INTR) => return Ok(None),
        Err(error) => return Err(error.into()),
        Ok(_) => {}
    }
    if let Some(at) = descriptors.iter().position(|descriptor| !descriptor.revents().is_empty()) {
        return Ok(Some(at));
    }
    for running in running {
        running.nudge();
    }
    Ok(running.iter().position(|running| running.late()))
}

impl Running {
    /// The pid of the supervisor. It is the caller's child, but the caller must not wait for it.
    pub fn supervisor_pid(&self) -> u32 {
        self.supervisor.as_raw_pid().cast_unsigned()
    }

    /// The value of [`crate::ID_VARIABLE`] in the environment of the command.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// A descriptor that is readable when the job has ended, for a caller with a `poll` of its own. Such a caller
    /// should also call [`Running::try_finish`] once a second, which detects a supervisor that hangs.
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.result.as_fd()
    }

    /// The outcome, if the job has ended.
    pub fn try_finish(&mut self) -> io::Result<Option<Ended>> {
        if self.ended.is_none() {
            if self.read()? {
                self.settle("the supervisor was killed");
            } else if self.late() {
                self.give_up("the supervisor did not answer in time");
            } else {
                self.nudge();
            }
        }
        Ok(self.ended.clone())
    }

    /// Waits for the outcome.
    pub fn finish(self) -> io::Result<Ended> {
        self.finish_looking(|_| ())
    }

    /// Waits for the outcome. Calls `look` before each wait, that is at the start, after a signal and twice a
    /// second: the place for a heartbeat, and for [`Running::interrupt`] if a flag is set.
    pub fn finish_looking(mut self, mut look: impl FnMut(&Self)) -> io::Result<Ended> {
        loop {
            if let Some(ended) = self.try_finish()? {
                return Ok(ended);
            }
            look(&self);
            wait_any(&[&self], None)?;
        }
    }

    /// Asks the supervisor to end the tree now: TERM, grace, KILL. A second call skips the rest of the grace.
    pub fn interrupt(&self) {
        // A supervisor that is gone has ended already; `try_finish` finds its answer or its loss.
        let _ = rustix::net::send(&self.lifeline, b"i", SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
        let limit = patience(Instant::now(), Duration::ZERO, self.grace);
        self.limit.set([limit, self.limit.get()].into_iter().flatten().min());
    }

    /// Reads what has arrived of the answer; true at its end.
    fn read(&mut self) -> io::Result<bool> {
        let mut block = [0; 16 << 10];
        loop {
            match rustix::io::read(&self.result, &mut block) {
                Ok(0) => return Ok(true),
                Ok(size) => self.answer.extend_from_slice(&block[..size]),
                Err(Errno::AGAIN) => return Ok(false),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Takes the answer, or cleans up if there is none. Reaps the supervisor last: until then its pid, which is
    /// also the session number of its command, is not reused.
    fn settle(&mut self, why: &str) {
        let ended = serde_json::from_slice(&self.answer);
        let ended = ended
            .unwrap_or_else(|_| lost::clean_up(self.supervisor, &self.id, &self.lifeline, self.began, why));
        self.reap();
        self.ended = Some(ended);
    }

    fn give_up(&mut self, why: &str) {
        let _ = kill_process(self.supervisor, Signal::KILL);
        self.settle(why);
    }

    fn late(&self) -> bool {
        self.limit.get().is_some_and(|limit| Instant::now() >= limit)
    }

    /// Continues a supervisor that its command has stopped.
    fn nudge(&self) {
        let stopped = waitid(WaitId::Pid(self.supervisor), WaitIdOptions::STOPPED | WaitIdOptions::NOHANG);
        if matches!(stopped, Ok(Some(_))) {
            let _ = kill_process(self.supervisor, Signal::CONT);
        }
    }

    fn reap(&self) {
        // If there is no child, the caller ignores SIGCHLD and the kernel has reaped it.
        while matches!(waitpid(Some(self.supervisor), WaitOptions::empty()), Err(Errno::INTR)) {}
        lost::over(self.supervisor);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.ended.is_some() {
            return;
        }
        // To a supervisor, the end of the lifeline is the same as our death.
        let _ = self.lifeline.shutdown(std::net::Shutdown::Both);
        self.limit.set(Some(Instant::now() + PATIENCE));
        while let Ok(None) = self.try_finish() {
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// The supervisor's deadline; `None` on overflow.
fn patience(from: Instant, timeout: Duration, grace: Duration) -> Option<Instant> {
    from.checked_add(timeout)?.checked_add(grace)?.checked_add(PATIENCE)
}

/// A value that no other job on this machine has: pid, time, and a count within this process.
fn unique() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("{}-{nanos:x}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
