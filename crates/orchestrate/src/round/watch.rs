//! Stages that do not go on: stopped by a signal, killed, or without any sign of life.
//!
//! A person who stops the run (Ctrl-Z) stops this process too, so the watch counts its own looks, one a second, and not
//! the time.

use super::processes::{Process, children, family, signal};
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
}

/// Looks after the processes of one round.
#[derive(Debug)]
pub(crate) struct Watch {
    bounds: Bounds,
    stopped: HashMap<i32, u32>,
    continued: u32,
    silent: u32,
    ticks: u64,
}

impl Watch {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self { bounds, stopped: HashMap::new(), continued: 0, silent: 0, ticks: 0 }
    }

    /// One look, a second after the last. `stages` are those that still run, in their order; one that reads only what is
    /// there already cannot wait for anybody else. `None` is a pipe that follows a plan, which may wait for long.
    pub(crate) fn look(&mut self, stages: Option<&[i32]>) -> Vec<Found> {
        let relatives = family(std::process::id().cast_signed());
        let mut found = self.stopped_ones(&relatives);
        found.extend(stages.and_then(|stages| self.silent_one(stages)));
        found
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
