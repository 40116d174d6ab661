//! Stages that do not go on: stopped by a signal, killed, or without any sign of life.
//!
//! A person who stops the run (Ctrl-Z) stops this process too, so the watch counts its own looks, one a second, and not
//! the time.

use super::processes::{Process, children, family, signal, switches, unread, waits_for_input};
use rustix::process::Signal;
use std::collections::HashMap;
use toolkit::Fail;
use toolkit::cli::env;

/// How often a stage that is stopped is continued in one round.
const CONTINUES: u32 = 3;

/// How long stages may be stopped or silent, in looks of a second.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    stopped: u32,
    silent: u32,
}

impl Bounds {
    /// The bounds of the environment, or the defaults.
    pub(crate) fn load() -> Result<Self, Fail> {
        Ok(Self {
            stopped: seconds("PLANTOOLS_STOPPED_SECONDS", 10)?,
            silent: seconds("PLANTOOLS_HUNG_SECONDS", 300)?,
        })
    }
}

fn seconds(name: &str, default: u32) -> Result<u32, Fail> {
    let Some(text) = env::get(name) else { return Ok(default) };
    let number = text.parse().ok().filter(|seconds| *seconds > 0);
    number.ok_or_else(|| Fail::usage(format!("{name} is a number from 1 on, not '{text}'")))
}

/// What a look found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A process was stopped for too long, and is continued.
    Continued(Process),
    /// It was stopped again and again.
    StoppedAgain(Process),
    /// A stage does nothing any more.
    Hung(Process),
    /// Nothing happens in a pipe that follows a plan; this stage is the one that would have to go on.
    Quiet(Process),
}

/// What is looked at: the stages that still run, in their order.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Watched<'a> {
    /// A round, or a pipe that answers a question. A stage that reads only what is there already waits for no other stage.
    Round(&'a [i32]),
    /// A pipe that follows a plan, and what it has brought about so far.
    Follow(&'a [i32], u64),
    /// A pipe that lasts for several rounds, and what it has brought about so far.
    Rounds(&'a [i32], u64),
    /// Command lines of a profile.
    Script,
}

/// Looks after the processes of one round.
#[derive(Debug)]
pub(crate) struct Watch {
    bounds: Bounds,
    stopped: HashMap<i32, u32>,
    continued: u32,
    silent: u32,
    ticks: u64,
    /// For each stage of a pipe that follows: its switches, and for how many looks they have not changed.
    lives: HashMap<i32, (u64, u32)>,
    news: u64,
}

/// The stages at the head of a pipe that follows a plan look at it about once a second.
const HEADS: usize = 2;

impl Watch {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            stopped: HashMap::new(),
            continued: 0,
            silent: 0,
            ticks: 0,
            lives: HashMap::new(),
            news: 0,
        }
    }

    /// One look, a second after the last.
    pub(crate) fn look(&mut self, watched: Watched<'_>) -> Vec<Found> {
        let relatives = family(std::process::id().cast_signed());
        let mut found = self.stopped_ones(&relatives);
        found.extend(match watched {
            Watched::Round(stages) => self.silent_one(stages),
            Watched::Follow(stages, news) => self.quiet_one(stages, news),
            Watched::Rounds(stages, news) => self.idle_one(stages, news),
            Watched::Script => None,
        });
        found
    }

    /// In a pipe that follows a plan: a head that has not looked for long, or the stage that holds up an order if for
    /// long nothing was recorded or printed and no stage has a child that it could wait for.
    fn quiet_one(&mut self, stages: &[i32], news: u64) -> Option<Found> {
        let mut waits = false;
        for pid in stages {
            let now = switches(*pid);
            let is_stopped = Process::of(*pid).is_some_and(|process| process.state == 'T');
            let (seen, looks) = self.lives.entry(*pid).or_insert((now, 0));
            *looks = if *seen == now && !is_stopped { *looks + 1 } else { 0 };
            *seen = now;
            waits |= is_stopped || !children(*pid).is_empty();
        }
        let since = |pid: &i32| self.lives.get(pid).map_or(0, |(_, looks)| *looks);
        let head = stages.iter().take(HEADS).find(|pid| since(pid) > self.bounds.silent);
        if let Some(head) = head.and_then(|pid| Process::of(*pid)) {
            return Some(Found::Hung(head));
        }
        if !self.is_silent(waits, news) {
            return None;
        }
        self.holds_up(stages.get(HEADS..).unwrap_or_default()).map(Found::Quiet)
    }

    /// In a pipe of several rounds, which is looked at only during one: the stage that holds it up if for long nothing was
    /// recorded or printed, no stage used processor time, and none has a child that it could wait for.
    fn idle_one(&mut self, stages: &[i32], news: u64) -> Option<Found> {
        let processes: Vec<Process> = stages.iter().filter_map(|pid| Process::of(*pid)).collect();
        let waits = processes.iter().any(|one| one.state == 'T' || !children(one.pid).is_empty());
        let ticks: u64 = processes.iter().map(|one| one.ticks).sum();
        if !self.is_silent(waits, news + ticks) {
            return None;
        }
        self.holds_up(stages).map(Found::Hung)
    }

    /// Whether nothing has happened for long.
    fn is_silent(&mut self, waits: bool, news: u64) -> bool {
        if waits || news != self.news {
            (self.silent, self.news) = (0, news);
            return false;
        }
        self.silent += 1;
        if self.silent <= self.bounds.silent {
            return false;
        }
        self.silent = 0;
        true
    }

    /// The stage that holds up an order.
    fn holds_up(&self, rest: &[i32]) -> Option<Process> {
        let since = |pid: &i32| self.lives.get(pid).map_or(0, |(_, looks)| *looks);
        // The last stage with unread input does not read it. Otherwise a stage waits for something other than
        // input; where the system does not tell, the one that was the last to do something.
        let full = rest.iter().rev().find(|pid| unread(**pid) > 0);
        let busy = || rest.iter().find(|pid| !waits_for_input(**pid));
        let last = || rest.iter().rev().min_by_key(|pid| since(pid));
        let stage = full.or_else(busy).or_else(last)?;
        Process::of(*stage)
    }

    fn stopped_ones(&mut self, relatives: &[Process]) -> Vec<Found> {
        let mut found = Vec::new();
        for process in relatives {
            let looks = self.stopped.entry(process.pid).or_default();
            *looks = if process.state == 'T' { *looks + 1 } else { 0 };
            if *looks <= self.bounds.stopped {
                continue;
            }
            *looks = 0;
            self.continued += 1;
            signal(process.pid, Signal::CONT);
            let again = self.continued > CONTINUES;
            found.push(if again {
                Found::StoppedAgain(process.clone())
            } else {
                Found::Continued(process.clone())
            });
        }
        found
    }

    /// The first stage that runs, if it has used no processor time for long and has no child that it could wait for.
    fn silent_one(&mut self, stages: &[i32]) -> Option<Found> {
        let first = stages.first().and_then(|pid| Process::of(*pid))?;
        let waits = first.state == 'T' || !children(first.pid).is_empty();
        if waits || first.ticks != self.ticks {
            (self.silent, self.ticks) = (0, first.ticks);
            return None;
        }
        self.silent += 1;
        (self.silent > self.bounds.silent).then_some(Found::Hung(first))
    }
}
