//! A folder with a plan, and orders about its tasks.

use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

impl Place {
    pub(crate) fn with(plan: &str) -> Self {
        // In memory where that can be had: these tests are not about how fast a disk syncs.
        let named = || {
            let mut builder = tempfile::Builder::new();
            builder.prefix("context-save-");
            builder
        };
        let in_memory = named().tempdir_in("/dev/shm");
        let place = Self { folder: in_memory.unwrap_or_else(|_| named().tempdir().unwrap()) };
        place.write("PLAN.md", plan);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[expect(clippy::disallowed_methods, reason = "what a test sets up needs no atomic replacement")]
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_context-save"));
        command.args(args).current_dir(self.folder.path()).stdin(Stdio::null());
        command.env("PLANTOOLS_NOW", "2026-01-31T12:00:00Z").env("PLANTOOLS_RUN", "r1");
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Got {
        Got::of(&self.command(args).output().unwrap())
    }

    /// An order about a task of a plan, with what its worker and the checks said.
    pub(crate) fn order(&self, plan: &str, id: &str, worker: &Value, verdict: &str) -> Value {
        let root = self.folder.path().canonicalize().unwrap();
        let plan = dialects::open(&root.join(plan), &root, None).unwrap();
        let task = plan.tasks.iter().find(|task| task.id.as_str() == id).unwrap();
        let mut said = json!({ "status": "SUCCESS", "outcome": "done", "name": "w", "duration_ms": 1 });
        for (key, value) in worker.as_object().unwrap() {
            said[key] = value.clone();
        }
        json!({
            "schema": "order/1", "run": "r1",
            "plan": { "path": plan.source.path, "dialect": plan.source.dialect, "root": plan.source.root },
            "task": task, "attempt": 1, "why": { "ready": "no dependencies" }, "worker": said,
            "verdict": { "status": verdict, "coverage": { "ran": 1, "manual": 0, "skipped": 0 } },
        })
    }

    /// The tool as a stage, with these orders.
    pub(crate) fn stage(&self, name: &str, orders: &[Value]) -> Got {
        let lines: Vec<String> = orders
            .iter()
            .map(|order| {
                format!(
                    "{order}
"
                )
            })
            .collect();
        self.write(name, lines.concat());
        self.run(&[name])
    }
}

/// What came of a command.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Got {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> &Self {
        assert!(self.err.contains(text) || self.out.contains(text), "no '{text}' in {self:?}");
        self
    }
}
