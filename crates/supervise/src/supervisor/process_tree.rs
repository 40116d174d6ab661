//! All processes of a job: the leader, its group, and every descendant.
//!
//! The supervisor is their subreaper, so a tree is gone exactly when the supervisor has no child left to wait for.
//! That makes the usual end cheap: one `waitpid` that reports "no child", and `/proc` is never read.

use std::{
    collections::BTreeSet,
    thread,
    time::{Duration, Instant},
};

use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process_group, wait},
};

use crate::system::{self, Process};

/// The processes below this supervisor.
pub(crate) struct Tree {
    leader: Pid,
    status: Option<WaitStatus>,
    gone: bool,
    /// The processes that were sent KILL: pid and start time.
    slain: BTreeSet<(i32, u64)>,
}

impl Tree {
    pub(crate) fn new(leader: Pid) -> Self {
        Self { leader, status: None, gone: false, slain: BTreeSet::new() }
    }

    /// The status of the leader, once it was reaped.
    pub(crate) fn status(&self) -> Option<WaitStatus> {
        self.status
    }

    pub(crate) fn leader_left(&self) -> bool {
        self.status.is_some() || self.gone
    }

    /// Whether no process is left.
    pub(crate) fn gone(&self) -> bool {
        self.gone
    }

    /// How many different processes were sent KILL.
    pub(crate) fn slain(&self) -> u32 {
        u32::try_from(self.slain.len()).unwrap_or(u32::MAX)
    }

    /// Reaps every process that has ended, adopted orphans too, so that zombies do not pile up in a long run.
    pub(crate) fn reap(&mut self) {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.leader => self.status = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return,
                Err(_) => {
                    self.gone = system::gone(self.leader);
                    return;
                }
            }
        }
    }

    /// Asks every process to end. A stopped process does not react before it is continued.
    pub(crate) fn terminate(&mut self) {
        let below = below();
        for signal in [Signal::TERM, Signal::CONT] {
            self.send(&below, signal);
        }
    }

    /// Kills and reaps until no process is left or the time is up; returns how many are left.
    ///
    /// Each round kills the group in one system call, which a forking process cannot escape, and every other
    /// process in the list; their children become ours and are killed in the next round.
    pub(crate) fn destroy(&mut self, within: Duration) -> u32 {
        let end = Instant::now() + within;
        let mut nap = Duration::from_micros(200);
        self.reap();
        while !self.gone {
            let below = below();
            self.slain.extend(below.iter().map(|process| (process.pid.as_raw_pid(), process.start)));
            if system::blind() {
                // Processes cannot be counted; the group stands for its members.
                self.slain.insert((self.leader.as_raw_pid(), 0));
            }
            self.send(&below, Signal::KILL);
            self.reap();
            if self.gone || Instant::now() > end {
                break;
            }
            thread::sleep(nap);
            nap = (nap * 2).min(Duration::from_millis(10));
            self.reap();
        }
        if self.gone { 0 } else { u32::try_from(below().len()).unwrap_or(u32::MAX).max(1) }
    }

    fn send(&self, below: &[Process], signal: Signal) {
        let group = self.leader.as_raw_pid();
        // The number of the group can be reused once the leader is reaped and no member is left.
        let ours = self.status.is_none() || below.iter().any(|process| process.group == group);
        if ours || system::blind() {
            let _ = kill_process_group(self.leader, signal);
        }
        for process in below.iter().filter(|process| process.group != group) {
            // Gone already, or not ours to signal: the rounds and the count of survivors show it.
            let _ = system::signal(process, signal);
        }
    }
}

/// Every living descendant of this process.
fn below() -> Vec<Process> {
    descendants(&system::processes(), &[getpid()])
}

/// The living processes below `roots`, without the roots themselves.
pub(crate) fn descendants(all: &[Process], roots: &[Pid]) -> Vec<Process> {
    let mut family: BTreeSet<i32> = roots.iter().map(|pid| pid.as_raw_pid()).collect();
    let mut found = Vec::new();
    loop {
        let before = family.len();
        for process in all {
            if family.contains(&process.parent) && family.insert(process.pid.as_raw_pid()) {
                found.push(*process);
            }
        }
        if family.len() == before {
            // A zombie can have living children only on the way to us, so it is followed but not counted.
            found.retain(|process| !process.zombie);
            return found;
        }
    }
}
