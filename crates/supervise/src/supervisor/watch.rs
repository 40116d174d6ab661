//! Watches one command until it ends or a budget runs out, then ends all of it.
//!
//! Phases: attend (the leader runs), then linger (it has exited, others may still be exiting) or wind down (TERM
//! sent, grace runs), then destroy the remaining processes, then drain the pipes. Every phase has a bound; that of
//! the first is the job's budgets.

use std::{
    os::{fd::OwnedFd, unix::net::UnixStream},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    net::RecvFlags,
};

use crate::output::capture::Capture;
use crate::supervisor::process_tree::Tree;
use crate::supervisor::start::Started;
use crate::{Ended, Limits, Stop, system};

/// Time to kill and reap all processes; with `DRAIN` it stays well below the second that is promised after the
/// grace.
const DESTROY: Duration = Duration::from_millis(600);
/// Time to empty the pipes of a dead tree.
const DRAIN: Duration = Duration::from_millis(100);
/// How often orphans are reaped while the leader runs.
const REAP: Duration = Duration::from_secs(1);
/// How often the tree is checked if no descriptor reports its end.
const TICK: Duration = Duration::from_millis(2);

/// The caller's request on the lifeline, in rising order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    Nothing,
    /// End it, with grace.
    Stop,
    /// End it without grace: asked twice, or the caller is dead.
    Now,
}

/// A running command, its budgets and its caller.
pub(crate) struct Watch<'a> {
    limits: &'a Limits,
    lifeline: &'a UnixStream,
    tree: Tree,
    capture: Capture,
    /// Readable when the leader has ended; `None` after that, and on systems without pidfds.
    leader: Option<OwnedFd>,
    began: Instant,
    /// When the last byte came.
    heard: Instant,
    reaped: Instant,
    leader_ended: Option<Instant>,
    asked: Asked,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(limits: &'a Limits, started: Started, lifeline: &'a UnixStream) -> Self {
        let leader = system::watch(started.leader);
        Self {
            limits,
            lifeline,
            tree: Tree::new(started.leader),
            capture: started.capture,
            leader,
            began: started.at,
            heard: started.at,
            reaped: started.at,
            leader_ended: None,
            asked: Asked::Nothing,
        }
    }

    /// Watches to the end of the last process.
    pub(crate) fn run(mut self) -> Ended {
        let cause = self.attend();
        let stopped = Instant::now();
        match cause {
            None => self.linger(),
            Some(_) => self.wind_down(),
        }
        let survivors = self.tree.destroy(DESTROY);
        self.note_leader();
        self.capture.drain(DRAIN);
        self.report(cause, stopped, survivors)
    }

    /// Waits for the end of the leader (`None`) or for a reason to end it.
    fn attend(&mut self) -> Option<Stop> {
        let deadline = self.deadline();
        loop {
            self.step([deadline, self.silence()].into_iter().flatten().min());
            let now = Instant::now();
            if self.tree.leader_left() {
                return None;
            } else if self.asked > Asked::Nothing {
                return Some(Stop::Interrupted);
            } else if deadline.is_some_and(|deadline| now >= deadline) {
                return Some(Stop::Timeout);
            } else if self.silence().is_some_and(|silence| now >= silence) {
                return Some(Stop::Stall);
            }
        }
    }

    /// When the timeout expires.
    fn deadline(&self) -> Option<Instant> {
        self.limits.timeout.and_then(|timeout| self.began.checked_add(timeout))
    }

    /// When the silence will have been too long; `None` on overflow.
    fn silence(&self) -> Option<Instant> {
        self.limits.stall.and_then(|stall| self.heard.checked_add(stall))
    }

    /// The leader has exited; short helpers that it did not wait for may end by themselves, within the deadline.
    fn linger(&mut self) {
        let end =
            [Instant::now().checked_add(self.limits.linger), self.deadline()].into_iter().flatten().min();
        while !self.tree.gone() && self.asked == Asked::Nothing && before(end) {
            self.step(end);
        }
    }

    /// Asks the tree to end and waits for the grace.
    fn wind_down(&mut self) {
        let end = Instant::now().checked_add(self.limits.grace);
        if self.asked < Asked::Now && !self.limits.grace.is_zero() {
            self.tree.terminate();
        }
        while !self.tree.gone() && self.asked < Asked::Now && before(end) {
            self.step(end);
        }
    }

    /// Waits for an event, at most until then, and handles it.
    fn step(&mut self, until: Option<Instant>) {
        let (lifeline, leader, pipes) = self.wait(until);
        if lifeline {
            self.listen();
        }
        for at in pipes {
            if self.capture.pump(at) {
                self.heard = Instant::now();
            }
        }
        if leader || self.leader.is_none() || self.reaped.elapsed() >= REAP {
            self.reaped = Instant::now();
            self.tree.reap();
            self.note_leader();
        }
    }

    /// Polls; returns whether the lifeline and the leader have events, and which pipes do.
    fn wait(&self, until: Option<Instant>) -> (bool, bool, Vec<usize>) {
        let mut descriptors = Vec::with_capacity(4);
        descriptors.push(PollFd::new(self.lifeline, PollFlags::IN));
        let first_pipe = 1 + usize::from(self.leader.is_some());
        descriptors.extend(self.leader.iter().map(|leader| PollFd::new(leader, PollFlags::IN)));
        let open: Vec<_> = self.capture.open().collect();
        descriptors.extend(open.iter().map(|(_, pipe)| PollFd::new(pipe, PollFlags::IN)));

        let tick = if self.leader.is_some() { REAP } else { TICK };
        let nap = until.map_or(tick, |until| until.saturating_duration_since(Instant::now()).min(tick));
        if poll(&mut descriptors, Timespec::try_from(nap).ok().as_ref()).is_err() {
            return (false, false, Vec::new());
        }
        let ready = |at: usize| !descriptors[at].revents().is_empty();
        let pipes = (0..open.len()).filter(|at| ready(first_pipe + at)).map(|at| open[at].0).collect();
        (ready(0), self.leader.is_some() && ready(1), pipes)
    }

    /// Reads the caller's request; end of file means that the caller is dead.
    fn listen(&mut self) {
        let mut said = [0; 8];
        self.asked = match rustix::net::recv(self.lifeline, &mut said, RecvFlags::DONTWAIT) {
            Err(Errno::AGAIN | Errno::INTR) => self.asked,
            Ok((1, _)) if self.asked == Asked::Nothing => Asked::Stop,
            _ => Asked::Now,
        };
    }

    fn note_leader(&mut self) {
        if self.tree.leader_left() && self.leader_ended.is_none() {
            self.leader_ended = Some(Instant::now());
            self.leader = None;
        }
    }

    fn report(self, cause: Option<Stop>, stopped: Instant, survivors: u32) -> Ended {
        let since = |then: Instant| u64::try_from((then - self.began).as_millis()).unwrap_or(u64::MAX);
        let status = self.tree.status();
        let signal = status.and_then(rustix::process::WaitStatus::terminating_signal);
        let natural = if signal.is_some() { Stop::Signalled } else { Stop::Exited };
        let leaked = if cause.is_none() { self.tree.slain() } else { 0 };
        let mut ended = Ended {
            stop: cause.unwrap_or(natural),
            exit_code: status.and_then(rustix::process::WaitStatus::exit_status),
            signal,
            error: None,
            elapsed_ms: since(self.leader_ended.unwrap_or_else(Instant::now)),
            stopped_ms: cause.map(|_| since(stopped)),
            leaked,
            killed: cause.is_some() || leaked > 0,
            survivors,
            ..Ended::without_child(natural, String::new())
        };
        self.capture.report(&mut ended);
        ended
    }
}

fn before(end: Option<Instant>) -> bool {
    end.is_none_or(|end| Instant::now() < end)
}
