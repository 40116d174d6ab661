//! A folder to work in, the program, and what came of it.

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A configuration that lets commands of workers be run, with the name of its file.
pub(crate) const ACCEPTS: (&str, &str) = ("plantools.toml", "[defaults]\naccept = \"worker-commands\"\n");

/// A folder that is gone with the test.
pub(crate) struct Folder(TempDir);

/// What came of one run.
pub(crate) struct Got {
    pub(crate) exit: i32,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) took: Duration,
}

impl Folder {
    /// An empty folder, without git.
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// A folder with that configuration.
    pub(crate) fn trusting() -> Self {
        let folder = Self::new();
        folder.write(ACCEPTS.0, ACCEPTS.1);
        folder
    }

    /// A repository with one commit that holds these files.
    pub(crate) fn with_git(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (name, text) in files {
            folder.write(name, text);
        }
        folder.git(&["init", "-q", "-b", "main"]);
        folder.git(&["add", "-A"]);
        folder.git(&["commit", "-q", "--allow-empty", "-m", "start"]);
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::File::create(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.path().join(name).exists()
    }

    pub(crate) fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
        let status = Command::new("git").args(identity).args(args).current_dir(self.path()).status().unwrap();
        assert!(status.success(), "git {args:?}");
    }

    /// The program here, in an environment that holds nothing else.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gate-run"));
        command.args(args).current_dir(self.path()).env_clear().stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Got {
        Got::of(self.command(args), None)
    }

    /// Runs with this on standard input.
    pub(crate) fn feed(&self, args: &[&str], input: &str) -> Got {
        Got::of(self.command(args), Some(input))
    }

    pub(crate) fn start(&self, args: &[&str]) -> Child {
        self.command(args).spawn().unwrap()
    }

    /// Every record of the ledger.
    pub(crate) fn ledger(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path().join(".plantools/ledger.ndjson")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The logs that are kept.
    pub(crate) fn logs(&self) -> Vec<PathBuf> {
        let list = |path: &Path| std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path());
        list(&self.path().join(".plantools/logs")).flat_map(|run| list(&run).collect::<Vec<_>>()).collect()
    }
}

impl Got {
    pub(crate) fn of(mut command: Command, input: Option<&str>) -> Self {
        let start = Instant::now();
        if input.is_some() {
            command.stdin(Stdio::piped());
        }
        let mut child = command.spawn().unwrap();
        if let Some(input) = input {
            child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        }
        Self::from(&child.wait_with_output().unwrap(), start.elapsed())
    }

    pub(crate) fn from(output: &Output, took: Duration) -> Self {
        Self {
            exit: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            took,
        }
    }

    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.exit, code, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    /// The lines of JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The only line of JSON.
    pub(crate) fn json(&self) -> Value {
        let mut lines = self.lines();
        assert_eq!(lines.len(), 1, "{}", self.out);
        lines.remove(0)
    }

    /// The only line, whose status and reason are these.
    pub(crate) fn is(&self, status: &str, reason: &str) -> Value {
        let gate = self.json();
        assert_eq!((&gate["status"], &gate["stop_reason"]), (&status.into(), &reason.into()), "{gate}");
        gate
    }
}
