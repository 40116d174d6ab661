//! The folder that a run of a case leaves, and its ledger.

use crate::{Case, Far};
use dialects::Ask;
use ledger::{Entry, Ledger};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;
use testbench::{git, write};
use toolkit::files::root::Home;
use wire::punch::{SourceKind, Trust, Type};
use wire::{Plan, RunId};

/// The workers: a machine for each task in turn, and the lease of their claims.
#[derive(Clone, Copy, Default)]
pub(crate) struct Crew {
    pub(crate) hosts: &'static [&'static str],
    pub(crate) lease: Option<u64>,
}

/// The folder that a run of a case leaves.
pub(crate) struct House {
    pub(crate) folder: TempDir,
    plan: PathBuf,
    pub(crate) parsed: Plan,
    crew: Crew,
    pub(crate) run: &'static str,
    now: i64,
}

impl House {
    pub(crate) fn of(case: &Case, far: Far) -> Self {
        Self::on(case, far, Crew::default())
    }

    pub(crate) fn on(case: &Case, far: Far, crew: Crew) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in case.files {
            write(folder.path(), path, marked(text, case, far));
        }
        if case.name == "runbook" {
            write(folder.path(), "plans/tally/progress.md", progress(far));
            let reports = ["1", "2", "3"].map(|step| format!("plans/tally/reports/step-{step}.md"));
            let made = ["list.txt", "sum.txt", "tell.sh"].map(str::to_owned);
            for made in reports.iter().chain(&made) {
                write(folder.path(), made, "made\n");
            }
        }
        if case.name == "workflow" {
            for id in ["IMPL-1", "IMPL-2", "IMPL-3"] {
                write(folder.path(), &format!("{}/.task/{id}.json", case.plan), detail(id, far));
            }
        }
        let root = folder.path().canonicalize().unwrap();
        git(&root, &["init", "-q"]);
        let plan = root.join(case.plan);
        let load = if case.name == "workflow" {
            vec!["IMPL-1".into(), "IMPL-2".into(), "IMPL-3".into()]
        } else {
            Vec::new()
        };
        let parsed = dialects::open_with(&plan, &root, &Ask { load, ..Ask::default() }).unwrap();
        let mut house = Self { folder, plan, parsed, crew, run: "r1", now: 0 };
        house.tell(far);
        git(&root, &["add", "-A"]);
        git(&root, &["commit", "-q", "-m", "start"]);
        house
    }

    /// Adds to the plan's text.
    pub(crate) fn add(&mut self, text: &str) {
        let mut plan = std::fs::read_to_string(&self.plan).unwrap();
        plan.push_str(text);
        std::fs::write(&self.plan, plan).unwrap();
        self.parsed = dialects::open_with(&self.plan, self.folder.path(), &Ask::default()).unwrap();
    }

    pub(crate) fn report(&self, format: &str) -> String {
        self.answer(&["--final", "--format", format], 0)
    }

    /// The output of `run-report` with these arguments, whose exit code must be `exit`.
    pub(crate) fn answer(&self, args: &[&str], exit: i32) -> String {
        let tool = env!("CARGO_BIN_EXE_run-report");
        let run = Command::new(tool)
            .args(["--now", "2026-02-01T00:00:00Z"])
            .args(args)
            .arg(self.plan.strip_prefix(self.folder.path().canonicalize().unwrap()).unwrap())
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .output()
            .unwrap();
        assert_eq!(run.status.code(), Some(exit), "{}", String::from_utf8_lossy(&run.stderr));
        String::from_utf8(run.stdout).unwrap()
    }

    fn tell(&mut self, far: Far) {
        self.attempt(0, 1, &[("1", true)]);
        self.tick(0, 1);
        self.attempt(1, 1, &[("1", false), ("2", true)]);
        self.halt(1, 1, "checks failed: 2:1", &["2:1"]);
        self.attempt(1, 2, &[("1", true), ("2", true)]);
        self.tick(1, 2);
        if far == Far::Done {
            self.attempt(2, 1, &[("1", true)]);
            self.tick(2, 1);
        } else {
            for attempt in 1..=3 {
                self.attempt(2, attempt, &[("1", false)]);
                self.halt(2, attempt, "checks failed: 3:1", &[]);
            }
            self.record(2, Type::Escalation, "user", None, json!({ "to": "user" }));
        }
        self.record(0, Type::GatePass, "gate:lint", Some(1), json!({ "gate": { "elapsed_seconds": 1.0 } }));
    }

    /// An attempt whose worker runs for a minute, and these checks.
    pub(crate) fn attempt(&mut self, task: usize, attempt: u32, checks: &[(&str, bool)]) {
        let mut begun = json!({ "worker": "shell" });
        if let Some(host) = self.crew.hosts.get(task % self.crew.hosts.len().max(1)) {
            let name = format!("{task}-{attempt}");
            begun = json!({
                "worker": "shell", "host": host, "place": host, "pid": 1, "start_time": 2, "lease_seconds": self.crew.lease,
                "worktree": { "path": format!(".plantools/worktrees/{name}"), "branch": format!("plantools/{name}"), "base": "0" },
            });
        }
        self.record(task, Type::AttemptBegin, "shell", Some(attempt), begun);
        self.now += 60;
        let file = ["list.txt", "sum.txt", "tell.sh"][task];
        let ended =
            json!({ "status": "SUCCESS", "outcome": "done", "duration_ms": 60_000, "changed_files": [file] });
        self.record(task, Type::AttemptEnd, "shell", Some(attempt), ended);
        for (number, passed) in checks {
            let (kind, measured) =
                if *passed { (Type::GatePass, "exit 0") } else { (Type::GateFail, "exit 1") };
            let gate =
                json!({ "gate": { "elapsed_seconds": 2.5, "invocation": "a check", "measured": measured } });
            let key = format!("{}:{number}", self.parsed.tasks[task].id);
            self.now += 3;
            self.record(task, kind, &key, Some(attempt), gate);
        }
    }

    pub(crate) fn halt(&mut self, task: usize, attempt: u32, message: &str, claims: &[&str]) {
        let halt = json!({ "stage": "gate-run", "code": "checks-failed", "category": "code_error", "message": message, "retry": true, "counts": true });
        self.record(
            task,
            Type::Halt,
            "checks-failed",
            Some(attempt),
            json!({ "halt": halt, "detail": { "mismatches": claims } }),
        );
    }

    pub(crate) fn tick(&mut self, task: usize, attempt: u32) {
        self.record(task, Type::Tick, "tick", Some(attempt), json!({ "tick": { "changed": true } }));
        let commit = ["1111111111111111", "2222222222222222", "3333333333333333"][task];
        self.record(task, Type::Commit, commit, None, Value::Null);
    }

    pub(crate) fn record(&mut self, task: usize, kind: Type, key: &str, attempt: Option<u32>, data: Value) {
        let root = self.folder.path().canonicalize().unwrap();
        let task = &self.parsed.tasks[task];
        let entry = Entry {
            plan: self.parsed.source.path.clone(),
            task: Some(task.id.clone()),
            fingerprint: Some(task.fingerprint.clone()),
            attempt,
            run: RunId(self.run.into()),
            kind,
            key: key.to_owned(),
            observed_at: toolkit::cli::clock::at_millis(1_769_860_800_000 + self.now * 1000).unwrap(),
            tree: None,
            source: SourceKind::Tool,
            source_path: None,
            trust: Trust::Observed,
            data,
            source_hash: None,
        };
        Ledger::new(Home::of(&root).unwrap()).append(entry).unwrap();
    }
}

fn marked(text: &str, case: &Case, far: Far) -> String {
    let last = if far == Far::Done { case.done } else { case.open };
    text.replace("@1@", case.done).replace("@2@", case.done).replace("@3@", last)
}

fn progress(far: Far) -> String {
    let third =
        if far == Far::Done { "- ✓ Step 3: Tell it - Completed at 2026-01-31T12:10:00Z\n" } else { "" };
    format!(
        "# Runbook Execution Progress\n\n**Runbook**: tally\n\n## Step Execution\n\n- ✓ Step 1: Write the list - Completed at 2026-01-31T12:01:00Z\n- ✓ Step 2: Add it up - Completed at 2026-01-31T12:03:00Z\n{third}"
    )
}

fn detail(id: &str, far: Far) -> String {
    let done = id != "IMPL-3" || far == Far::Done;
    let before = match id {
        "IMPL-2" => json!(["IMPL-1"]),
        "IMPL-3" => json!(["IMPL-2"]),
        _ => json!([]),
    };
    let detail = json!({
        "id": id, "title": match id { "IMPL-1" => "Write the list", "IMPL-2" => "Add it up", _ => "Tell it" },
        "status": if done { "completed" } else { "pending" },
        "meta": { "type": "feature", "agent": "@code-developer" },
        "context": { "requirements": ["it is there"], "focus_paths": ["."], "acceptance": ["it is there"], "depends_on": before },
        "flow_control": { "pre_analysis": if id == "IMPL-2" { json!([{ "step": "look", "command": "ls", "output_to": "seen" }]) } else { json!([]) }, "implementation_approach": [], "target_files": ["list.txt"] },
    });
    format!("{}\n", serde_json::to_string_pretty(&detail).unwrap())
}
