//! `bd`, the program of the beads tracker, started as a plain bounded helper.
//!
//! Values travel as arguments; nothing is spliced into a line.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use toolkit::cli::env;
use toolkit::{Exit, Fail};
use wait_timeout::ChildExt;

/// How long it may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where an issue can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// To be done.
    Open,
    /// Begun.
    InProgress,
    /// Cannot go on.
    Blocked,
    /// Done.
    Closed,
}

/// Whether the program is on the path.
pub fn is_installed() -> bool {
    let path = env::get("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join("bd").is_file())
}

/// Sets the status of an issue.
pub fn set(folder: &Path, id: &str, status: Status, reason: &str) -> Result<(), Fail> {
    let word = match status {
        Status::Closed => {
            let reason = if reason.is_empty() { "done, on proof" } else { reason };
            return run(folder, &["close", id, "--reason", reason]);
        }
        Status::Open => "open",
        Status::InProgress => "in_progress",
        Status::Blocked => "blocked",
    };
    run(folder, &["update", id, "--status", word])
}

/// Writes the export that the plan is read from.
pub fn export(folder: &Path, path: &Path) -> Result<(), Fail> {
    run(folder, &["export", "-o", &path.to_string_lossy()])
}

fn run(folder: &Path, args: &[&str]) -> Result<(), Fail> {
    let failed = |message: String| Fail::new(Exit::Io, "bd-failed", message);
    let mut command = Command::new("bd");
    command.args(args).current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| failed(format!("'bd' cannot be started: {e}")))?;
    match child.wait_timeout(PATIENCE) {
        Ok(Some(status)) if status.success() => Ok(()),
        Ok(Some(status)) => Err(failed(format!("'bd {}' failed: {status}", args.join(" ")))),
        _ => {
            let _ = child.kill();
            let _ = child.wait();
            Err(failed(format!("'bd {}' hangs", args.join(" "))))
        }
    }
}
