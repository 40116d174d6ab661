//! Runs one child process with limits, under one supervisor process.
//!
//! The input is a [`Job`]: a command, its folder, its log and its budgets. The output is an [`Ended`]: how it
//! ended, its exit code or signal, the digest and the tail of its output. Always true, whatever the command does:
//!
//! - The answer comes within timeout + grace + 1 s.
//! - No process of the command is left, even if it is daemonised, in a session of its own, stopped, or ignores
//!   TERM. Processes that the kernel does not let us kill are counted in [`Ended::survivors`].
//! - When the caller dies, even by SIGKILL, the whole tree dies with it: the supervisor holds one end of a
//!   lifeline.
//! - Output is bytes. It is never decoded before the tail is shown, and no amount of it grows our memory.
//!
//! Each job has its own supervisor process, forked without `exec`, so that a subreaper's orphans have one owner.
//! **The caller must be single-threaded when it calls [`spawn`] or [`run`]**: after a fork in a threaded program
//! only the forking thread continues, and a lock that another thread held stays locked for ever.
//!
//! The command sees: its own process group in a session without a terminal, stdin from `/dev/null` or a file, no
//! inherited descriptors but 0, 1 and 2, default signal dispositions as `std` sets them, and [`ID_VARIABLE`] in its
//! environment.

mod ended;
mod job;
mod lost;
mod output;
mod platform;
pub mod processes;
mod running;
mod supervisor;

#[cfg(target_os = "linux")]
use crate::platform::linux as system;
#[cfg(not(target_os = "linux"))]
use crate::platform::posix as system;

pub use crate::ended::{Ended, Stop, Stream};
pub use crate::job::{Job, Limits, Stdin, Tail};
pub use crate::running::{Running, run, spawn, wait_any};

/// The environment variable that marks every process of a job with a unique value, so that they can be found even
/// if their supervisor is gone.
pub const ID_VARIABLE: &str = "SUPERVISE_ID";
