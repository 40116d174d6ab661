//! What halts an order, with the reason; and changes made by the user.

use crate::desk::Desk;
use crate::projects::{EXECUTE_TASK, PLAN_MD, SESSION, WORKFLOW};
use serde_json::{Value, json};
use testbench::NOW;

const PLAN: &str = ".dev/specs/greet/PLAN.md";
const TODO: &str = ".kilocode/todo/kit-7.md";
const PREP: &str = ".kilocode/thinking/task-kit-7-prep-2026-01-30.json";
const LINK: &str = ".kilocode/thinking/execution-kit-7-subtask-1-2026-01-31.json";

fn halt(desk: &Desk, args: &[&str], order: &Value) -> Value {
    let got = desk.handoff(args, order);
    assert_eq!(got.code, 0, "{}", got.err);
    serde_json::from_str::<Value>(&got.out).unwrap()["halt"].clone()
}

#[test]
fn a_reference_without_a_value_halts_with_its_producer_and_why() {
    let desk = Desk::with(PLAN_MD);
    desk.write(".dev/specs/greet/context/outputs.json", r#"{"todo-1":{"languages":[]}}"#);
    let got = desk.handoff(&[], &desk.order(PLAN, "2"));
    let order: Value = serde_json::from_str(&got.out).unwrap();
    assert_eq!(order["halt"]["code"], "unresolved-input");
    let reason = "task '1' saved no 'names_path'; it saved: languages (the plan expects 'config/names.txt')";
    let wanted = json!([{"reference": "${todo-1.outputs.names_path}", "producer": "1", "reason": reason}]);
    assert_eq!(order["handoff"]["unresolved"], wanted);
    assert_eq!(desk.read(".plantools/ledger.ndjson").matches("unresolved-input").count(), 2);
}

#[test]
fn a_token_without_a_value_halts_where_it_is_needed() {
    let plan = "## TODOs\n\n### [ ] TODO 1: T\n\n**Steps**:\n- [ ] explain {{SOME_THING}}\n\n**Acceptance Criteria**:\n\n*Functional:*\n- [ ] `{{MY_RUNNER}} -V` → exit 0\n";
    let desk = Desk::with(&[("PLAN.md", plan)]);
    let order = desk.order("PLAN.md", "1");
    let halt_of = halt(&desk, &[], &order);
    assert_eq!(halt_of["code"], "unresolved-input");
    assert!(
        halt_of["message"].as_str().unwrap().starts_with("'{{MY_RUNNER}}' cannot be resolved"),
        "{halt_of}"
    );
    let prompt = desk.prompt(&["--set", "MY_RUNNER=python3"], &order);
    assert!(prompt.contains("- `{{MY_RUNNER}}` is `python3`"), "{prompt}");
    assert_eq!(halt(&desk, &["--set", "MY_RUNNER=python3"], &order), Value::Null);
}

#[test]
fn no_worker_starts_on_a_chain_that_is_not_whole() {
    let told: [(&str, Option<String>, &str, &str); 5] = [
        (LINK, Some("{\"thoughts\":[".to_owned()), "broken-chain", "cannot be read"),
        (
            LINK,
            Some(SESSION.replace("One way", "No way")),
            "broken-chain",
            "does not begin with the thoughts of",
        ),
        (PREP, Some(SESSION.replace("Conclusion", "Research")), "broken-chain", "does not begin with"),
        (LINK, None, "preparation-refused", "conclusion"),
        (PREP, None, "no-preparation", "no preparation for 'kit-7'"),
    ];
    let desk = Desk::with(EXECUTE_TASK);
    for (path, text, code, wanted) in told {
        match text {
            Some(text) => _ = desk.write(path, &text),
            None => std::fs::remove_file(desk.root().join(path)).unwrap(),
        }
        let halt = halt(&desk, &[], &desk.order(TODO, "subtask-2"));
        assert_eq!(halt["code"], code, "{halt}");
        assert!(halt["message"].as_str().unwrap().contains(wanted), "{halt}");
    }
}

#[test]
fn a_task_file_that_nobody_can_follow_is_refused() {
    let desk = Desk::with(WORKFLOW);
    let path = ".workflow/active/WFS-auth/.task/IMPL-2.json";
    for (text, wanted) in [
        (r#"{"id":"IMPL-9","title":"x","description":"y"}"#, "the file is that of 'IMPL-9'"),
        (r#"{"id":"IMPL-2"}"#, "neither what to do"),
    ] {
        desk.write(path, text);
        let halt = halt(&desk, &[], &desk.order(".workflow/active/WFS-auth", "IMPL-2"));
        assert_eq!(halt["code"], "bad-package", "{text}");
        assert!(halt["message"].as_str().unwrap().contains(wanted), "{halt}");
    }
}

#[test]
fn a_variable_that_is_used_too_early_halts() {
    let desk = Desk::with(WORKFLOW);
    let path = ".workflow/active/WFS-auth/.task/IMPL-2.json";
    desk.write(path, desk.read(path).replace("grep -rn [spec]", "grep -rn [implementation]"));
    let halt = halt(&desk, &[], &desk.order(".workflow/active/WFS-auth", "IMPL-2"));
    let wanted =
        "'[implementation]' cannot be resolved: step 'find_patterns' uses it before step '1' declares it";
    assert_eq!(halt["message"], wanted);
}

#[test]
fn the_user_can_write_prompts_and_a_mistake_in_one_is_said_with_its_line() {
    let desk = Desk::with(PLAN_MD);
    let order = desk.order(PLAN, "2");
    desk.write(".plantools/prompts/plan-md.md", "Do {{id}}.\n\n{{section}}\n{{>todo}}\n");
    let prompt = desk.prompt(&[], &order);
    assert!(prompt.starts_with("Do 2.\n\n````markdown\n### [ ] TODO 2: Greet everybody\n"), "{prompt}");
    desk.write(".plantools/prompts/plan-md.md", "Do {{id}}.\n{{nonsense}}\n");
    let got = desk.handoff(&[], &order);
    assert_eq!(got.code, 78);
    assert_eq!(
        got.err,
        "handoff: .plantools/prompts/plan-md.md:2: there is no '{{nonsense}}' in prompts of this kind\n"
    );
}

#[test]
fn a_fitter_without_a_fault_has_nothing_to_do() {
    let desk = Desk::with(EXECUTE_TASK);
    assert_eq!(halt(&desk, &["--for", "fitter"], &desk.order(TODO, "subtask-2"))["code"], "no-fault");
}

#[test]
fn a_second_attempt_after_an_agent_failure_gets_required_fields_and_paths_only() {
    let desk = Desk::with(WORKFLOW);
    let mut order = desk.order(".workflow/active/WFS-auth", "IMPL-2");
    order["attempt"] = json!(2);
    order["last_failure"] =
        json!({"halt": {"stage": "worker-run", "code": "crashed", "message": "it crashed"}, "detail": {}});
    let (order, _) = desk.packet(&[], &order);
    let prompt = desk.read(order["handoff"]["prompt"]["path"].as_str().unwrap());
    assert!(!prompt.contains("`users` has a `name`"), "the summary is a path now");
    assert!(prompt.contains("POST /login answers 200") && prompt.contains("grep -c 'route'"), "{prompt}");
    assert_eq!(order["handoff"]["template"], "simple");
}

#[test]
fn each_gate_that_gave_no_verdict_gets_a_contract_of_its_own() {
    let desk = Desk::with(EXECUTE_TASK);
    let order = desk.order(TODO, "subtask-2");
    let plan = order["plan"]["path"].clone();
    let record = |kind: &str, gate: &str, plan: Value| {
        json!({"schema": "punch/1", "seq": 1, "plan": plan, "task": if plan == "" { Value::Null } else { "subtask-2".into() },
            "run": "r1", "type": kind, "key": format!("gate:{gate}"), "observed_at": NOW, "trust": "observed",
            "source": {"kind": "supervisor"}, "prev": "0", "hash": "0", "data": {"gate": {
                "schema": "gate/1", "schema_version": "gate_run.v1", "bead_id": "bd-42", "run_timestamp": NOW,
                "run_signature": "", "gate_id": gate, "status": "fault", "elapsed_seconds": 1.0,
                "invocation": gate, "stop_reason": "stall", "output_sha256": "", "output_bytes": 0,
                "last_output_lines": (0..60).map(|n| format!("line {n}")).collect::<Vec<_>>(), "repro_hints": [], "attempts": 1}}})
    };
    let ledger = |records: &[Value]| {
        let lines: Vec<String> = records.iter().map(Value::to_string).collect();
        desk.write(".plantools/ledger.ndjson", lines.join("\n") + "\n");
    };
    let faults = [record("gate_fault", "lint", plan.clone()), record("gate_fault", "tests", plan.clone())];
    ledger(&faults);
    let asked = || desk.prompt(&["--for", "fitter"], &order);
    assert!(asked().starts_with("# Fit the line: gate `tests`"), "{}", asked());
    assert!(asked().contains("\"line 59\"") && !asked().contains("\"line 9\""), "fifty lines: {}", asked());
    // The first one is restored and runs: the other is next. What restores a gate belongs to no plan.
    let restored = [record("restoration", "tests", "".into()), record("gate_pass", "tests", "".into())];
    ledger(&[faults.as_slice(), &restored].concat());
    assert!(asked().starts_with("# Fit the line: gate `lint`"), "{}", asked());
    assert!(asked().contains("## RETRIES SO FAR\n\n0\n"));
    let tried = [record("restoration", "lint", "".into()), record("gate_fault", "lint", "".into())];
    ledger(&[faults.as_slice(), &restored, &tried].concat());
    assert!(asked().contains("## RETRIES SO FAR\n\n1\n"), "{}", asked());
    let both = [faults.as_slice(), &restored, &tried, &[record("gate_fail", "lint", "".into())]].concat();
    ledger(&both);
    assert_eq!(halt(&desk, &["--for", "fitter"], &order)["code"], "no-fault");
}
