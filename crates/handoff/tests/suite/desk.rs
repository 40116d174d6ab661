//! A project in a temporary folder, orders of its plans, and the real program on them.

use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};
use testbench::{Folder, Got, NOW};

/// A project.
pub(crate) struct Desk {
    folder: Folder,
}

impl std::ops::Deref for Desk {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}

impl Desk {
    /// A project with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let desk = Self { folder: Folder::new("handoff-") };
        for (path, text) in files {
            desk.write(path, text);
        }
        desk
    }

    /// Reads a file.
    pub(crate) fn read(&self, path: &str) -> String {
        self.text(path)
    }

    /// The order of a task, as `dag-next` writes it.
    pub(crate) fn order(&self, plan: &str, id: &str) -> Value {
        let plan = dialects::open(&self.path(plan), self.root(), None).unwrap();
        testbench::order(&plan, id)
    }

    /// Runs the program on one order.
    pub(crate) fn handoff(&self, args: &[&str], order: &Value) -> Got {
        let file =
            self.root().join("../").join(format!("{}.order", self.root().file_name().unwrap().display()));
        fs::write(&file, format!("{order}\n")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_handoff"));
        command.args(["--now", NOW]).args(args).arg(&file).stdin(Stdio::null());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let got = Got::of(command);
        fs::remove_file(&file).unwrap();
        got
    }

    /// The prompt of an order.
    pub(crate) fn prompt(&self, args: &[&str], order: &Value) -> String {
        let all: Vec<&str> = std::iter::once("--prompt").chain(args.iter().copied()).collect();
        let got = self.handoff(&all, order);
        assert_eq!(got.code, 0, "{}", got.err);
        got.out
    }

    /// The order with its `handoff`, and the packet.
    pub(crate) fn packet(&self, args: &[&str], order: &Value) -> (Value, Value) {
        let got = self.handoff(args, order);
        assert_eq!(got.code, 0, "{}", got.err);
        let order: Value = serde_json::from_str(&got.out).unwrap();
        let path = order["handoff"]["packet"]["path"].as_str().unwrap_or_else(|| panic!("{order:#}"));
        let packet = serde_json::from_str(&self.read(path)).unwrap();
        (order, packet)
    }
}
