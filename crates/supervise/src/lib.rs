//! One bounded child under one supervisor process.
//!
//! In goes a [`Job`]: a command, its folder, its log and its budgets. Out comes an [`Ended`]: how it ended, its exit
//! code or signal, the digest and the tail of its output. Always true, whatever the command does:
//!
//! - The answer is there within timeout + grace + 1 s.
//! - No process of the command is left, be it daemonised, in a session of its own, stopped, or deaf to TERM. What the
//!   kernel would not let us kill is counted in [`Ended::survivors`].
//! - When the caller dies, by SIGKILL too, the whole tree dies with it: the supervisor holds one end of a lifeline.
//! - Output is bytes. It is never decoded before the tail is shown, and no amount of it grows our memory.
//!
//! Each job has a supervisor process of its own, forked without `exec`, so that a subreaper's orphans have one owner.
//! **The caller must be single-threaded when it calls [`spawn`] or [`run`]**: after a fork in a threaded program only
//! the forking thread goes on, and a lock that another thread held stays locked for ever.
//!
//! The command sees: its own process group in a session without a terminal, stdin from `/dev/null` or a file, no
//! inherited descriptors but 0, 1 and 2, default signal dispositions as `std` sets them, and [`ID_VARIABLE`] in its environment.

mod capture;
mod digest;
mod ended;
mod fork;
mod job;
#[cfg(target_os = "linux")]
mod linux;
mod log;
mod lost;
#[cfg(not(target_os = "linux"))]
mod posix;
pub mod procs;
mod ring;
mod running;
mod start;
mod supervisor;
mod tree;
mod watch;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use posix as system;

pub use ended::{Ended, Stop, Stream};
pub use job::{Job, Limits, Stdin, Tail};
pub use running::{Running, run, spawn, wait_any};

/// The environment variable that marks every process of a job with a value of its own, so that they are found even
/// when their supervisor is gone.
pub const ID_VARIABLE: &str = "SUPERVISE_ID";
