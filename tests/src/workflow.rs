//! A workflow's example project on a bench: its files, a worker by a script, and the story that this worker acts out.

use crate::{Bench, Got, Run, workspace};
use std::path::Path;

impl Bench {
    /// The example of this name below `tests/workflows`, committed, with a stand-in for `bd` that records its calls.
    #[track_caller]
    pub fn workflow(tools: &str, name: &str) -> Self {
        let bench = Self::bare(tools);
        let example = workspace().join("tests/workflows").join(name);
        let copy = |from: &Path, to: &str| {
            let from = from.to_string_lossy();
            bench.command("cp").args(["-R", &from, to]).run().exits(0);
        };
        copy(&example.join("project/."), ".");
        copy(&example.join("answers"), "..");
        copy(&example.join("worker"), "../bin/scripted-worker");
        bench.program("../bin/bd", "#!/bin/sh\necho \"bd $*\" >> ../calls\n");
        bench.git(&["init", "--quiet", "--initial-branch=main"]);
        bench.git(&["config", "user.name", "Test"]);
        bench.git(&["config", "user.email", "test@example.invalid"]);
        bench.commit_all("start");
        bench
    }

    /// Tells the worker what to do: `KEY ATTEMPT DEED`, one a line.
    pub fn story(&self, lines: &str) -> &Self {
        self.write("../story", format!("{lines}\n"))
    }

    /// `orchestrate` with these arguments, at a date that does not change.
    pub fn carry_out(&self, args: &[&str]) -> Run {
        self.command("orchestrate").args(args).env("PLANTOOLS_NOW", "2026-01-31T12:00:00Z").within(120)
    }

    /// The records of a type, as `task key`.
    #[track_caller]
    pub fn keys(&self, kind: &str) -> Vec<String> {
        let word = |record: &serde_json::Value, at: &str| record[at].as_str().unwrap_or("").to_owned();
        let of_kind = self.records().into_iter().filter(|r| r["type"] == kind);
        of_kind.map(|r| format!("{} {}", word(&r, "task"), word(&r, "key")).trim().to_owned()).collect()
    }

    /// Runs `line` of bash and fails unless it ends with this code.
    #[track_caller]
    pub fn check(&self, line: &str, code: i32) -> Got {
        let got = self.sh(line).run();
        got.exits(code);
        got
    }
}
