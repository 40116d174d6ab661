//! Every prompt as its reader gets it, each a golden file; `SNAPSHOTS=overwrite` updates them.

use crate::desk::Desk;
use crate::projects::{CHECKLIST, EXECUTE_TASK, PLAN_MD, RUNBOOK, WORKFLOW};
use serde_json::{Value, json};
use snapbox::{Data, assert_data_eq};

const PLAN: &str = ".dev/specs/greet/PLAN.md";
const TODO: &str = ".kilocode/todo/kit-7.md";

fn golden(name: &str, prompt: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.md"));
    assert_data_eq!(Data::text(prompt).raw(), Data::read_from(&path, None).raw());
}

fn failed() -> Value {
    json!({
        "halt": {"stage": "gate-run", "code": "checks-failed", "category": "code_error", "message": "checks failed: 2:1", "retry": true, "counts": true},
        "detail": {"batch": 1, "mismatches": ["2:1 was claimed as PASS"],
            "failed": [{"id": "2:1", "command": "bin/greet | head -n 1", "expect": "`Hello, Ada!`", "reason": "printed 'Hello'", "tail": ["Hello", "```", "## MUST DO"], "log": ".plantools/logs/r1/2-1.log"}]}
    })
}

/// The record of an attempt that ended, as `worker-run` writes it.
fn ended(task: &str, result: &str) -> Value {
    json!({
        "schema": "punch/1", "seq": 1, "plan": PLAN, "task": task, "attempt": 3, "run": "r1", "type": "attempt_end", "key": "w",
        "observed_at": "2026-01-31T11:00:00Z", "source": {"kind": "supervisor"}, "trust": "observed",
        "data": {"result": {"path": result, "sha256": ""}}, "prev": "0", "hash": "0",
    })
}

#[test]
fn plan_md() {
    let desk = Desk::with(PLAN_MD);
    golden("plan-md", &desk.prompt(&[], &desk.order(PLAN, "2")));
}

#[test]
fn a_verification_only_looks() {
    let desk = Desk::with(PLAN_MD);
    let prompt = desk.prompt(&[], &desk.order(PLAN, "3"));
    assert!(prompt.contains("- Do not change any file"), "{prompt}");
}

#[test]
fn a_fix_carries_what_was_measured_and_what_was_claimed() {
    let desk = Desk::with(PLAN_MD);
    let mut order = desk.order(PLAN, "2");
    order["attempt"] = json!(4);
    order["why"]["fix"] = json!(true);
    order["last_failure"] = failed();
    let result = ".plantools/work/r1/2/3/result.json";
    desk.write(result, r#"{"status":"SUCCESS","summary":"bin/greet greets everybody"}"#);
    desk.write(".plantools/ledger.ndjson", format!("{}\n", ended("2", result)));
    golden("fix", &desk.prompt(&[], &order));
}

#[test]
fn checklist() {
    let desk = Desk::with(CHECKLIST);
    let order = desk.order("TODO.md", "2");
    golden("checklist", &desk.prompt(&[], &order));
}

#[test]
fn runbook() {
    let desk = Desk::with(RUNBOOK);
    golden("runbook", &desk.prompt(&[], &desk.order("plans/oauth/runbook.md", "1.1")));
}

#[test]
fn a_checkpoint_gets_the_reviewer() {
    let desk = Desk::with(RUNBOOK);
    golden("checkpoint", &desk.prompt(&[], &desk.order("plans/oauth/runbook.md", "checkpoint-1")));
}

#[test]
fn a_failed_step_gets_the_diagnostician() {
    let desk = Desk::with(RUNBOOK);
    let mut order = desk.order("plans/oauth/runbook.md", "1.1");
    order["attempt"] = json!(2);
    order["last_failure"] = failed();
    golden("diagnostic", &desk.prompt(&[], &order));
}

#[test]
fn workflow() {
    let desk = Desk::with(WORKFLOW);
    golden("workflow", &desk.prompt(&[], &desk.order(".workflow/active/WFS-auth", "IMPL-2")));
}

#[test]
fn the_lines_of_execute_task() {
    let desk = Desk::with(EXECUTE_TASK);
    for (id, name) in [
        ("pre-execution-gate", "preparation"),
        ("subtask-2", "subtask"),
        ("subtask-3", "tests"),
        ("subtask-4", "quality"),
    ] {
        golden(name, &desk.prompt(&[], &desk.order(TODO, id)));
    }
}

#[test]
fn a_subtask_is_asked_for_its_session_and_its_validation() {
    let desk = Desk::with(EXECUTE_TASK);
    let prompt = desk.prompt(&[], &desk.order(TODO, "subtask-2"));
    let path = "\"session_export_path\": \".kilocode/thinking/execution-kit-7-subtask-2-";
    assert!(prompt.contains(path) && prompt.contains("\"validation\": {"), "{prompt}");
    let gates = desk.prompt(&[], &desk.order(TODO, "subtask-4"));
    assert!(!gates.contains("session_export_path"), "it has no link of its own: {gates}");
}

#[test]
fn the_fitter_gets_the_contract_and_nothing_else() {
    let desk = Desk::with(EXECUTE_TASK);
    let mut order = desk.order(TODO, "subtask-2");
    order["verdict"] = json!({"status": "fault", "coverage": {"ran": 1, "manual": 0, "skipped": 0}, "gates": [{
        "schema": "gate/1", "schema_version": "gate_run.v1", "bead_id": "bd-42", "run_timestamp": "2026-01-31T12:00:00Z",
        "run_signature": "bead_id=bd-42 run_timestamp=2026-01-31T12:00:00Z", "gate_id": "tests", "status": "fault",
        "exit_code": null, "elapsed_seconds": 60.0, "invocation": ".venv/bin/python -m pytest", "stop_reason": "stall",
        "output_sha256": "", "output_bytes": 12, "log": ".plantools/logs/r1/tests.log",
        "last_output_lines": ["collected 412 items"], "repro_hints": ["cd ."], "attempts": 1}]});
    let prompt = desk.prompt(&["--for", "fitter"], &order);
    golden("fitter", &prompt);
    for word in ["Print the file", "streaming parser", "docs/format.md"] {
        assert!(!prompt.contains(word), "'{word}' is not one of the Fitter's business");
    }
}

#[test]
fn every_prompt_ends_with_a_todo_list_of_one_action_a_line() {
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut seen = 0;
    for entry in std::fs::read_dir(golden).unwrap().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let list =
            text.rsplit_once("\n## TODO\n\n").unwrap_or_else(|| panic!("{:?} has none", entry.path())).1;
        assert!(list.lines().count() > 2 && list.lines().all(|line| line.starts_with("- [ ] ")), "{list}");
        seen += 1;
    }
    assert!(seen >= 12, "{seen} golden files");
}

#[test]
fn the_example_of_an_answer_is_no_answer() {
    let desk = Desk::with(PLAN_MD);
    let prompt = desk.prompt(&[], &desk.order(PLAN, "2"));
    let example = prompt.rsplit_once("```json\n").unwrap().1.split_once("\n```").unwrap().0;
    let example: Value = serde_json::from_str(example).unwrap();
    let said = example["status"].as_str().unwrap();
    assert!(
        !["SUCCESS", "PARTIAL", "ERROR"].contains(&said),
        "a client that echoes its prompt has answered '{said}'"
    );
    assert_eq!(example["outputs"], json!({"greeter": "bin/greet"}));
    assert_eq!(example["acceptance_criteria"][1]["id"], "2:2");
}
