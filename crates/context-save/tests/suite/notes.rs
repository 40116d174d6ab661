//! Outputs and notes: merged, declared, never twice.

use crate::place::Place;
use serde_json::json;

const PLAN: &str = "# P\n\n## TODOs\n\n### [x] TODO 1: First\n\n**Type**: work\n\n**Outputs**:\n- `path` (file): where\n- `count` (number): how many\n\n\
    ### [ ] TODO 10: Second\n\n**Type**: work\n\n**Inputs**:\n- `p` (file): `${todo-1.outputs.path}`\n\n### [ ] TODO Final: Check\n\n**Type**: verification\n";

#[test]
fn outputs_are_merged_and_held_against_what_is_declared() {
    let place = Place::with(PLAN);
    place.write("context/outputs.json", "{\"todo-9\": {\"kept\": [1, {\"a\": null}]}}");
    let order =
        place.order("PLAN.md", "1", &json!({ "outputs": { "path": "a/b", "extra": true } }), "verified");
    place
        .stage("orders", &[order])
        .exits(0)
        .says("\"undeclared\":[\"extra\"]")
        .says("\"missing\":[\"count\"]");
    let wanted =
        json!({ "todo-9": { "kept": [1, { "a": null }] }, "todo-1": { "path": "a/b", "extra": true } });
    assert_eq!(place.json("context/outputs.json"), wanted);
}

#[test]
fn what_is_nested_once_too_deep_is_unwrapped_and_what_was_is_named() {
    let place = Place::with(PLAN);
    place.write("context/outputs.json", "{\"todo-9\": {\"outputs\": {\"dir\": \"x\"}}}");
    for nested in [
        json!({ "outputs": { "path": "a", "count": 2 } }),
        json!({ "todo-1": { "outputs": { "path": "a", "count": 2 } } }),
    ] {
        let order = place.order("PLAN.md", "1", &json!({ "outputs": nested }), "verified");
        let got = place.stage("orders", &[order]);
        got.exits(0).says("\"nested\":[\"9\"]");
        assert!(!got.out.contains("\"undeclared\"") && !got.out.contains("\"missing\""), "{got:?}");
        assert_eq!(place.json("context/outputs.json")["todo-1"], json!({ "path": "a", "count": 2 }));
    }
}

#[test]
fn outputs_that_are_no_json_are_left_alone_and_said() {
    let place = Place::with(PLAN);
    place.write("context/outputs.json", "{\"todo-9\": ");
    let order = place.order("PLAN.md", "1", &json!({ "outputs": { "path": "a" } }), "verified");
    place.stage("orders", &[order]).exits(65).says("no valid JSON");
    assert_eq!(place.text("context/outputs.json"), "{\"todo-9\": ");
}

#[test]
fn a_link_that_leads_the_notes_out_halts_its_task_and_the_others_go_on() {
    let place = Place::with(PLAN);
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), place.path("context")).unwrap();
    let orders = ["1", "10"].map(|id| place.order("PLAN.md", id, &json!({ "learnings": ["x"] }), "verified"));
    let got = place.stage("orders", &orders);
    got.exits(0).says("\"code\":\"path-outside\"");
    assert_eq!(got.out.lines().filter(|line| line.contains("\"halt\"")).count(), 2, "{got:?}");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn saving_again_changes_nothing_and_people_may_edit_between() {
    let place = Place::with(PLAN);
    let worker =
        json!({ "learnings": ["uses ESM"], "issues": ["flaky\n## TODO 2"], "decisions": ["keep it"] });
    let order = place.order("PLAN.md", "10", &worker, "verified");
    place.stage("orders", std::slice::from_ref(&order)).exits(0);
    let all = |place: &Place| {
        ["learnings.md", "issues.md", "decisions.md", "audit.md", "outputs.json"]
            .map(|n| place.text(&format!("context/{n}")))
    };
    let once = all(&place);
    assert_eq!(once[0], "## 10\n- uses ESM\n");
    assert_eq!(once[1], "## 10\n- [ ] flaky ## TODO 2\n");
    assert_eq!(
        once[3],
        "## 10\n- run r1, attempt 1: verified (1 ran, 0 manual, 0 skipped); worker 'w': success, done; 0 files changed\n"
    );
    place.stage("orders", std::slice::from_ref(&order)).exits(0);
    assert_eq!(all(&place), once);
    place.write("context/issues.md", once[1].replace("[ ]", "[x]") + "\nMy own note.\n");
    place.stage("orders", &[order]).exits(0);
    assert_eq!(place.text("context/issues.md"), once[1].replace("[ ]", "[x]") + "\nMy own note.\n");
}

#[test]
fn a_halt_leaves_its_entry_with_what_failed() {
    let place = Place::with(PLAN);
    let mut order = place.order("PLAN.md", "1", &json!({ "outputs": { "path": "a" } }), "failed");
    order["halt"] = json!({ "stage": "gate-run", "code": "checks-failed", "category": "code_error", "message": "1 of 1 failed", "retry": false, "counts": true });
    order["verdict"]["criteria"] = json!([{ "id": "1:1", "status": "fail", "command": "make test" }]);
    order["verdict"]["mismatches"] = json!(["1:1"]);
    place.stage("orders", std::slice::from_ref(&order)).exits(0);
    let wanted = "## [2026-01-31 12:00] TODO 1: First Failed\n\n**Category**: code_error\n**Error**: 1 of 1 failed\n**Retry Count**: 0\n\
        **Analysis**: the code still fails after the retries: gate-run said no (checks-failed); failed: 1:1 `make test`; claimed as passed: 1:1\n\
        **Suggestion**: mend the cause, then run it again\n";
    assert_eq!(place.text("context/issues.md"), wanted);
    assert_eq!(place.text("context/outputs.json"), "{}\n", "refused work leaves no values");
    place.stage("orders", &[order]).exits(0);
    assert_eq!(place.text("context/issues.md"), wanted);
}

#[test]
fn a_context_file_that_is_no_text_is_left_alone() {
    let place = Place::with(PLAN);
    place.write("context/learnings.md", b"\xff\xfe\n");
    let order = place.order("PLAN.md", "1", &json!({ "learnings": ["x"] }), "verified");
    place.stage("orders", &[order]).exits(65).says("UTF-8");
    assert_eq!(std::fs::read(place.path("context/learnings.md")).unwrap(), b"\xff\xfe\n");
}

#[test]
fn what_a_task_would_inherit() {
    let place = Place::with(PLAN);
    let worker = json!({ "outputs": { "path": "a/b" }, "learnings": ["uses ESM"], "issues": ["flaky"] });
    let order = place.order("PLAN.md", "1", &worker, "verified");
    place.stage("orders", &[order]).exits(0);
    let got = place.run(&["inherit", "10", "PLAN.md"]);
    let shown: serde_json::Value = serde_json::from_str(&got.exits(0).out).unwrap();
    let from = json!([{ "task": "1", "state": "completed", "outputs": { "path": "a/b" }, "missing": ["count"], "learnings": ["uses ESM"], "issues": ["[ ] flaky", "[ ] the declared output 'count' was not given"] }]);
    assert_eq!(shown, json!({ "schema": "inherit/1", "plan": "PLAN.md", "task": "10", "from": from }));
    place.run(&["inherit", "2", "PLAN.md"]).exits(1).says("tasks are 1, 10, Final");
    let before = std::fs::read_dir(place.root()).unwrap().count();
    place.run(&["inherit", "1", "PLAN.md"]).exits(0).says("\"from\":[]");
    assert_eq!(std::fs::read_dir(place.root()).unwrap().count(), before, "a question makes nothing");
}
