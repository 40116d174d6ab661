//! What came of a command.

use serde_json::Value;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Exit code and output of a command that has ended.
#[derive(Debug, Clone)]
pub struct Got {
    /// The exit code; 128 and the signal's number where a signal ended it.
    pub code: i32,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
    /// How long it took.
    pub took: Duration,
}

impl Got {
    /// Runs a command to its end.
    #[track_caller]
    pub fn of(mut command: Command) -> Self {
        let began = Instant::now();
        let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
        Self::from(&output, began.elapsed())
    }

    /// Runs a command with this on its standard input.
    #[track_caller]
    pub fn fed(mut command: Command, input: &str) -> Self {
        let began = Instant::now();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
        // A command that reads nothing may have ended by now.
        let _ = child.stdin.take().map(|mut pipe| pipe.write_all(input.as_bytes()));
        Self::from(&child.wait_with_output().unwrap(), began.elapsed())
    }

    /// What a process left that was started elsewhere.
    pub fn from(output: &Output, took: Duration) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or(0));
        Self { code, out: text(&output.stdout), err: text(&output.stderr), took }
    }

    /// Fails unless the exit code is this one.
    #[track_caller]
    pub fn exits(&self, code: i32) -> &Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// Fails unless this text is in one of the outputs.
    #[track_caller]
    pub fn says(&self, text: &str) -> &Self {
        assert!(self.err.contains(text) || self.out.contains(text), "no '{text}' in {self:?}");
        self
    }

    /// The lines of JSON on standard output.
    #[track_caller]
    pub fn lines(&self) -> Vec<Value> {
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        self.out.lines().map(parse).collect()
    }

    /// The only line of JSON on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        let mut lines = self.lines();
        assert_eq!(lines.len(), 1, "{self:?}");
        lines.remove(0)
    }
}
