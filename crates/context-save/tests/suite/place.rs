//! A folder with a plan, and orders about its tasks.

use serde_json::{Value, json};
use std::process::Command;
use testbench::{Folder, Got};

pub(crate) struct Place {
    folder: Folder,
}

impl std::ops::Deref for Place {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}

impl Place {
    pub(crate) fn with(plan: &str) -> Self {
        let place = Self { folder: Folder::new("context-save-") };
        place.write("PLAN.md", plan);
        place
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.folder.command(env!("CARGO_BIN_EXE_context-save"), args)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Got {
        Got::of(self.command(args))
    }

    /// An order about a task of a plan, with what its worker and the checks said.
    pub(crate) fn order(&self, plan: &str, id: &str, worker: &Value, verdict: &str) -> Value {
        let plan = dialects::open(&self.path(plan), self.root(), None).unwrap();
        let mut order = testbench::order(&plan, id);
        let mut said = json!({ "status": "SUCCESS", "outcome": "done", "name": "w", "duration_ms": 1 });
        for (key, value) in worker.as_object().unwrap() {
            said[key] = value.clone();
        }
        order["worker"] = said;
        order["verdict"] = json!({ "status": verdict, "coverage": { "ran": 1, "manual": 0, "skipped": 0 } });
        order
    }

    /// The tool as a stage, with these orders.
    pub(crate) fn stage(&self, name: &str, orders: &[Value]) -> Got {
        let lines: Vec<String> = orders.iter().map(|order| format!("{order}\n")).collect();
        self.write(name, lines.concat());
        self.run(&[name])
    }
}
