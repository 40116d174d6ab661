//! Starts the command: logs, stdin, folder, pipes, spawn; and maps each failure to its outcome.
//!
//! Runs in the supervisor, which changes its own folder: so the errno of a bad folder is never confused with that
//! of a missing program.

use std::{
    ffi::OsString,
    fs::File,
    io,
    os::{fd::OwnedFd, unix::process::CommandExt},
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use rustix::{
    io::Errno,
    pipe::{PipeFlags, pipe_with},
    process::Pid,
};

use crate::output::capture::{Capture, Channel};
use crate::output::log::Log;
use crate::{ID_VARIABLE, Job, Stdin, Stop};

/// A running command.
pub(crate) struct Started {
    pub(crate) leader: Pid,
    pub(crate) capture: Capture,
    pub(crate) at: Instant,
}

/// Why a command did not start.
pub(crate) struct NotStarted {
    pub(crate) stop: Stop,
    pub(crate) error: String,
}

/// Starts the command, or returns why it could not be started.
pub(crate) fn start(job: &Job, id: &str) -> Result<Started, NotStarted> {
    let mut command = command(job, id)?;
    let stdout_log = open_log(job.stdout_log.as_deref())?;
    let stderr_log = open_log(job.stderr_log.as_deref())?;
    command.stdin(open_stdin(&job.stdin)?);
    rustix::process::chdir(&job.cwd).map_err(|errno| failed(Stop::BadCwd, &job.cwd, &errno.into()))?;

    let (read, write) = pipe().map_err(|errno| failed(Stop::SpawnError, "pipe", &errno.into()))?;
    let mut channels = vec![Channel::new(read, stdout_log, job)];
    let stderr = if stderr_log.is_some() {
        let (read, write) = pipe().map_err(|errno| failed(Stop::SpawnError, "pipe", &errno.into()))?;
        channels.push(Channel::new(read, stderr_log, job));
        write
    } else {
        write.try_clone().map_err(|error| failed(Stop::SpawnError, "pipe", &error))?
    };
    command.stdout(write).stderr(stderr);

    let at = Instant::now();
    let child = command.spawn().map_err(|error| not_started(job, &error))?;
    Ok(Started { leader: Pid::from_child(&child), capture: Capture::new(job, channels), at })
}

fn command(job: &Job, id: &str) -> Result<Command, NotStarted> {
    let Some((program, arguments)) = job.argv.split_first() else {
        return Err(NotStarted { stop: Stop::SpawnError, error: "no command".to_owned() });
    };
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    for name in &job.env_remove {
        command.env_remove(name);
    }
    command.envs(job.env.iter().map(|(name, value)| (name, value))).env(ID_VARIABLE, id);
    Ok(command)
}

fn open_log(path: Option<&Path>) -> Result<Option<Log>, NotStarted> {
    let open = |path| Log::create(path).map_err(|error| failed(Stop::SpawnError, path, &error));
    path.map(open).transpose()
}

fn open_stdin(stdin: &Stdin) -> Result<Stdio, NotStarted> {
    match stdin {
        // The supervisor's own stdin is `/dev/null` by now.
        Stdin::Null => Ok(Stdio::inherit()),
        Stdin::File(path) => match File::open(path) {
            Ok(file) => Ok(file.into()),
            Err(error) => Err(failed(Stop::SpawnError, path, &error)),
        },
    }
}

/// A pipe that we read without blocking; the command's end blocks, as commands expect.
fn pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&read, true)?;
    Ok((read, write))
}

fn not_started(job: &Job, error: &io::Error) -> NotStarted {
    let stop = match error.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::NOENT | Errno::NOTDIR) => Stop::NotFound,
        Some(Errno::ACCESS | Errno::PERM | Errno::NOEXEC | Errno::ISDIR) => Stop::NotExecutable,
        _ => Stop::SpawnError,
    };
    let program = Path::new(job.argv.first().map_or_else(Default::default, OsString::as_os_str));
    let mut failure = failed(stop, program, error);
    if stop == Stop::NotFound && program.components().count() > 1 && program.is_file() {
        failure.error = format!("'{}': its interpreter is not there", program.display());
    }
    failure
}

fn failed(stop: Stop, what: impl AsRef<Path>, error: &io::Error) -> NotStarted {
    NotStarted { stop, error: format!("'{}': {error}", what.as_ref().display()) }
}
