//! A temporary folder with files, with or without a git repository.

use crate::{Got, RUN, temporary, write_file};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The time that every tool takes for the present.
pub const NOW: &str = "2026-01-31T12:00:00Z";

/// A temporary folder; removed when dropped.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    _removed_when_dropped: TempDir,
}

impl Folder {
    /// An empty folder; in memory where programs may run there.
    pub fn new(prefix: &str) -> Self {
        Self::at(temporary(prefix))
    }

    /// An empty folder on disk.
    pub fn on_disk(prefix: &str) -> Self {
        Self::at(tempfile::Builder::new().prefix(prefix).tempdir().unwrap())
    }

    fn at(folder: TempDir) -> Self {
        Self { root: folder.path().canonicalize().unwrap(), _removed_when_dropped: folder }
    }

    /// A git repository without a commit.
    pub fn repository(prefix: &str) -> Self {
        let folder = Self::new(prefix);
        folder.git(&["init", "--quiet", "--initial-branch=main"]);
        folder.git(&["config", "user.name", "Test"]);
        folder.git(&["config", "user.email", "test@example.invalid"]);
        folder
    }

    /// The folder itself, without links in its path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Whether there is something of this name.
    pub fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        write(&self.root, name, bytes);
        self
    }

    /// Writes a program.
    pub fn program(&self, name: &str, text: &str) -> &Self {
        self.write(name, text);
        fs::set_permissions(self.path(name), Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// The bytes of a file.
    #[track_caller]
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The text of a file.
    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// A file that is one JSON document.
    #[track_caller]
    pub fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.bytes(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Runs git and returns what it prints.
    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        git(&self.root, args)
    }

    /// Commits every file.
    pub fn commit_all(&self, message: &str) -> &Self {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self
    }

    /// A command in this folder: no standard input, a fixed time and run, no settings of git from outside.
    pub fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = command(&self.root, program);
        command.args(args).env("PLANTOOLS_NOW", NOW).env("PLANTOOLS_RUN", RUN);
        command
    }
}

/// Runs git in a folder, with a name and address, and returns what it prints.
#[track_caller]
pub fn git(root: &Path, args: &[&str]) -> String {
    let mut command = command(root, "git");
    command.args(["-c", "user.name=Test", "-c", "user.email=test@example.invalid"]).args(args);
    let got = Got::of(command);
    assert_eq!(got.code, 0, "git {args:?}: {}", got.err);
    got.out
}

/// Writes a file below a folder, with the folders above it.
pub fn write(root: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    write_file(&path, bytes.as_ref());
}

fn command(root: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root).stdin(Stdio::null()).env("LC_ALL", "C.UTF-8");
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}
