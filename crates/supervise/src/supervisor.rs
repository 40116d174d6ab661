//! The life of a supervisor: leave the caller's session, start the command, watch it, answer, exit.
//!
//! It writes exactly one document to the result pipe, when the tree is gone, and one line to the lifeline as soon
//! as there is a leader, so that the caller can kill the group if the supervisor is lost.

pub(crate) mod fork;
pub(crate) mod process_tree;
pub(crate) mod start;
pub(crate) mod watch;

use std::{
    io::{self, PipeWriter, Write},
    os::unix::net::UnixStream,
};

use rustix::{
    fs::{Mode, OFlags},
    net::SendFlags,
};

use crate::supervisor::watch::Watch;
use crate::{Ended, Job, Stop, system};

/// Serves one job; returns the exit code.
pub(crate) fn serve(job: &Job, id: &str, lifeline: &UnixStream, result: &PipeWriter) -> i32 {
    let ended = oversee(job, id, lifeline);
    match answer(&ended, result) {
        Ok(()) => 0,
        Err(_) => 1,
    }
}

fn oversee(job: &Job, id: &str, lifeline: &UnixStream) -> Ended {
    // A new process is never a group leader, so this cannot fail.
    let _ = rustix::process::setsid();
    system::adopt_orphans();
    if let Err(error) = leave_stdio() {
        return Ended::without_child(Stop::SpawnError, format!("'/dev/null': {error}"));
    }
    match start::start(job, id) {
        Ok(started) => {
            let birth = format!("{}\n", started.leader.as_raw_nonzero());
            let _ = rustix::net::send(lifeline, birth.as_bytes(), SendFlags::NOSIGNAL);
            Watch::new(&job.limits, started, lifeline).run()
        }
        Err(failure) => Ended::without_child(failure.stop, failure.error),
    }
}

/// Closes the caller's stdin and stdout: a reader of the caller's output must see its end when the caller ends.
fn leave_stdio() -> rustix::io::Result<()> {
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)
}

fn answer(ended: &Ended, mut result: &PipeWriter) -> io::Result<()> {
    result.write_all(&serde_json::to_vec(ended)?)
}
