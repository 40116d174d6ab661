//! A folder to work in, the program, and its results.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
pub(crate) use testbench::Got;

/// A configuration that allows running workers' commands, with the name of its file.
pub(crate) const ACCEPTS: (&str, &str) = ("plantools.toml", "[defaults]\naccept = \"worker-commands\"\n");

/// A folder that is removed with the test.
pub(crate) struct Folder(testbench::Folder);

impl std::ops::Deref for Folder {
    type Target = testbench::Folder;

    fn deref(&self) -> &testbench::Folder {
        &self.0
    }
}

impl Folder {
    /// An empty folder, without git.
    pub(crate) fn new() -> Self {
        Self(testbench::Folder::new("gate-run-"))
    }

    /// A folder with that configuration.
    pub(crate) fn trusting() -> Self {
        let folder = Self::new();
        folder.write(ACCEPTS.0, ACCEPTS.1);
        folder
    }

    /// A repository with one commit that holds these files.
    pub(crate) fn with_git(files: &[(&str, &str)]) -> Self {
        let folder = Self(testbench::Folder::repository("gate-run-"));
        for (name, text) in files {
            folder.write(name, text);
        }
        folder.commit_all("start");
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.root()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        self.text(name)
    }

    /// The program in this folder, with an otherwise empty environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gate-run"));
        command.args(args).current_dir(self.path()).env_clear().stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Got {
        Got::of(self.command(args))
    }

    /// Runs with this on standard input.
    pub(crate) fn feed(&self, args: &[&str], input: &str) -> Got {
        Got::fed(self.command(args), input)
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

/// What a gate says of itself.
pub(crate) trait Verdict {
    /// The only line, whose status and reason are these.
    fn is(&self, status: &str, reason: &str) -> Value;
}

impl Verdict for Got {
    #[track_caller]
    fn is(&self, status: &str, reason: &str) -> Value {
        let gate = self.json();
        assert_eq!((&gate["status"], &gate["stop_reason"]), (&status.into(), &reason.into()), "{gate}");
        gate
    }
}
