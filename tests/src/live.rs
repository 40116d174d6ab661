//! A command that runs.

use crate::Got;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A command that was started in a process group of its own; the group is killed when this is dropped.
#[derive(Debug)]
pub struct Live {
    group: Option<Pid>,
    ended: Receiver<ExitStatus>,
    out: File,
    err: File,
    shown: String,
}

impl Live {
    pub(crate) fn new(mut child: Child, out: File, err: File, shown: String) -> Self {
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let (tell, ended) = channel();
        std::thread::spawn(move || child.wait().map(|status| tell.send(status)));
        Self { group, ended, out, err, shown }
    }

    /// Waits for its end; if that does not come in time, everything is killed and given back as an error.
    pub fn wait(mut self, limit: Duration) -> Result<Got, Box<Got>> {
        if let Ok(status) = self.ended.recv_timeout(limit) {
            // The leader has left; the rest of its group is a background job.
            self.group = None;
            return Ok(self.got(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))));
        }
        self.kill();
        Err(Box::new(self.got(-1)))
    }

    /// Kills the whole group at once, as a power cut would.
    pub fn kill(&self) {
        if let Some(group) = self.group {
            // A group that has ended meanwhile is as dead as it should be.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// Lets the whole group stand still, as a machine does that has too much to do.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    /// Asks the whole group to end, as `timeout` and a service manager do.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Sends SIGINT to the whole group, as Ctrl-C in a terminal does.
    pub fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    /// Sends SIGTERM or SIGHUP to the whole group.
    pub fn signal_by_name(&self, name: &str) {
        self.signal(if name == "HUP" { Signal::HUP } else { Signal::TERM });
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            kill_process_group(group, signal).expect("tell the group");
        }
    }

    /// What it has printed on standard error so far.
    pub fn stderr(&mut self) -> String {
        String::from_utf8_lossy(&read(&mut self.err)).into_owned()
    }

    fn got(&mut self, status: i32) -> Got {
        Got { status, stdout: read(&mut self.out), stderr: read(&mut self.err), shown: self.shown.clone() }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.kill();
    }
}

fn read(file: &mut File) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes));
    bytes
}
