//! The condition of a commit row: `always`, `if any change`, `if tests pass`, or a command in backquotes.
//!
//! A row is looked at only for a task that was ticked on proof, and only if it has files to commit: its checks have passed,
//! and something has changed. A command is run and must exit with 0. Any other sentence is for a person. `checks` reads the
//! sentence.

use checks::conditions::{self, CommitCondition};
use std::path::Path;
use std::time::Duration;
use supervise::{Job, Limits, Stdin, Stop};
use toolkit::Fail;

/// What a condition says about a commit that could be made.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    /// The commit is made.
    Holds,
    /// It is not made, and why.
    Not(String),
    /// No program can tell.
    ForAPerson,
}

/// How long the command of a condition may take.
const MOST: Duration = Duration::from_secs(600);

/// Judges the condition of a row; a command runs at the root.
pub(crate) fn judge(condition: &str, root: &Path) -> Result<Judged, Fail> {
    match conditions::commit(condition) {
        CommitCondition::Always | CommitCondition::IfChanged => Ok(Judged::Holds),
        CommitCondition::Asked(_) => Ok(Judged::ForAPerson),
        CommitCondition::Command(command) => {
            let mut job = Job::new(["sh", "-c", &command].map(std::ffi::OsString::from));
            job.cwd = root.to_path_buf();
            job.stdin = Stdin::Null;
            job.limits = Limits { timeout: Some(MOST), ..Limits::default() };
            let failed = |e: std::io::Error| Fail::io(Path::new("sh"), &e);
            let ended = supervise::spawn(&job).and_then(supervise::Running::finish).map_err(failed)?;
            Ok(match (ended.stop, ended.exit_code) {
                (Stop::Exited, Some(0)) => Judged::Holds,
                (Stop::Exited, Some(code)) => {
                    Judged::Not(format!("its condition does not hold: '{command}' exited with {code}"))
                }
                _ => Judged::ForAPerson,
            })
        }
    }
}
