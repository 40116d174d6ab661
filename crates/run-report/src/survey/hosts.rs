//! The machines that took part. Reported only if there were several, or if runs shared the plan.

use std::collections::BTreeMap;
use wire::history::{Attempt, Came};
use wire::order::Owner;
use wire::report::{Host, Line, Stand};

/// The machines so far, and the work of each.
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    shared: bool,
    all: BTreeMap<String, Host>,
}

impl Hosts {
    /// Counts the start of an attempt.
    pub(crate) fn begin(&mut self, owner: &Owner) {
        self.at(owner, |host| host.attempts += 1);
    }

    /// Counts a takeover.
    pub(crate) fn take_over(&mut self, owner: &Owner) {
        self.at(owner, |host| host.takeovers += 1);
    }

    /// One entry for each machine, with the tasks that its work completed; empty if there is nothing to report.
    pub(crate) fn told(&self, tasks: &[Line]) -> Vec<Host> {
        if !self.shared && self.all.len() < 2 {
            return Vec::new();
        }
        let mut all = self.all.clone();
        let done = tasks.iter().filter(|line| line.stand == Stand::Done).filter_map(decisive);
        for attempt in done {
            if let Some(host) = all.get_mut(&attempt.host) {
                host.done += 1;
            }
        }
        all.into_values().collect()
    }

    fn at(&mut self, owner: &Owner, act: impl FnOnce(&mut Host)) {
        self.shared |= owner.lease_seconds.is_some();
        // Records of earlier versions do not name the machine.
        if owner.host.is_empty() {
            return;
        }
        let new = || Host { name: owner.host.clone(), ..Host::default() };
        act(self.all.entry(owner.host.clone()).or_insert_with(new));
    }
}

/// The attempt that decided the task's state: the one that ticked its box, else the last.
pub(crate) fn decisive(line: &Line) -> Option<&Attempt> {
    let ticked = line.history.iter().rev().find(|attempt| attempt.result == Came::Ticked);
    ticked.or(line.history.last())
}
