//! Several gates at the same time, on one tree.
//!
//! Gates with the same lock take turns. All share one tree: if it changes between beginning and end, none of them has
//! a verdict.

use crate::args::Args;
use crate::gates::configured::Bench;
use crate::gates::records::bind;
use crate::run::check::{Check, What};
use crate::run::runner::Started;
use std::collections::VecDeque;
use std::path::Path;
use supervise::{Running, wait_any};
use toolkit::Fail;
use wire::Gate;
use wire::gate::Status;

/// Runs all of them and reports each in file order.
pub(crate) fn run(
    bench: &Bench<'_>,
    checks: &[Check],
    args: &Args,
    tell: &mut dyn FnMut(&Gate) -> Result<(), Fail>,
) -> Result<(), Fail> {
    let before = bench.records.tree()?;
    let mut line =
        Line { bench, waiting: checks.iter().enumerate().collect(), running: Vec::new(), done: Vec::new() };
    while !line.is_empty() {
        let failed = line.done.iter().any(|(_, gate)| gate.status != Status::Pass);
        if bench.runner.watch.is_over() || (args.set.fail_fast && failed) {
            line.waiting.clear();
        }
        line.fill(args.set.jobs as usize)?;
        line.wait()?;
    }
    let after = bench.records.tree()?;
    line.done.sort_by_key(|(index, _)| *index);
    for (_, gate) in &mut line.done {
        bind(gate, before.as_ref(), after.as_ref());
        tell(gate)?;
    }
    Ok(())
}

struct Line<'a> {
    bench: &'a Bench<'a>,
    waiting: VecDeque<(usize, &'a Check)>,
    running: Vec<(usize, Started, Running)>,
    done: Vec<(usize, Gate)>,
}

impl Line<'_> {
    fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }

    /// Starts as many gates as may run now.
    fn fill(&mut self, jobs: usize) -> Result<(), Fail> {
        while self.running.len() < jobs {
            let free = |check: &Check| {
                check.lock.is_none()
                    || self.running.iter().all(|(_, other, _)| other.check.lock != check.lock)
            };
            let Some(at) = self.waiting.iter().position(|(_, check)| free(check)) else { break };
            let Some((index, check)) = self.waiting.remove(at) else { break };
            if matches!(check.what, What::Builtin(_)) {
                self.done.push((index, self.bench.runner.run(check)?));
                continue;
            }
            let (started, running) = self.bench.runner.start(check)?;
            self.running.push((index, started, running));
        }
        Ok(())
    }

    /// Waits for one of them to end, passing signals on and showing progress.
    fn wait(&mut self) -> Result<(), Fail> {
        if self.running.is_empty() {
            return Ok(());
        }
        for (_, started, _) in &mut self.running {
            self.bench.runner.look(started);
        }
        let failed = |e: std::io::Error| Fail::io(Path::new("gates"), &e);
        let handles: Vec<&Running> = self.running.iter().map(|(_, _, running)| running).collect();
        self.bench.runner.watch.hand_on(&handles);
        let ready = wait_any(&handles, None).map_err(failed)?;
        let Some(at) = ready else { return Ok(()) };
        let Some(ended) = self.running[at].2.try_finish().map_err(failed)? else { return Ok(()) };
        let (index, started, _) = self.running.remove(at);
        self.done.push((index, self.bench.runner.finish(started, &ended)?));
        Ok(())
    }
}
