//! The hooks of three clients: one envelope, one answer that all of them obey.

use crate::bench::{Bench, events, shown};
use serde_json::{Value, json};

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write(
        "plantools.toml",
        "[defaults]\ncard = 'c'\n[cards.c]\nagent = 'main'\nforbidden = ['kind:edit', 'path:tests/**', 'command_exec:*push*']\n\
         required = ['kind:spawn', 'gate_pass:lint', 'step_complete:task_exit']\n",
    );
    bench
}

fn event(bench: &Bench, name: &str, more: &Value) -> String {
    let mut event = json!({ "session_id": "s", "hook_event_name": name, "cwd": bench.root() });
    for (key, value) in more.as_object().unwrap() {
        event[key] = value.clone();
    }
    event.to_string()
}

#[test]
fn a_forbidden_call_is_refused_before_it_happens() {
    let bench = bench();
    let cases = [
        ("PreToolUse", "Edit", json!({ "file_path": "a.rs" }), 2),
        ("PreToolUse", "Read", json!({ "file_path": "a.rs" }), 0),
        ("PreToolUse", "Bash", json!({ "command": "git push origin" }), 2),
        ("PreToolUse", "Bash", json!({ "command": "git status" }), 0),
        // Codex passes its patch as a command.
        (
            "PreToolUse",
            "apply_patch",
            json!({ "command": "*** Begin Patch\n*** Add File: x\n*** End Patch" }),
            2,
        ),
        // Gemini has its own names for the event and the tool.
        ("BeforeTool", "write_file", json!({ "file_path": "tests/new.rs" }), 2),
        ("BeforeTool", "write_file", json!({ "file_path": "src/new.rs" }), 0),
        ("PostToolUse", "Edit", json!({ "file_path": "a.rs" }), 0),
        ("Notification", "", json!({}), 0),
    ];
    for (name, tool, input, code) in cases {
        let event = event(&bench, name, &json!({ "tool_name": tool, "tool_input": input }));
        let got = bench.punch_with(&["--hook"], &event);
        got.exits(code);
        assert!(got.out.is_empty(), "{got:?}");
        assert_eq!(got.err.contains("card 'c' forbids"), code == 2, "{got:?}");
    }
}

#[test]
fn those_below_the_main_agent_may_do_what_they_are_there_for() {
    let bench = bench();
    let call = json!({ "tool_name": "Edit", "tool_input": { "file_path": "a" }, "agent_id": "sub" });
    bench.punch_with(&["--hook"], &event(&bench, "PreToolUse", &call)).exits(0);
}

#[test]
fn an_agent_that_wants_to_stop_is_sent_back_once() {
    let bench = bench();
    let record = events(&bench, "record.ndjson", &[("Read", "a", None)]);
    for name in ["Stop", "AfterAgent"] {
        let stop = |active: bool| {
            event(&bench, name, &json!({ "transcript_path": record, "stop_hook_active": active }))
        };
        let got = bench.punch_with(&["--hook"], &stop(false));
        got.exits(2);
        // Neither its own end nor the checks that come after it are its to show now.
        assert!(
            got.err.contains("kind:spawn is missing")
                && !got.err.contains("gate_pass")
                && !got.err.contains("task_exit"),
            "{got:?}"
        );
        bench.punch_with(&["--hook"], &stop(true)).exits(0);
    }
    let done = events(&bench, "done.ndjson", &[("Task", "code", Some(0))]);
    bench.punch_with(&["--hook"], &event(&bench, "Stop", &json!({ "transcript_path": done }))).exits(0);
    // Without a record there is no decision: the checkpoint from outside decides.
    bench.punch_with(&["--hook"], &event(&bench, "Stop", &json!({ "transcript_path": "/no/such" }))).exits(0);
}

#[test]
fn what_is_no_event_is_refused_and_what_is_set_up_wrong_lets_the_call_pass() {
    let bench = bench();
    for input in ["not json", "", "[]", "{"] {
        bench.punch_with(&["--hook"], input).exits(2).says("is no event");
    }
    bench.punch_with(&["--hook", "--card", "nobody-s"], &event(&bench, "PreToolUse", &json!({}))).exits(65);
}

#[test]
fn a_call_is_seen_as_its_client_sees_it() {
    let bench = bench();
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for input in [
        r#"{"command":"git push # \ud83d"}"#.to_owned(),
        r#"{"command":"ls","command":"git push"}"#.to_owned(),
        format!(r#"{{"command":"git push","description":{deep}}}"#),
    ] {
        let event = format!(
            r#"{{"hook_event_name":"PreToolUse","cwd":{:?},"tool_name":"Bash","tool_input":{input}}}"#,
            bench.root()
        );
        bench.punch_with(&["--hook"], &event).exits(2).says("card 'c' forbids");
    }
}

#[test]
fn a_record_that_is_a_named_pipe_is_not_waited_for() {
    let bench = bench();
    let pipe = bench.root().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let stop = event(&bench, "Stop", &json!({ "transcript_path": pipe }));
    bench.punch_with(&["--hook"], &stop).exits(74).says("is no file");
}

#[test]
fn nothing_is_written_down_and_the_environment_least_of_all() {
    let bench = bench();
    let call = json!({ "tool_name": "Edit", "tool_input": { "file_path": "a" } });
    let got = bench.punch_with(&["--hook"], &event(&bench, "PreToolUse", &call));
    assert!(!got.err.contains("a-secret-value") && !bench.path(".plantools").exists(), "{got:?}");
    assert!(!shown(bench.root()).is_empty());
}
