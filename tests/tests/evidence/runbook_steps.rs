//! The steps of a runbook through the real pipe: what a step must leave behind is looked at right after its worker.

use pipeline_tests::{Bench, bench};
use serde_json::Value;

const PLAN: &str = "\
---
name: widget
model: haiku
---

# Widget Runbook

## Common Context

Shared words.

### Phase 1: Parser (type: general)

## Step 1.1: Make it

**Objective**: There is a file.

**Report Path**: `plans/x/reports/step-1-1.md`

**Verify GREEN:** `test -f made`
";

/// What an honest worker does.
const WORK: &str = "mkdir -p plans/x/reports\necho done > made\necho ok > plans/x/reports/step-1-1.md\n";
const COMMIT: &str =
    "git add -A\ngit -c user.name=W -c user.email=w@example.com commit -q -m 'Step 1.1' || exit 1\n";
const SUCCESS: &str = r#"echo '{"status":"SUCCESS"}'"#;

#[test]
fn a_step_that_leaves_all_in_place_is_verified() {
    let verdict = verdict(&bench_with(&format!("{WORK}{COMMIT}")));
    assert_eq!(verdict["status"], "verified", "{verdict}");
    let checks = ["step:clean-tree", "step:report", "step:head-moved"];
    assert!(checks.iter().all(|check| status(&verdict, check) == "pass"), "{verdict}");
}

#[test]
fn uncommitted_changes_fail_the_step_and_are_named() {
    let verdict = verdict(&bench_with(&format!("{WORK}{COMMIT}echo more > left-over\n")));
    assert_eq!(status(&verdict, "step:clean-tree"), "fail");
    assert!(verdict.to_string().contains("uncommitted changes: left-over"), "{verdict}");
}

#[test]
fn a_report_that_is_missing_fails_the_step() {
    let verdict = verdict(&bench_with(&format!("echo done > made\n{COMMIT}")));
    assert_eq!((status(&verdict, "step:report"), status(&verdict, "step:clean-tree")), ("fail", "pass"));
}

#[test]
fn a_report_that_is_not_in_the_commit_fails_the_step() {
    let commit = COMMIT.replace("add -A", "add made");
    let verdict = verdict(&bench_with(&format!("{WORK}{commit}")));
    assert_eq!(status(&verdict, "step:report"), "fail", "{verdict}");
}

#[test]
fn a_step_without_a_commit_fails() {
    let verdict = verdict(&bench_with("echo done > made\n"));
    assert_eq!((status(&verdict, "step:head-moved"), status(&verdict, "step:clean-tree")), ("fail", "fail"));
    assert_eq!(verdict["status"], "failed");
}

#[test]
fn a_submodule_that_is_out_of_place_fails_the_step() {
    let bench = bench_with(&format!("{WORK}{COMMIT}git -C sub checkout -q HEAD~1\n"));
    let line = "git init -q ../home/lib && cd ../home/lib && for i in 1 2; do git -c user.name=W -c user.email=w@example.com commit -q --allow-empty -m $i; done";
    bench.sh(line).run().exits(0);
    let line = "git -c protocol.file.allow=always submodule add -q ../home/lib sub";
    bench.sh(line).run().exits(0);
    bench.commit_all("a submodule");
    let verdict = verdict(&bench);
    assert_eq!(status(&verdict, "step:submodules"), "fail", "{verdict}");
}

/// A repository with the runbook, and a worker that is this script.
fn bench_with(script: &str) -> Bench {
    let bench = bench!(empty);
    bench.sh("mkdir -p plans/x").run().exits(0);
    bench.write("plans/x/runbook.md", PLAN).commit_all("plan");
    bench.program("../home/w.sh", &format!("#!/usr/bin/env bash\ncat > /dev/null\n{script}{SUCCESS}\n"));
    bench
}

/// The verdict of the first round.
fn verdict(bench: &Bench) -> Value {
    let line =
        "plan-parse -q plans/x/runbook.md | dag-next | handoff | worker-run -- ../home/w.sh | gate-run";
    let got = bench.sh(line).run();
    got.exits(0);
    let first = got.out().lines().next().unwrap_or_default().to_owned();
    let order: Value = serde_json::from_str(&first).unwrap_or_else(|e| panic!("{e}: {got:?}"));
    assert!(order["verdict"].is_object(), "{order}");
    order["verdict"].clone()
}

fn status<'a>(verdict: &'a Value, check: &str) -> &'a str {
    let gates = verdict["gates"].as_array().map_or(&[][..], Vec::as_slice);
    let found = gates.iter().find(|gate| gate["gate_id"] == check);
    found.and_then(|gate| gate["status"].as_str()).unwrap_or("absent")
}
