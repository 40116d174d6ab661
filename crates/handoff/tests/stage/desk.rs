//! A project in a temporary folder, orders of its plans, and the real program on them.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A project.
pub(crate) struct Desk {
    folder: TempDir,
}

/// What came of one run.
pub(crate) struct Got {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Desk {
    /// A project with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            desk.write(path, text);
        }
        desk
    }

    /// The project's root.
    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Reads a file.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// The order of a task, as `dag-next` writes it.
    pub(crate) fn order(&self, plan: &str, id: &str) -> Value {
        let plan = dialects::open(&self.root().join(plan), self.root(), None).unwrap();
        let task = plan.tasks.iter().find(|task| task.id.as_str() == id);
        let task = task.unwrap_or_else(|| panic!("no task {id} in {:?}", plan.tasks));
        json!({
            "schema": "order/1", "run": "r1", "attempt": 1, "task": task, "why": { "ready": "no dependencies" },
            "plan": { "path": plan.source.path, "dialect": plan.source.dialect, "root": self.root(), "sha256": plan.source.sha256 },
        })
    }

    /// Runs the program on one order.
    pub(crate) fn handoff(&self, args: &[&str], order: &Value) -> Got {
        let file =
            self.root().join("../").join(format!("{}.order", self.root().file_name().unwrap().display()));
        fs::write(&file, format!("{order}\n")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_handoff"));
        command.args(["--now", "2026-01-31T12:00:00Z"]).args(args).arg(&file);
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let out = command.stdin(Stdio::null()).output().unwrap();
        fs::remove_file(&file).unwrap();
        Got {
            status: out.status.code().unwrap_or(-1),
            stdout: String::from_utf8(out.stdout).unwrap(),
            stderr: String::from_utf8_lossy(&out.stderr).into_owned(),
        }
    }

    /// The prompt of an order.
    pub(crate) fn prompt(&self, args: &[&str], order: &Value) -> String {
        let all: Vec<&str> = std::iter::once("--prompt").chain(args.iter().copied()).collect();
        let got = self.handoff(&all, order);
        assert_eq!(got.status, 0, "{}", got.stderr);
        got.stdout
    }

    /// The order with its `handoff`, and the packet.
    pub(crate) fn packet(&self, args: &[&str], order: &Value) -> (Value, Value) {
        let got = self.handoff(args, order);
        assert_eq!(got.status, 0, "{}", got.stderr);
        let order: Value = serde_json::from_str(&got.stdout).unwrap();
        let path = order["handoff"]["packet"]["path"].as_str().unwrap_or_else(|| panic!("{order:#}"));
        let packet = serde_json::from_str(&self.read(path)).unwrap();
        (order, packet)
    }
}
