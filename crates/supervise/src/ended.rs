//! How a job ended: the whole output of this crate, and the document that a supervisor sends to its caller.
//!
//! `stop` is why it ended; `exit_code` and `signal` are how the leader ended, whatever stopped it.

use serde::{Deserialize, Serialize};

/// The outcome of one job.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Ended {
    /// Why it ended.
    pub stop: Stop,
    /// The leader's exit code, when it exited.
    pub exit_code: Option<i32>,
    /// The signal that ended the leader, when one did.
    pub signal: Option<i32>,
    /// The error, if the command did not start or the supervisor was lost.
    pub error: Option<String>,
    /// From the start of the command to the end of its leader.
    pub elapsed_ms: u64,
    /// When we began to end it, from the start of the command; `None` if it ended by itself.
    pub stopped_ms: Option<u64>,
    /// The end of the output in order of arrival, both streams, within the bounds of the job; bytes that are not
    /// UTF-8 become U+FFFD.
    pub tail: String,
    /// How many bytes came: on both streams, or on stdout alone if `stderr` is `Some`.
    pub bytes: u64,
    /// Digest of these bytes, as many as the job keeps, in lower-case hex; empty if the job asked for none.
    pub sha256: String,
    /// Some bytes are missing from the log and the digest, because there were more than the job keeps; or from the
    /// log alone, because it could not be written.
    pub truncated: bool,
    /// Count and digest of stderr, if the streams were kept apart.
    pub stderr: Option<Stream>,
    /// Why a log could not be written completely. The command ran on.
    pub log_error: Option<String>,
    /// Processes that outlived a leader that ended by itself, and were killed.
    pub leaked: u32,
    /// TERM or KILL was needed.
    pub killed: bool,
    /// Processes that could not be killed: 0 unless the kernel refused.
    pub survivors: u32,
}

/// Why a job ended.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The leader exited; see `exit_code`.
    Exited,
    /// A signal that was not ours ended the leader; see `signal`.
    Signalled,
    /// The timeout expired.
    Timeout,
    /// It was silent for longer than the stall budget.
    Stall,
    /// The caller asked to end it.
    Interrupted,
    /// The program, or the interpreter of the script, does not exist.
    NotFound,
    /// The program exists but may not be executed, or has no executable format.
    NotExecutable,
    /// The folder to start in does not exist or may not be entered.
    BadCwd,
    /// It could not be started for another reason: a log, stdin, too many processes.
    SpawnError,
    /// The supervisor was killed or did not answer; the caller has ended the processes it could find.
    SupervisorLost,
}

/// The output on one stream.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Stream {
    /// How many bytes came.
    pub bytes: u64,
    /// Their digest, as many as the job keeps, in lower-case hex; empty if the job asked for none.
    pub sha256: String,
}

impl Ended {
    /// An outcome without a child: nothing ran, or nothing is known about it.
    pub(crate) fn without_child(stop: Stop, error: String) -> Self {
        Self {
            stop,
            exit_code: None,
            signal: None,
            error: Some(error),
            elapsed_ms: 0,
            stopped_ms: None,
            tail: String::new(),
            bytes: 0,
            sha256: String::new(),
            truncated: false,
            stderr: None,
            log_error: None,
            leaked: 0,
            killed: false,
            survivors: 0,
        }
    }
}
