//! The command to run and its bounds: the whole input of this crate.
//!
//! Relative paths of stdin and of logs are relative to the caller's folder; a relative program with a slash in it
//! is relative to `cwd`, as in a shell that has changed to it.

use std::{ffi::OsString, path::PathBuf, time::Duration};

/// One command and its bounds.
#[derive(Clone, Debug)]
pub struct Job {
    /// Program and arguments. Never a shell line, unless the caller says `["sh", "-c", …]`.
    pub argv: Vec<OsString>,
    /// The folder that the command starts in.
    pub cwd: PathBuf,
    /// Variables added to the inherited environment; the last of a name wins.
    pub env: Vec<(OsString, OsString)>,
    /// Variables removed from the inherited environment, before `env` is added.
    pub env_remove: Vec<OsString>,
    /// Where the command reads from.
    pub stdin: Stdin,
    /// The file for stdout, and for stderr too if `stderr_log` is `None`. Created or truncated with mode 0600; a
    /// symbolic link is refused; its folder must exist.
    pub stdout_log: Option<PathBuf>,
    /// The file for stderr. `Some` keeps the streams apart.
    pub stderr_log: Option<PathBuf>,
    /// How many bytes of each stream are stored and digested. A digest of bytes that were not kept proves nothing,
    /// so later bytes are only counted, and the last of them are in the tail.
    pub max_log_bytes: u64,
    /// Whether the output is digested. Costs about half a second a GiB.
    pub digest: bool,
    /// The budgets.
    pub limits: Limits,
    /// How much of the end of the output the answer contains.
    pub tail: Tail,
}

/// Where the command reads from. Never the caller's own stdin: that is the tool's input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Stdin {
    /// `/dev/null`: a command that reads gets end of file at once.
    #[default]
    Null,
    /// A file, opened for reading.
    File(PathBuf),
}

/// The budgets of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall clock from the start of the command; `None` is no limit.
    pub timeout: Option<Duration>,
    /// The longest silence. Any byte on any stream ends a silence. A command that has closed its output is silent.
    pub stall: Option<Duration>,
    /// Time between TERM and KILL. Zero kills at once.
    pub grace: Duration,
    /// How long processes may outlive a leader that has exited before they count as leaked and are killed; never
    /// beyond the timeout.
    pub linger: Duration,
}

/// How much of the end of the output is kept in memory. Both bounds hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tail {
    /// At most this many lines; an unfinished last line counts.
    pub lines: usize,
    /// At most this many bytes, so that one endless line is bounded too.
    pub bytes: usize,
}

impl Job {
    /// A job with no timeout and no stall budget, ten seconds of grace, in the caller's folder, without a log.
    pub fn new<I, S>(argv: I) -> Self
    where
        I: IntoIterator<Item = S>,
        S: Into<OsString>,
    {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: PathBuf::from("."),
            env: Vec::new(),
            env_remove: Vec::new(),
            stdin: Stdin::Null,
            stdout_log: None,
            stderr_log: None,
            max_log_bytes: 64 << 20,
            digest: true,
            limits: Limits::default(),
            tail: Tail::default(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: None,
            stall: None,
            grace: Duration::from_secs(10),
            linger: Duration::from_millis(100),
        }
    }
}

impl Default for Tail {
    fn default() -> Self {
        Self { lines: 50, bytes: 16 << 10 }
    }
}
