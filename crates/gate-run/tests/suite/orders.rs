//! On orders: the plan's own checks, whatever the worker says.

use crate::harness::{Folder, Got};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

/// A repository with a plan of one task that has these criteria.
fn plan(criteria: &[&str], files: &[(&str, &str)]) -> Folder {
    let boxes = criteria.iter().map(|text| format!("- [ ] {text}")).collect::<Vec<_>>().join("\n");
    let text = format!(
        "# Small\n\n## TODOs\n\n### [ ] TODO 1: Make it\n\n**Type**: work\n\n**Acceptance Criteria**:\n\n*Functional:*\n{boxes}\n"
    );
    Folder::with_git(&[&[("PLAN.md", text.as_str())], files].concat())
}

/// The order for that task, with the worker's answer.
fn order(folder: &Folder, worker: Option<&Value>) -> Value {
    let root = folder.path().canonicalize().unwrap();
    let plan = dialects::open(&root.join("PLAN.md"), &root, None).unwrap();
    let mut order = json!({
        "schema": "order/1", "run": "r1", "attempt": 1, "why": {"ready": "no dependencies"},
        "plan": {"path": "PLAN.md", "dialect": plan.source.dialect, "root": root},
        "task": plan.tasks[0],
    });
    if let Some(claims) = worker {
        order["worker"] = json!({"status": "SUCCESS", "outcome": "done", "duration_ms": 1, "claims": claims});
    }
    order
}

fn stream(order: &Value) -> String {
    format!("{order}\n{}\n", json!({"schema": "end/1", "answer": "more", "orders": 1}))
}

pub(crate) fn judged(folder: &Folder, claims: Option<&Value>, args: &[&str]) -> Value {
    folder.feed(args, &stream(&order(folder, claims))).exits(0).lines().remove(0)
}

fn types(folder: &Folder) -> Vec<String> {
    folder
        .ledger()
        .iter()
        .map(|r| format!("{} {}", r["type"].as_str().unwrap(), r["trust"].as_str().unwrap()))
        .collect()
}

#[test]
fn a_comparison_never_reaches_the_shell() {
    let folder = plan(&["`grep -c x a` → >= 2", "`wc -l < a` → 3"], &[("a", "x\nx\ny\n")]);
    let line = judged(&folder, None, &[]);
    assert_eq!(line["verdict"]["status"], json!("verified"), "{line}");
    assert_eq!(line["verdict"]["coverage"], json!({"ran": 2, "manual": 0, "skipped": 0}));
    assert!(!folder.has("= 2") && !folder.has("="));
    assert_eq!(types(&folder), ["gate_pass observed", "gate_pass observed"]);
}

#[test]
fn each_line_of_a_block_must_hold_and_not_the_last_alone() {
    for (lines, status) in [
        ("test -f made\n  test -f a", "failed"),
        ("test -f a\n  if test -f made; then\n  false\n  fi", "verified"),
    ] {
        let folder = plan(&[&format!("Verify:\n  ```sh\n  {lines}\n  ```")], &[("a", "")]);
        assert_eq!(judged(&folder, None, &[])["verdict"]["status"], json!(status), "{lines}");
    }
}

#[test]
fn a_claim_that_is_not_true_is_a_mismatch() {
    let folder = plan(&["`test -f made`"], &[]);
    let line = judged(&folder, Some(&json!([{"command": "test -f made", "status": "PASS"}])), &[]);
    assert_eq!(
        (&line["verdict"]["status"], &line["halt"]["category"]),
        (&json!("failed"), &json!("code_error"))
    );
    assert_eq!(line["verdict"]["mismatches"], json!(["1:1"]));
}

#[test]
fn nothing_to_run_is_no_pass_and_accepting_it_is_on_record() {
    let folder = plan(&["It looks right"], &[]);
    let line = judged(&folder, None, &[]);
    assert_eq!((&line["verdict"]["status"], &line["halt"]["code"]), (&json!("unproved"), &json!("unproved")));
    let line = judged(&folder, None, &["--accept-unproved", "I looked"]);
    assert!(line.get("halt").is_none(), "{line}");
    let ledger = folder.ledger();
    let last = ledger.last().unwrap();
    assert_eq!((&last["type"], &last["data"]["reason"]), (&json!("override"), &json!("I looked")));
}

#[test]
fn a_workers_own_command_is_shown_and_never_run() {
    let folder = plan(&["It looks right"], &[]);
    let claim = json!([{"id": "1:1", "command": "echo > ran", "status": "PASS"}]);
    let line = judged(&folder, Some(&claim), &[]);
    let result = &line["verdict"]["criteria"][0];
    assert_eq!((&result["status"], &result["source"]), (&json!("manual"), &json!("worker")));
    assert_eq!(result["command"], json!("echo > ran"));
    assert_eq!(result["reason"], json!("reported by the worker, not run"));
    assert_eq!(line["verdict"]["status"], json!("unproved"));
    assert!(!folder.path().join("ran").exists(), "the worker got a shell");
}

#[test]
fn a_workers_own_command_that_fails_fails_where_such_commands_are_run() {
    let folder =
        plan(&["It looks right"], &[("plantools.toml", "[defaults]\naccept = \"worker-commands\"\n")]);
    let line = judged(&folder, Some(&json!([{"id": "1:1", "command": "false", "status": "PASS"}])), &[]);
    assert_eq!(
        (&line["verdict"]["status"], &line["verdict"]["mismatches"]),
        (&json!("failed"), &json!(["1:1"]))
    );
}

#[test]
fn a_workers_own_command_counts_where_the_configuration_says_so_as_an_override() {
    let folder =
        plan(&["It looks right"], &[("plantools.toml", "[defaults]\naccept = \"worker-commands\"\n")]);
    let line = judged(&folder, Some(&json!([{"id": "1:1", "command": "true", "status": "PASS"}])), &[]);
    assert!(line.get("halt").is_none(), "{line}");
    assert_eq!(line["verdict"]["criteria"][0]["status"], json!("pass"));
    assert_eq!(types(&folder), ["gate_pass typed", "override typed"]);
}

#[test]
fn a_task_gate_is_fixed_once_and_everything_runs_again_on_that_tree() {
    let text = "[[gates]]\nid = \"format\"\ninvocation = \"grep -q tidy a\"\nfix = \"echo tidy > a\"\nwhen = [\"task\"]\n";
    let folder = plan(&["`test -f a`"], &[("plantools.toml", text), ("a", "untidy-not\n")]);
    folder.write("a", "no\n");
    let line = judged(&folder, None, &[]);
    assert_eq!(line["verdict"]["status"], json!("verified"), "{line}");
    let gate = &line["verdict"]["gates"][1];
    assert_eq!((&gate["gate_id"], &gate["attempts"]), (&json!("gate:format"), &json!(2)));
    assert_eq!(gate["fix"], json!("echo tidy > a (exit 0)"));
}

#[test]
fn a_check_that_changes_files_is_a_fault() {
    let folder = plan(&["`echo 2 > a` → exit 0"], &[("a", "1")]);
    let line = judged(&folder, None, &[]);
    assert_eq!(
        (&line["verdict"]["status"], &line["halt"]["code"]),
        (&json!("fault"), &json!("checks-fault"))
    );
    let message = line["halt"]["message"].as_str().unwrap();
    assert!(message.starts_with("no verdict: 1:1, ") && message.len() > 20, "{message}");
    assert_eq!(line["verdict"]["gates"][0]["stop_reason"], json!("tree_moved"));
}

#[test]
fn a_missing_secret_halts_without_another_attempt() {
    let script = "echo SHOP_API_KEY is not set >&2\nexit 1\n";
    let folder = plan(&["`sh ./call.sh`"], &[("call.sh", script)]);
    let line = judged(&folder, None, &[]);
    assert_eq!((&line["halt"]["code"], &line["halt"]["retry"]), (&json!("secret-missing"), &json!(false)));
}

#[test]
fn a_crash_is_nobodys_fault_yet() {
    let folder = plan(&["`kill -SEGV $$` → exit 0"], &[]);
    let line = judged(&folder, None, &[]);
    assert_eq!(
        (&line["verdict"]["status"], &line["halt"]["category"]),
        (&json!("failed"), &json!("unknown")),
        "{line}"
    );
}

#[test]
fn a_term_ends_the_check_and_leaves_a_halt_that_does_not_count() {
    let folder = plan(&["`touch .git/up && sleep 60` → exit 0", "`test -f PLAN.md`"], &[]);
    let mut command = folder.command(&["--grace-seconds", "1"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stream(&order(&folder, None)).as_bytes()).unwrap();
    crate::torture::until("the check is up", || folder.has(".git/up"));
    crate::torture::signal(&child, "TERM");
    let got = Got::from(&child.wait_with_output().unwrap(), Duration::ZERO);
    got.exits(0);
    let line = got.lines().remove(0);
    assert_eq!(
        (&line["halt"]["code"], &line["halt"]["counts"]),
        (&json!("interrupted"), &json!(false)),
        "{line}"
    );
    assert_eq!(line["verdict"]["gates"][1]["stop_reason"], json!("interrupted"));
    assert_eq!(types(&folder), ["gate_fault observed", "gate_fault observed", "halt observed"]);
}

#[test]
fn what_was_not_kept_is_not_judged_as_if_nobody_had_printed_it() {
    let long = "head -c 3000000 /dev/zero | tr '\\0' 'x' | fold -w 99; echo 17 errors\n";
    let files = [("long.sh", long), ("plantools.toml", "[logs]\nfile_megabytes = 1\n")];
    for (check, status, word) in [
        ("`sh long.sh` → 0 errors", "fault", "printed more than is kept"),
        ("`sh long.sh` → valid JSON", "fault", "printed more than is kept"),
        ("`echo first; sh long.sh` → `first`", "verified", ""),
        ("`sh long.sh` → `never`", "fault", "printed more than is kept"),
        ("`sh long.sh` → exit 0", "verified", ""),
    ] {
        let line = judged(&plan(&[check], &files), None, &[]);
        assert_eq!(line["verdict"]["status"], json!(status), "{check}: {line}");
        assert!(line["verdict"]["gates"][0]["measured"].as_str().unwrap().contains(word), "{check}: {line}");
    }
}

#[test]
fn a_pipe_does_not_hide_what_a_runner_of_tests_reports() {
    let report = "echo 'test result: FAILED. 5 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s'\n";
    // The status of the pipe says nothing about the tests, so that the first is unclear.
    for (check, status) in
        [("`sh t.sh | tail -1` → all tests pass", "unproved"), ("`sh t.sh | tail -1` → 0 failed", "failed")]
    {
        let line = judged(&plan(&[check], &[("t.sh", report)]), None, &[]);
        assert_eq!(line["verdict"]["status"], json!(status), "{check}: {line}");
    }
}

#[test]
fn a_script_that_is_not_there_fails_nothing() {
    for check in ["`sh reject.sh --bad` → exit code 2", "`sh reject.sh` fails", "`bash reject.sh` → exit ≠ 0"]
    {
        let line = judged(&plan(&[check], &[]), None, &[]);
        assert_eq!(line["verdict"]["status"], json!("fault"), "{check}: {line}");
    }
    // The file that should be gone is gone.
    let line = judged(&plan(&["`cat gone.txt` fails"], &[]), None, &[]);
    assert_eq!(line["verdict"]["status"], json!("verified"), "{line}");
}

#[test]
fn an_unclear_check_holds_the_box_unless_a_person_judges_it() {
    let folder = plan(&["`test -f PLAN.md`", "`make report` → looks fine"], &[]);
    let line = judged(&folder, None, &[]);
    assert_eq!(line["halt"]["code"], json!("unclear-check"), "{line}");
    assert_eq!((&line["halt"]["retry"], &line["halt"]["counts"]), (&json!(false), &json!(false)));
    let message = line["halt"]["message"].as_str().unwrap();
    assert!(message.contains("line 13") && message.contains("write: `make report` → "), "{message}");
    assert_eq!(types(&folder), ["halt observed"], "nothing is run");
    let line = judged(&folder, None, &["--unclear-note", "looked at it"]);
    assert_eq!(line["verdict"]["status"], json!("verified"), "{line}");
    let note = folder.ledger().into_iter().find(|r| r["key"] == "unclear-note").unwrap();
    assert_eq!((&note["type"], &note["data"]["reason"]), (&json!("override"), &json!("looked at it")));
}
