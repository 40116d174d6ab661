//! How a job ended: the whole output of this crate, and the document that a supervisor sends to its caller.
//!
//! `stop` says why it ended; `exit_code` and `signal` say what became of the leader, whatever stopped it.

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
    /// What went wrong, for a command that did not start and a supervisor that was lost.
    pub error: Option<String>,
    /// From the start of the command to the end of its leader.
    pub elapsed_ms: u64,
    /// When we began to end it, from the start of the command; `None` when it ended by itself.
    pub stopped_ms: Option<u64>,
    /// The end of the output in order of arrival, both streams, within the bounds of the job; bytes that are no UTF-8
    /// are shown as U+FFFD.
    pub tail: String,
    /// How many bytes came: of both streams, or of stdout alone when `stderr` is `Some`.
    pub bytes: u64,
    /// Digest of these bytes, as many as the job keeps, in lower-case hex; empty when the job asked for none.
    pub sha256: String,
    /// Some bytes are not in their log and not in the digest, because there were more than the job keeps; or not in
    /// the log alone, because it could not be written.
    pub truncated: bool,
    /// stderr's own count and digest, when the streams were kept apart.
    pub stderr: Option<Stream>,
    /// Why a log could not be written to its end. The command ran on.
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
    /// The leader was ended by a signal that was not ours; see `signal`.
    Signalled,
    /// The wall clock ran out.
    Timeout,
    /// It was silent for longer than the stall budget.
    Stall,
    /// The caller asked to end it.
    Interrupted,
    /// There is no such program, or the interpreter of the script is not there.
    NotFound,
    /// The program is there and may not be executed, or is not in a format that can be.
    NotExecutable,
    /// The folder to start in is not there or may not be entered.
    BadCwd,
    /// It could not be started for another reason: a log, stdin, too many processes.
    SpawnError,
    /// The supervisor was killed or did not answer; the caller has ended what it could find.
    SupervisorLost,
}

/// What came on one stream.
#[derive(Clone, Debug, Default, Serialize, Deserialize, PartialEq, Eq)]
pub struct Stream {
    /// How many bytes came.
    pub bytes: u64,
    /// Their digest, as many as the job keeps, in lower-case hex; empty when the job asked for none.
    pub sha256: String,
}

impl Ended {
    /// An outcome without a child: nothing ran, or nothing is known of what ran.
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
