//! Processes by pid and start time, and by a mark in their environment: for a caller that comes back after a crash
//! and must know whether somebody of the last run is still there.
//!
//! Known only where there is `/proc`; elsewhere the answers are "not known" and "none".

use std::{
    collections::BTreeSet,
    io, thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, getpid};

use crate::{
    system::{self, Process},
    tree::descendants,
};

/// When the process started, in clock ticks since boot: with the pid it names the process for ever.
pub fn start_time(pid: u32) -> Option<u64> {
    Some(process(pid)?.start)
}

/// Whether that very process still runs. A zombie does not.
pub fn alive(pid: u32, start_time: u64) -> bool {
    process(pid).is_some_and(|process| process.start == start_time && !process.zombie)
}

/// The processes that were started with `name=value` in their environment, without this one.
pub fn with_env(name: &str, value: &str) -> Vec<u32> {
    let entry = format!("{name}={value}");
    let others = system::processes().into_iter().filter(|process| process.pid != getpid());
    others
        .filter(|process| system::has_env(process.pid, entry.as_bytes()))
        .map(|process| process.pid.as_raw_pid().cast_unsigned())
        .collect()
}

/// Kills every process that was started with `name=value` in its environment and everybody below one, but neither
/// this process nor those above it. Says how many are left when the time is up.
pub fn kill_all_with_env(name: &str, value: &str, within: Duration) -> io::Result<usize> {
    let entry = format!("{name}={value}");
    Ok(hunt(within, |process| system::has_env(process.pid, entry.as_bytes())))
}

/// Kills every process that `is` one and everybody below it, until none is left or the time is up; says how many are.
pub(crate) fn hunt(within: Duration, is: impl Fn(&Process) -> bool) -> usize {
    let end = Instant::now() + within;
    let mut nap = Duration::from_millis(1);
    // An orphan loses its link to the one by which it was found, so whoever was seen once is remembered.
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
            // Gone already, or not ours to kill: the next round tells.
            let _ = system::signal(process, Signal::KILL);
        }
        thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(20));
    }
}

/// A process for ever, whoever has its number later.
fn name(process: &Process) -> (i32, u64) {
    (process.pid.as_raw_pid(), process.start)
}

fn process(pid: u32) -> Option<Process> {
    system::process(Pid::from_raw(i32::try_from(pid).ok()?)?)
}

/// This process and all above it.
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
