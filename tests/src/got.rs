//! What came of a command.

use serde_json::Value;
use std::fmt;

/// Exit code and output of a command that has ended.
#[derive(Clone)]
pub struct Got {
    /// The exit code; 128 and the signal's number where a signal ended it.
    pub status: i32,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it said to people.
    pub stderr: Vec<u8>,
    pub(crate) shown: String,
}

impl Got {
    /// Fails unless the exit code is this one.
    #[track_caller]
    pub fn exits(&self, code: i32) -> &Self {
        assert!(self.status == code, "exit {} instead of {code}: {self:?}", self.status);
        self
    }

    /// What it printed, as text.
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// What it said, as text.
    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// What it printed, line by line, as JSON.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        let parse =
            |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e} in {line:?} of {self:?}"));
        self.out().lines().map(parse).collect()
    }

    /// What it printed, as one JSON document.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|e| panic!("{e} in {self:?}"))
    }
}

impl fmt::Debug for Got {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = |text: String| -> String { text.chars().take(4000).collect() };
        write!(
            f,
            "{}\nexit {}\nstdout:\n{}\nstderr:\n{}",
            self.shown,
            self.status,
            short(self.out()),
            short(self.err())
        )
    }
}
