//! One command, bounded in time.

use crate::{Got, Live};
use rustix::pty;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long a command may take unless it says otherwise.
const LIMIT: Duration = Duration::from_secs(60);

/// A command to be run on a bench.
#[derive(Debug)]
pub struct Run {
    command: Command,
    tmp: PathBuf,
    limit: Duration,
    stdout: Target,
}

/// Where standard output goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Kept,
    Full,
    NoReader,
}

impl Run {
    pub(crate) fn new(mut command: Command, tmp: PathBuf) -> Self {
        command.stdin(Stdio::null());
        Self { command, tmp, limit: LIMIT, stdout: Target::Kept }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Takes a variable away.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Gives these bytes on standard input.
    #[must_use]
    pub fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        let mut file = tempfile::tempfile_in(&self.tmp).expect("make a file");
        file.write_all(bytes.as_ref()).expect("fill the input");
        file.seek(SeekFrom::Start(0)).expect("rewind the input");
        self.command.stdin(file);
        self
    }

    /// Puts a terminal on standard input.
    #[must_use]
    pub fn terminal(mut self) -> Self {
        let master = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY).expect("open a terminal");
        pty::grantpt(&master).and_then(|()| pty::unlockpt(&master)).expect("unlock the terminal");
        let name = pty::ptsname(&master, Vec::new()).expect("name the terminal");
        let name = name.to_str().expect("a terminal's name is plain");
        let slave = OpenOptions::new().read(true).write(true).open(name).expect("open the terminal");
        self.command.stdin(slave);
        // Held open until the process ends with us: a terminal whose other side is gone reads as ended.
        std::mem::forget(master);
        self
    }

    /// Lets standard output go to a full disk.
    #[must_use]
    pub fn to_full_disk(mut self) -> Self {
        self.stdout = Target::Full;
        self
    }

    /// Lets standard output go to a pipe whose reader has left.
    #[must_use]
    pub fn to_nobody(mut self) -> Self {
        self.stdout = Target::NoReader;
        self
    }

    /// Sets another time limit.
    #[must_use]
    pub fn within(mut self, seconds: u64) -> Self {
        self.limit = Duration::from_secs(seconds);
        self
    }

    /// Runs it to its end. A command that does not end in time is killed with its group, and that is a failure.
    #[track_caller]
    pub fn run(self) -> Got {
        let (shown, limit) = (format!("{:?}", self.command), self.limit);
        self.start().wait(limit).unwrap_or_else(|got| panic!("not ended after {limit:?}: {shown}\n{got:?}"))
    }

    /// Starts it in a process group of its own and goes on.
    #[track_caller]
    pub fn start(mut self) -> Live {
        let out = tempfile::tempfile_in(&self.tmp).expect("make a file");
        let err = tempfile::tempfile_in(&self.tmp).expect("make a file");
        match self.stdout {
            Target::Kept => self.command.stdout(copy(&out)),
            Target::Full => {
                self.command.stdout(File::options().write(true).open("/dev/full").expect("/dev/full"))
            }
            Target::NoReader => {
                let (reader, writer) = std::io::pipe().expect("make a pipe");
                drop(reader);
                self.command.stdout(writer)
            }
        };
        let shown = format!("{:?}", self.command.get_args().collect::<Vec<_>>());
        let shown = format!("{} {shown}", self.command.get_program().to_string_lossy());
        let child = self.command.stderr(copy(&err)).process_group(0).spawn();
        Live::new(child.unwrap_or_else(|e| panic!("{shown}: {e}")), out, err, shown)
    }
}

fn copy(file: &File) -> File {
    file.try_clone().expect("copy a handle")
}
