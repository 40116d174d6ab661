//! Cleans up after a supervisor that is gone without an answer: its command killed it, or it did not answer in
//! time.
//!
//! Its tree now belongs to the caller, as far as the system lets it adopt. Otherwise the tree can only be found by
//! its session, whose number is the supervisor's pid and is not reused before the caller reaps it, and by the mark
//! in the environment.

use std::{
    collections::BTreeSet,
    os::unix::net::UnixStream,
    sync::Mutex,
    time::{Duration, Instant},
};

use rustix::{
    net::RecvFlags,
    process::{Pid, Signal, getpid, kill_process_group},
};

use crate::system::{self, Process};
use crate::{Ended, ID_VARIABLE, Stop, processes};

/// Time to find and kill the processes that the supervisor left.
const HUNT: Duration = Duration::from_millis(500);

/// Kills the processes of the job that can be found and returns the outcome. The supervisor must be dead, or a
/// signal away from it, and not reaped.
pub(crate) fn clean_up(supervisor: Pid, id: &str, lifeline: &UnixStream, began: Instant, why: &str) -> Ended {
    if let Some(leader) = birth(lifeline).filter(|_| system::blind()) {
        // Without a list of processes only the group is known.
        let _ = kill_process_group(leader, Signal::KILL);
    }
    let mark = format!("{ID_VARIABLE}={id}");
    let session = supervisor.as_raw_pid();
    // Our own children share our session, and other supervisors are known: any other child was adopted. In a
    // container the session may come from outside; its number is 0 then, which `getsid` has no type for.
    let ours = system::process(getpid()).map_or(0, |own| own.session);
    let own = getpid().as_raw_pid();
    let known = SUPERVISORS.lock().map(|known| known.clone()).unwrap_or_default();
    let adopted = |process: &Process| {
        process.parent == own && process.session != ours && !known.contains(&process.pid.as_raw_pid())
    };
    let left = processes::hunt(HUNT, |process| {
        process.pid != supervisor
            && (process.session == session
                || adopted(process)
                || system::has_env(process.pid, mark.as_bytes()))
    });
    let mut ended = Ended::without_child(Stop::SupervisorLost, why.to_owned());
    ended.elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    ended.killed = true;
    ended.survivors = u32::try_from(left).unwrap_or(u32::MAX);
    ended
}

/// The supervisors that are running.
static SUPERVISORS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Remembers a supervisor.
pub(crate) fn at_work(supervisor: Pid) {
    if let Ok(mut known) = SUPERVISORS.lock() {
        known.insert(supervisor.as_raw_pid());
    }
}

/// Forgets a supervisor that is gone.
pub(crate) fn over(supervisor: Pid) {
    if let Ok(mut known) = SUPERVISORS.lock() {
        known.remove(&supervisor.as_raw_pid());
    }
}

/// The leader, whose pid is the number of its group, as the supervisor reported it at the start.
fn birth(lifeline: &UnixStream) -> Option<Pid> {
    let mut said = [0; 32];
    let (size, _) = rustix::net::recv(lifeline, &mut said, RecvFlags::DONTWAIT).ok()?;
    Pid::from_raw(str::from_utf8(&said[..size]).ok()?.trim().parse().ok()?)
}
