//! One command: every field, every flag, three exit codes.

use crate::harness::{Folder, Got, Verdict};
use serde_json::json;
use std::time::Duration;

const AT: &str = "2026-01-31T12:00:00Z";

#[test]
fn every_field_of_the_older_record_is_there_by_its_own_name() {
    let got = Folder::new().run(&["--gate-id", "lint", "--now", AT, "--", "sh", "-c", "exit 2"]);
    got.exits(1);
    let gate = got.is("fail", "exited");
    for (name, value) in [
        ("schema_version", json!("gate_run.v1")),
        ("bead_id", json!("adhoc")),
        ("run_timestamp", json!(AT)),
        ("run_signature", json!(format!("bead_id=adhoc run_timestamp={AT}"))),
        ("gate_id", json!("lint")),
        ("exit_code", json!(2)),
        ("invocation", json!("sh -c 'exit 2'")),
        ("attempts", json!(1)),
        ("last_output_lines", json!([])),
    ] {
        assert_eq!(gate[name], value, "{name}");
    }
    assert!(gate["elapsed_seconds"].is_number() && gate["output_sha256"].is_string());
}

#[test]
fn a_fault_holds_the_whole_line_fault_contract() {
    let args =
        ["--timeout-seconds", "0.3", "--grace-seconds", "0.2", "--", "sh", "-c", "echo at work; sleep 9"];
    let gate = Folder::new().run(&args).exits(3).is("fault", "timeout");
    assert_eq!(gate["last_output_lines"], json!(["at work"]));
    for name in
        ["gate_id", "invocation", "elapsed_seconds", "last_output_lines", "stop_reason", "repro_hints"]
    {
        assert!(!gate[name].is_null(), "{name}");
    }
    assert!(gate["repro_hints"].as_array().unwrap().len() >= 2);
}

#[test]
fn the_tail_is_as_long_as_asked_for() {
    let gate = Folder::new().run(&["--tail-lines", "2", "--", "sh", "-c", "seq 9; exit 1"]).exits(1).json();
    assert_eq!(gate["last_output_lines"], json!(["8", "9"]));
}

#[test]
fn variables_reach_the_command_and_secret_ones_are_masked() {
    let line = "echo $PLACE $MY_TOKEN; exit 1";
    let args = ["--env", "PLACE=here", "--env", "MY_TOKEN=hunter2hunter2", "--", "sh", "-c", line];
    let gate = Folder::new().run(&args).exits(1).json();
    assert_eq!(gate["last_output_lines"], json!(["here [masked]"]));
}

#[test]
fn the_output_is_shown_on_stderr_where_asked_for_and_masked() {
    let line = "echo one; echo $MY_TOKEN >&2; printf end";
    let args = ["--pass-through", "--env", "MY_TOKEN=hunter2hunter2", "--", "sh", "-c", line];
    let got = Folder::new().run(&args);
    got.exits(0);
    assert_eq!(got.err, "one\n[masked]\nend");
    assert_eq!(Folder::new().run(&["--", "sh", "-c", line]).err, "");
}

#[test]
fn a_check_that_fails_and_then_passes_is_flaky() {
    let folder = Folder::new();
    let line = "test -e tried || { touch tried; exit 1; }";
    let gate = folder.run(&["--retries", "2", "--", "sh", "-c", line]).exits(0).json();
    assert_eq!((&gate["attempts"], &gate["flaky"]), (&json!(2), &json!(true)));
}

#[test]
fn retries_have_an_end_and_a_fault_is_not_tried_again() {
    let folder = Folder::new();
    let gate = folder.run(&["--retries", "2", "--", "false"]).exits(1).json();
    assert_eq!((&gate["attempts"], gate.get("flaky")), (&json!(3), None));
    let gate = folder.run(&["--retries", "2", "--", "./not-there"]).exits(3).json();
    assert_eq!(gate["attempts"], json!(1));
}

#[test]
fn a_command_without_a_bead_leaves_nothing_behind() {
    let folder = Folder::with_git(&[]);
    folder.run(&["--", "true"]).exits(0);
    assert!(!folder.has(".plantools"));
}

#[test]
fn a_command_with_a_bead_is_recorded_as_typed_with_its_tree_and_log() {
    let folder = Folder::with_git(&[("a", "1")]);
    let gate = folder.run(&["--bead-id", "b-1", "--run-timestamp", AT, "--", "echo", "hi"]).exits(0).json();
    assert!(gate["tree_before"].is_string() && gate["tree_before"] == gate["tree_after"]);
    assert_eq!(folder.read(gate["log"].as_str().unwrap()), "hi\n");
    let ledger = folder.ledger();
    assert_eq!((&ledger[0]["type"], &ledger[0]["trust"]), (&json!("gate_pass"), &json!("typed")));
    assert_eq!(ledger[0]["data"]["gate"]["run_signature"], json!(format!("bead_id=b-1 run_timestamp={AT}")));
}

#[test]
fn a_command_that_changes_the_tree_it_is_bound_to_gives_no_verdict() {
    let folder = Folder::with_git(&[("a", "1")]);
    folder.run(&["--bead-id", "b", "--", "sh", "-c", "echo 2 > a"]).exits(3).is("fault", "tree_moved");
}

#[test]
fn a_term_reaches_the_child_and_leaves_a_record() {
    let folder = Folder::with_git(&[]);
    let line = "trap 'echo bye; exit 0' TERM; echo up > up; while :; do sleep 0.05; done";
    let child = folder.start(&["--bead-id", "b", "--grace-seconds", "5", "--", "sh", "-c", line]);
    crate::torture::until("the child is up", || folder.has("up"));
    crate::torture::signal(&child, "TERM");
    let got = Got::from(&child.wait_with_output().unwrap(), Duration::ZERO);
    got.exits(3);
    let gate = got.is("fault", "interrupted");
    assert_eq!(gate["last_output_lines"].as_array().unwrap().last(), Some(&json!("bye")));
    assert_eq!(folder.ledger()[0]["type"], json!("gate_fault"));
}

#[test]
fn a_pass_that_left_processes_behind_is_a_pass_that_says_so() {
    let gate = Folder::new().run(&["--", "sh", "-c", "sleep 60 & exit 0"]).exits(0).is("pass", "leak");
    assert!(gate["leaked"].as_u64().unwrap() >= 1);
}

#[test]
fn a_wrong_command_line_is_2_and_not_a_verdict() {
    let folder = Folder::new();
    for args in [
        &["--timeout-seconds", "soon", "--", "true"][..],
        &["--expect", "maybe", "--", "true"],
        &["--env", "NOVALUE", "--", "true"],
        &["--json-only", "--pass-through", "--", "true"],
        &["--when", "never"],
    ] {
        folder.run(args).exits(2);
    }
}
