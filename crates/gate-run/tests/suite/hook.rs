//! As a hook: every defect of the replaced script, by its name, and the protocol.

use crate::harness::{ACCEPTS, Folder};
use serde_json::{Value, json};

/// The event after a worker whose report has these criteria.
fn event(folder: &Folder, criteria: &Value) -> Value {
    let report = json!({ "outputs": {}, "acceptance_criteria": criteria });
    said(folder, &format!("Done.\n\n```json\n{report:#}\n```\n"))
}

fn said(folder: &Folder, text: &str) -> Value {
    json!({
        "session_id": "s", "cwd": folder.path(), "hook_event_name": "PostToolUse", "tool_name": "Task",
        "tool_input": {"subagent_type": "worker"},
        "tool_response": {"content": [{"type": "text", "text": text}]},
    })
}

fn criterion(id: &str, command: &str) -> Value {
    json!({"id": id, "category": "static", "description": id, "command": command, "status": "PASS"})
}

/// The block in the answer to an event.
fn block(folder: &Folder, event: &Value) -> String {
    let answer = folder.feed(&["--hook"], &event.to_string()).exits(0).json();
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], json!("PostToolUse"), "{answer}");
    output["additionalContext"].as_str().unwrap().to_owned()
}

fn status(folder: &Folder, event: &Value) -> String {
    let block = block(folder, event);
    assert!(block.starts_with("=== VERIFICATION RESULT ===\nstatus: "), "{block}");
    block.lines().nth(1).unwrap().trim_start_matches("status: ").to_owned()
}

#[test]
fn v1_died_at_the_first_counted_item() {
    let folder = Folder::trusting();
    let event = event(&folder, &json!([criterion("a", "true"), criterion("b", "true")]));
    let wanted =
        "=== VERIFICATION RESULT ===\nstatus: VERIFIED\npass: 2\nskip: 0\n===========================\n";
    assert_eq!(block(&folder, &event), wanted);
}

#[test]
fn v2_printed_plain_text_that_nobody_was_shown() {
    let folder = Folder::trusting();
    let event = event(&folder, &json!([criterion("a", "true")]));
    assert!(folder.feed(&["--hook"], &event.to_string()).exits(0).json()["hookSpecificOutput"].is_object());
}

#[test]
fn a_lie_is_a_mismatch() {
    let folder = Folder::trusting();
    let event = event(&folder, &json!([criterion("a", "true"), criterion("b", "false")]));
    let block = block(&folder, &event);
    assert!(
        block.contains("status: FAILED\npass: 1\nfail: 1\nskip: 0\nfailed_items:\n  - b:static:false\n"),
        "{block}"
    );
    assert!(block.contains("  - b: the worker said PASS, measured: exit 1\n"), "{block}");
}

#[test]
fn no_verdict_without_json_or_with_bad_json() {
    let folder = Folder::trusting();
    for text in ["I did it, all good.", "```json\n{\"acceptance_criteria\": [\n```", ""] {
        assert_eq!(status(&folder, &said(&folder, text)), "FAILED", "{text}");
    }
    for input in ["", "not json", "[]", "{\"tool_name\":"] {
        let got = folder.feed(&["--hook"], input);
        got.exits(0);
        assert!(got.out.contains("status: FAILED"), "{input}: {}", got.out);
    }
}

#[test]
fn no_verdict_with_two_fences() {
    let folder = Folder::trusting();
    let text = "```json\n{\"note\":1}\n```\nthen\n```json\n{\"acceptance_criteria\":[{\"id\":\"a\",\"command\":\"true\",\"status\":\"PASS\"}]}\n```";
    assert_eq!(status(&folder, &said(&folder, text)), "VERIFIED");
}

#[test]
fn no_verdict_with_a_fence_in_a_string() {
    let folder = Folder::trusting();
    let text = "```json\n{\"acceptance_criteria\":[{\"id\":\"a\",\"command\":\"true\"}],\"l\":[\"use\\n```\\nfences\"]}\n```";
    assert_eq!(status(&folder, &said(&folder, text)), "VERIFIED");
}

#[test]
fn no_verdict_without_criteria() {
    let folder = Folder::trusting();
    assert_eq!(status(&folder, &event(&folder, &json!([]))), "FAILED");
    assert_eq!(status(&folder, &said(&folder, "{\"outputs\":{}}")), "FAILED");
}

#[test]
fn an_exit_in_a_command_killed_the_hook() {
    let folder = Folder::trusting();
    let criteria = json!([criterion("a", "true"), criterion("e", "exit 3"), criterion("z", "true")]);
    let block = block(&folder, &event(&folder, &criteria));
    assert!(block.contains("pass: 2\nfail: 1\n") && block.contains("- e:static:exit 3"), "{block}");
}

#[test]
fn all_skipped_and_no_command_were_verified() {
    let folder = Folder::trusting();
    let mut skipped = criterion("s", "true");
    skipped["status"] = json!("SKIP");
    assert_eq!(status(&folder, &event(&folder, &json!([skipped]))), "FAILED");
    assert_eq!(status(&folder, &event(&folder, &json!([{"id": "n", "status": "PASS"}]))), "FAILED");
}

#[test]
fn commands_shared_one_shell() {
    let folder = Folder::trusting();
    let criteria =
        json!([criterion("c", "X=1; cd /"), criterion("d", "test -z \"${X:-}\" && test \"$PWD\" != /")]);
    assert_eq!(status(&folder, &event(&folder, &criteria)), "VERIFIED");
}

#[test]
fn echo_corrupted_backslashes_and_split_items() {
    let folder = Folder::trusting();
    let block =
        block(&folder, &event(&folder, &json!([criterion("g", "grep -q 'a\\|b\\nc' nofile\nfalse")])));
    assert!(block.contains("  - g:static:grep -q 'a\\|b\\nc' nofile\\nfalse\n"), "{block}");
}

#[test]
fn a_response_that_is_a_string_was_an_error() {
    let folder = Folder::trusting();
    let mut event = event(&folder, &json!([criterion("a", "true")]));
    event["tool_response"] = event["tool_response"]["content"][0]["text"].clone();
    assert_eq!(status(&folder, &event), "VERIFIED");
}

#[test]
fn a_namespaced_worker_and_the_new_name_of_the_tool_were_ignored() {
    let folder = Folder::trusting();
    let mut event = event(&folder, &json!([criterion("b", "false")]));
    event["tool_input"]["subagent_type"] = json!("plugin:worker");
    event["tool_name"] = json!("Agent");
    assert_eq!(status(&folder, &event), "FAILED");
}

#[test]
fn a_launch_in_the_background_had_no_verdict() {
    let folder = Folder::trusting();
    let mut event = event(&folder, &json!([]));
    event["tool_response"] = json!({"status": "async_launched", "agentId": "a1"});
    assert!(block(&folder, &event).contains("background"));
}

#[test]
fn there_was_no_timeout_no_output_and_no_record() {
    let folder = Folder::with_git(&[ACCEPTS]);
    let event = event(&folder, &json!([criterion("h", "echo begun; sleep 60")]));
    let args = ["--hook", "--timeout-seconds", "0.3", "--grace-seconds", "0"];
    let got = folder.feed(&args, &event.to_string());
    got.exits(0);
    assert!(got.out.contains("status: FAILED"), "{}", got.out);
    let ledger = folder.ledger();
    assert_eq!((&ledger[0]["type"], &ledger[0]["trust"]), (&json!("gate_fault"), &json!("typed")));
    assert_eq!(folder.read(ledger[0]["data"]["gate"]["log"].as_str().unwrap()), "begun\n");
}

#[test]
fn a_command_that_reads_did_eat_the_rest() {
    let folder = Folder::trusting();
    let block = block(&folder, &event(&folder, &json!([criterion("c", "cat"), criterion("b", "false")])));
    assert!(block.contains("pass: 1\nfail: 1\n"), "{block}");
}

#[test]
fn other_tools_and_other_agents_are_not_judged() {
    let folder = Folder::trusting();
    let mut other = event(&folder, &json!([criterion("b", "false")]));
    other["tool_input"]["subagent_type"] = json!("explorer");
    assert_eq!(folder.feed(&["--hook"], &other.to_string()).exits(0).json(), json!({}));
    assert!(folder.feed(&["--hook", "--agent", "explorer"], &other.to_string()).out.contains("FAILED"));
    other["tool_name"] = json!("Bash");
    assert_eq!(folder.feed(&["--hook"], &other.to_string()).exits(0).json(), json!({}));
}

#[test]
fn the_end_of_a_turn_is_held_up_once_by_the_gates_for_the_end() {
    let folder = Folder::trusting();
    folder.write("plantools.toml", "[[gates]]\nid = \"t\"\ninvocation = \"test -e made\"\n");
    let mut event = json!({"hook_event_name": "Stop", "cwd": folder.path(), "stop_hook_active": false});
    let answer = folder.feed(&["--hook"], &event.to_string()).exits(0).json();
    assert_eq!(answer["decision"], json!("block"));
    assert!(answer["reason"].as_str().unwrap().contains("- t:gate:test -e made"));
    event["stop_hook_active"] = json!(true);
    let answer = folder.feed(&["--hook"], &event.to_string()).exits(0).json();
    assert!(answer.get("decision").is_none() && answer["systemMessage"].as_str().unwrap().contains("FAILED"));
    folder.write("made", "");
    let answer = folder.feed(&["--hook"], &event.to_string()).exits(0).json();
    assert!(answer["systemMessage"].as_str().unwrap().contains("VERIFIED"));
}

#[test]
fn the_end_of_a_worker_is_judged_by_its_last_words() {
    let folder = Folder::trusting();
    let report =
        "```json\n{\"acceptance_criteria\":[{\"id\":\"a\",\"command\":\"false\",\"status\":\"PASS\"}]}\n```";
    let line = json!({"type": "assistant", "message": {"content": [{"type": "text", "text": report}]}});
    folder.write("t.jsonl", format!("{line}\n{}\n", json!({"type": "user", "message": {"content": "ok"}})));
    let event = json!({
        "hook_event_name": "SubagentStop", "cwd": folder.path(), "agent_type": "worker",
        "agent_transcript_path": folder.path().join("t.jsonl"),
    });
    let answer = folder.feed(&["--hook"], &event.to_string()).exits(0).json();
    assert_eq!(answer["decision"], json!("block"), "{answer}");
}

#[test]
fn the_end_of_a_turn_has_another_name_in_another_client() {
    let folder = Folder::trusting();
    let report = "```json\n{\"acceptance_criteria\":[{\"id\":\"a\",\"command\":\"test -e made\",\"status\":\"PASS\"}]}\n```";
    let event = json!({
        "hook_event_name": "AfterAgent", "cwd": folder.path(), "prompt": "go", "prompt_response": report,
        "stop_hook_active": false,
    });
    let answer = folder.feed(&["--hook"], &event.to_string()).exits(0).json();
    assert_eq!(answer["decision"], json!("block"), "{answer}");
    folder.write("made", "");
    let answer = folder.feed(&["--hook"], &event.to_string()).exits(0).json();
    assert!(answer["systemMessage"].as_str().unwrap().contains("VERIFIED"), "{answer}");
}

#[test]
fn a_folder_that_is_not_there_is_a_failed_block() {
    let folder = Folder::trusting();
    let mut event = event(&folder, &json!([criterion("a", "true")]));
    event["cwd"] = json!("/nowhere/at/all");
    assert!(block(&folder, &event).contains("status: FAILED"));
}

#[test]
fn what_only_the_worker_reports_is_not_run_unless_the_configuration_asks_for_it() {
    let folder = Folder::new();
    let event = event(&folder, &json!([criterion("a", "touch ran"), criterion("b", "true")]));
    let said = block(&folder, &event);
    assert!(said.contains("status: FAILED\npass: 0\nfail: 0\nskip: 2\nreasons:\n"), "{said}");
    assert!(said.contains("accept = \"worker-commands\""), "{said}");
    assert!(!folder.has("ran"), "a worker got a shell by its report");
    folder.write(ACCEPTS.0, ACCEPTS.1);
    assert!(block(&folder, &event).contains("status: VERIFIED\npass: 2\n"));
    assert!(folder.has("ran"));
}
