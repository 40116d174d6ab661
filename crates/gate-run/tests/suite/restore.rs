//! A gate after a fault: one retry, a second one with another mitigation, then a person.

use crate::harness::{Folder, Got};
use serde_json::{Value, json};

fn contract(mitigation: &str) -> Value {
    json!({
        "gate_id": "slow",
        "mitigation_applied": [mitigation],
        "verification_run": {"invocation": "true", "status": "PASS", "elapsed_seconds": 1},
        "updated_fit_profile": {"timeout_seconds": 9000, "stall_seconds": 60, "confidence": "medium"},
    })
}

fn faulty(invocation: &str) -> Folder {
    let text = format!("[[gates]]\nid = \"slow\"\ninvocation = \"{invocation}\"\ntimeout_seconds = 1\n");
    let folder = Folder::with_git(&[("plantools.toml", &text)]);
    folder.run(&["--all", "--grace-seconds", "0", "--timeout-seconds", "0.3"]).exits(3);
    folder
}

fn restore(folder: &Folder, contract: &Value) -> Got {
    folder.feed(&["restore", "-"], &contract.to_string())
}

#[test]
fn budgets_within_the_maximum_bring_a_slow_gate_back() {
    let folder = faulty("sleep 0.6");
    let got = restore(&folder, &contract("raise the wall clock")).exits(0).json();
    assert_eq!((&got["outcome"], &got["retry"]), (&json!("GREEN"), &json!(1)));
    assert_eq!(got["clamped"], json!(["timeout_seconds: 9000 cut to 3600"]));
    assert_eq!(got["gate"]["status"], json!("pass"));
    let types: Vec<_> = folder.ledger().iter().map(|r| r["type"].clone()).collect();
    assert_eq!(types, [json!("gate_fault"), json!("restoration"), json!("gate_pass")]);
}

#[test]
fn the_fitters_own_word_is_not_taken() {
    let folder = faulty("sleep 0.6; exit 1");
    let got = restore(&folder, &contract("raise the wall clock")).exits(1).json();
    assert_eq!((&got["outcome"], &got["gate"]["status"]), (&json!("GREEN"), &json!("fail")));
}

#[test]
fn a_second_retry_needs_another_mitigation_and_a_third_is_never_made() {
    let folder = faulty("no-such-tool");
    let first = restore(&folder, &contract("wait 10 s")).exits(3).json();
    assert_eq!((&first["outcome"], &first["may_retry"]), (&json!("RED"), &json!(true)));
    let same = restore(&folder, &contract("wait 20 s")).exits(3).json();
    assert_eq!((&same["retry"], same.get("gate")), (&json!(0), None));
    let other = restore(&folder, &contract("put the tool in place")).exits(3).json();
    assert_eq!((&other["retry"], &other["may_retry"]), (&json!(2), &json!(false)));
    let third = restore(&folder, &contract("something else again")).exits(3).json();
    assert_eq!(third["reason"], json!("both retries are used up"));
}

#[test]
fn a_missing_secret_is_red_at_once() {
    let folder = faulty("echo SHOP_API_KEY is not set; exit 1");
    assert_eq!(folder.ledger()[0]["data"]["gate"]["needs_secret"], json!(true));
    let got = restore(&folder, &contract("ask for it")).exits(3).json();
    assert_eq!((&got["outcome"], got.get("gate")), (&json!("RED"), None));
}

#[test]
fn a_gate_without_a_fault_and_a_contract_without_sense_are_65() {
    let folder = Folder::with_git(&[("plantools.toml", "[[gates]]\nid = \"slow\"\ninvocation = \"true\"\n")]);
    assert!(restore(&folder, &contract("x y")).exits(65).err.contains("no fault"));
    let mut unknown = contract("x y");
    unknown["gate_id"] = json!("other");
    restore(&folder, &unknown).exits(65);
    restore(&folder, &json!({"gate_id": "slow"})).exits(65);
    folder.feed(&["restore"], "no json").exits(65);
    folder.run(&["restore", "nowhere.json"]).exits(66);
}
