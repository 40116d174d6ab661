//! Processes by pid and start time, and by a mark in their environment: for a caller that restarts after a crash
//! and must know whether a process of the last run is still alive.
//!
//! Works only with `/proc`; elsewhere the answers are "not known" and "none".

use std::{
    collections::BTreeSet,
    io, thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, getpid};

use crate::supervisor::process_tree::descendants;
use crate::system::{self, Process};

/// When the process started, in clock ticks since boot: with the pid it identifies the process for ever.
pub fn start_time(pid: u32) -> Option<u64> {
    Some(process(pid)?.start)
}

/// Whether that same process still runs. A zombie does not.
pub fn alive(pid: u32, start_time: u64) -> bool {
    process(pid).is_some_and(|process| process.start == start_time && !process.zombie)
}

/// The processes started with `name=value` in their environment, without this one.
pub fn with_env(name: &str, value: &str) -> Vec<u32> {
    let entry = format!("{name}={value}");
    let others = system::processes().into_iter().filter(|process| process.pid != getpid());
    others
        .filter(|process| system::has_env(process.pid, entry.as_bytes()))
        .map(|process| process.pid.as_raw_pid().cast_unsigned())
        .collect()
}

/// Kills every process started with `name=value` in its environment and its descendants, but neither this process
/// nor its ancestors. Returns how many are left when the time is up.
pub fn kill_all_with_env(name: &str, value: &str, within: Duration) -> io::Result<usize> {
    let entry = format!("{name}={value}");
    Ok(hunt(within, |process| system::has_env(process.pid, entry.as_bytes())))
}

/// Kills every process for which `is` holds and its descendants, until none is left or the time is up; returns how
/// many are.
pub(crate) fn hunt(within: Duration, is: impl Fn(&Process) -> bool) -> usize {
    let end = Instant::now() + within;
    let mut nap = Duration::from_millis(1);
    // An orphan loses its link to the process by which it was found, so remember every process seen.
    let mut known: BTreeSet<(i32, u64)> = BTreeSet::new();
    loop {
        let all = system::processes();
        let spared = ancestry(&all);
        let free = |process: &&Process| !process.zombie && !spared.contains(&process.pid.as_raw_pid());
        let mut targets: Vec<Process> = all
            .iter()
            .filter(free)
            .filter(|process| known.contains(&name(process)) || is(process))
            .copied()
            .collect();
        let roots: Vec<Pid> = targets.iter().map(|process| process.pid).collect();
        targets.extend(descendants(&all, &roots).iter().filter(free));
        if targets.is_empty() || Instant::now() > end {
            return targets.len();
        }
        known.extend(targets.iter().map(name));
        for process in &targets {
            // Gone already, or not ours to kill: the next round shows.
            let _ = system::signal(process, Signal::KILL);
        }
        thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(20));
    }
}

/// Identifies a process for ever, even if its pid is reused.
fn name(process: &Process) -> (i32, u64) {
    (process.pid.as_raw_pid(), process.start)
}

fn process(pid: u32) -> Option<Process> {
    system::process(Pid::from_raw(i32::try_from(pid).ok()?)?)
}

/// This process and its ancestors.
fn ancestry(all: &[Process]) -> BTreeSet<i32> {
    let mut line = BTreeSet::new();
    let mut pid = getpid().as_raw_pid();
    while line.insert(pid) {
        match all.iter().find(|process| process.pid.as_raw_pid() == pid) {
            Some(process) => pid = process.parent,
            None => break,
        }
    }
    line
}
