//! `punch checkpoint` in the pipe: orders in, the same orders with `card` out, and the effect of an unmet card.

use crate::bench::{Bench, events};
use serde_json::{Value, json};
use wire::punch::Type;

/// In our own folder, which is not part of the tree.
const RECORD: &str = ".plantools/work/record.ndjson";

/// The order of the first attempt at task 1, as the stages before leave it.
fn order(bench: &Bench, worker: &Value) -> Value {
    let field = dialects::PlanSnapshot::at(&bench.path("PLAN.md"), bench.root(), None).unwrap();
    let task = field.plan.tasks.iter().find(|task| task.id.as_str() == "1").unwrap();
    let mut base = json!({ "status": "SUCCESS", "outcome": "done", "duration_ms": 1 });
    for (key, value) in worker.as_object().unwrap() {
        base[key] = value.clone();
    }
    let gates: Vec<Value> = Vec::new();
    json!({
        "schema": "order/1", "run": "r1", "attempt": 1, "task": task, "why": { "ready": "no dependencies" },
        "plan": { "path": "PLAN.md", "dialect": field.plan.source.dialect, "root": bench.root() },
        "worker": base,
        "verdict": { "status": "verified", "tree": bench.tree(), "coverage": { "ran": 1, "manual": 0, "skipped": 0 }, "gates": gates },
    })
}

fn carried(bench: &Bench, order: &Value) -> Value {
    let input = format!("{order}\n{}\n", json!({ "schema": "end/1", "answer": "more", "orders": 1 }));
    let got = bench.punch_with(&["checkpoint"], &input);
    got.exits(0);
    assert_eq!(got.out.lines().count(), 2, "{got:?}");
    got.lines().remove(0)
}

fn bench(card: &str) -> Bench {
    let bench = Bench::new();
    bench.write("plantools.toml", &format!("[defaults]\ncard = 'c'\n[cards.c]\n{card}\n"));
    bench.attempt(&["a.rs"]);
    bench.gate(Type::GatePass, "gate:lint");
    bench
}

fn kinds(bench: &Bench) -> Vec<String> {
    let records = bench.text();
    let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.skip(3).map(|record| record["type"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_card_that_is_met_lets_the_order_pass_with_its_proof_on_record() {
    let bench = bench(
        "required = ['kind:edit', 'gate_pass:lint', 'path:a.rs', 'step_complete:task_exit']\nforbidden = ['kind:spawn']",
    );
    events(&bench, RECORD, &[("Edit", "a.rs", None)]);
    let order = carried(&bench, &order(&bench, &json!({ "transcript": RECORD })));
    assert_eq!(order["card"]["status"], "pass", "{order:#}");
    assert_eq!(order.get("halt"), None);
    assert_eq!(order["card"]["provenance"]["trust"], "projected");
    assert_eq!(order["card"]["provenance"]["calls"], 1);
    assert_eq!(kinds(&bench), ["seal", "checkpoint"]);
    bench.punch(&["verify"]).exits(0);
    // The sealed evidence suffices later, without the transcript.
    std::fs::remove_file(bench.path(RECORD)).unwrap();
    let later = bench.punch(&["evaluate", "1", "c"]);
    assert_eq!(later.json()["card"]["rows"][0]["hits"], 1, "{later:?}");
}

#[test]
fn rows_that_are_missing_are_tried_again_with_the_list() {
    let bench = bench("required = ['kind:spawn']\nforbidden = ['kind:edit']");
    events(&bench, RECORD, &[("Edit", "a.rs", None)]);
    let order = carried(&bench, &order(&bench, &json!({ "transcript": RECORD })));
    let halt = &order["halt"];
    assert_eq!(
        (&halt["code"], &halt["retry"], &halt["counts"]),
        (&json!("card-not-met"), &json!(true), &json!(true))
    );
    let words = "card 'c' is not met: kind:spawn is missing, kind:edit is more than allowed";
    assert_eq!(halt["message"], words);
    let last: Value = serde_json::from_str(bench.text().lines().last().unwrap()).unwrap();
    assert_eq!(last["data"]["detail"]["missing"], json!(["kind:spawn"]));
}

#[test]
fn a_claim_that_the_record_contradicts_is_escalated_and_never_tried_again() {
    let bench = bench("required = ['kind:shell']");
    events(
        &bench,
        RECORD,
        &[("Bash", "make", Some(0)), ("Bash", "make test", Some(0)), ("Bash", "make test", Some(2))],
    );
    let claims =
        json!([{ "status": "PASS", "command": "make test" }, { "status": "PASS", "command": "make" }]);
    let order = carried(&bench, &order(&bench, &json!({ "transcript": RECORD, "claims": claims })));
    assert_eq!(order["card"]["status"], "pass");
    assert_eq!(
        (&order["halt"]["code"], &order["halt"]["retry"]),
        (&json!("claim-contradicted"), &json!(false))
    );
    assert!(order["halt"]["message"].as_str().unwrap().contains("'make test'"), "{order:#}");
    assert_eq!(kinds(&bench), ["seal", "checkpoint", "escalation", "halt"]);
}

#[test]
fn no_evidence_halts_and_says_why() {
    let bench = bench("forbidden = ['kind:edit']");
    let gone = carried(&bench, &order(&bench, &json!({ "transcript": "gone.ndjson" })));
    assert_eq!(
        (&gone["card"]["status"], &gone["halt"]["code"]),
        (&json!("no_evidence"), &json!("no-evidence"))
    );
    assert!(gone["halt"]["message"].as_str().unwrap().contains("gone.ndjson"), "{gone:#}");
    let none = carried(&bench, &order(&bench, &json!({})));
    assert_eq!(none["card"]["status"], "no_evidence");
}

#[test]
fn an_order_that_was_halted_before_is_judged_and_not_halted_again() {
    let bench = bench("required = ['kind:spawn']");
    events(&bench, RECORD, &[("Edit", "a.rs", None)]);
    let mut order = order(&bench, &json!({ "transcript": RECORD }));
    order["halt"] = json!({ "stage": "gate-run", "code": "criteria-failed", "category": "code_error", "message": "m", "retry": true, "counts": true });
    let order = carried(&bench, &order);
    assert_eq!((&order["card"]["status"], &order["halt"]["stage"]), (&json!("fail"), &json!("gate-run")));
    assert_eq!(kinds(&bench), ["seal", "checkpoint"]);
}

#[test]
fn a_card_that_was_changed_on_the_way_is_not_accepted() {
    let bench = bench("forbidden = ['kind:edit']");
    events(&bench, RECORD, &[("Edit", "a.rs", None)]);
    let line = order(&bench, &json!({ "transcript": RECORD }));
    assert_eq!(carried(&bench, &line)["halt"]["code"], "card-not-met");
    bench.write("plantools.toml", "[defaults]\ncard = 'c'\n[cards.c]\nrequired = ['kind:edit']\n");
    assert_eq!(carried(&bench, &line)["halt"]["code"], "card-changed");
    let mut accept = bench.entry(Type::Override, "accept-change");
    accept.data = json!({ "reason": "r" });
    bench.append(accept);
    assert_eq!(carried(&bench, &line)["card"]["status"], "pass");
}

#[test]
fn a_path_in_an_order_does_not_leave_the_root() {
    let bench = bench("forbidden = ['kind:edit']");
    let line = order(&bench, &json!({ "transcript": "../../etc/passwd" }));
    let got = bench.punch_with(&["checkpoint"], &format!("{line}\n"));
    got.exits(65).says("leaves");
}
