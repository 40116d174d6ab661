//! Codex: function and custom calls, code mode, sub-agents by their first line, the stream.

use crate::folder::{Folder, read_text};
use transcripts::Ended;

fn line(kind: &str, payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-01-01T00:00:00Z","type":"{kind}","payload":{payload}}}"#) + "\n"
}

fn item(payload: &str) -> String {
    line("response_item", payload)
}

fn meta(id: &str, parent: Option<&str>) -> String {
    let source = parent.map_or(r#""exec""#.into(), |parent| {
        format!(r#"{{"subagent":{{"thread_spawn":{{"parent_thread_id":"{parent}","depth":1}}}}}}"#)
    });
    line("session_meta", &format!(r#"{{"id":"{id}","source":{source},"cwd":"/w"}}"#))
}

fn function(id: &str, name: &str, arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).unwrap();
    item(&format!(r#"{{"type":"function_call","name":"{name}","arguments":{arguments},"call_id":"{id}"}}"#))
}

fn output(id: &str, text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    item(&format!(r#"{{"type":"function_call_output","call_id":"{id}","output":{text}}}"#))
}

/// A rollout with the calls of all versions.
pub(crate) fn rollout() -> String {
    let patch = r"*** Begin Patch\n*** Update File: a.rs\n+x\n*** Add File: b.rs\n+y\n*** End Patch\n";
    [
        meta("th-1", None),
        line("turn_context", r#"{"model":"model-b","collaboration_mode":{"mode":"default"}}"#),
        item(&format!(r#"{{"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"{patch}"}}"#)),
        item(r#"{"type":"custom_tool_call_output","call_id":"c1","output":"{\"output\":\"Exit code: 7\",\"metadata\":{\"exit_code\":0}}"}"#),
        function("c2", "exec_command", r#"{"cmd":"make"}"#),
        output("c2", "Wall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nProcess exited with code 0\n"),
        function("c3", "shell", r#"{"command":["bash","-lc","ls -l"]}"#),
        output("c3", "Command blocked by PreToolUse hook: no. Command: ls -l"),
        function("c4", "update_plan", r#"{"plan":[]}"#),
        output("c4", "Plan updated"),
        item(r#"{"type":"function_call","name":"look","namespace":"mcp__srv","arguments":"{}","call_id":"c5"}"#),
        item(r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Nearly."}]}"#),
        line("event_msg", r#"{"type":"task_complete","last_agent_message":"Done."}"#),
    ]
    .concat()
}

#[test]
fn calls_of_all_versions_are_read_with_their_verdicts() {
    let read = read_text("rollout-1.jsonl", rollout());
    assert_eq!(
        read.brief(),
        [
            "main apply_patch edit ok=0 a.rs",
            "main exec_command shell failed=2 make",
            "main shell shell failed ls -l",
            "main update_plan other ? -",
            "main look mcp ? -",
        ]
    );
    assert_eq!(read.calls[0].more, ["b.rs"]);
    assert_eq!(read.calls[4].namespace.as_deref(), Some("mcp__srv"));
    let record = read.record;
    assert_eq!((record.model.as_deref(), record.mode.as_deref()), (Some("model-b"), Some("default")));
    assert_eq!((record.final_text.as_deref(), record.ended), (Some("Done."), Some(Ended::Done)));
    assert_eq!(record.session_id.as_deref(), Some("th-1"));
}

#[test]
fn what_a_script_did_comes_from_its_items() {
    let text = [
        meta("th-1", None),
        item(r#"{"type":"custom_tool_call","call_id":"c1","name":"exec","input":"tools.apply_patch('x')"}"#),
        line("event_msg", r#"{"type":"item_completed","item":{"type":"FileChange","id":"e1","changes":{"/w/a":{},"/w/b":{}},"status":"completed"}}"#),
        line("event_msg", r#"{"type":"item_completed","item":{"type":"CommandExecution","id":"e2","command":["/bin/bash","-lc","cat a; exit 3"],"exit_code":3,"status":"failed"}}"#),
        item(r#"{"type":"custom_tool_call_output","call_id":"c1","output":[{"type":"input_text","text":"Script completed\n"},{"type":"input_text","text":"{\"exit_code\":3}"}]}"#),
        line("event_msg", r#"{"type":"item_completed","item":{"type":"AgentMessage","id":"m"}}"#),
    ]
    .concat();
    let read = read_text("rollout-1.jsonl", text);
    assert_eq!(
        read.brief(),
        [
            "main exec other failed=3 -",
            "main FileChange edit ok /w/a",
            "main CommandExecution shell failed=3 cat a; exit 3",
        ]
    );
    assert_eq!(read.calls[1].within.as_deref(), Some("c1"));
    assert_eq!(read.calls[1].more, ["/w/b"]);
}

#[test]
fn sub_agents_are_found_by_their_first_line_past_midnight_too() {
    let run =
        |id: &str, parent, call: &str| meta(id, parent) + &function(call, "exec_command", r#"{"cmd":"x"}"#);
    let read = Folder::new()
        .file("2026/01/31/rollout-1-th-1.jsonl", run("th-1", None, "c1"))
        .file("2026/01/31/rollout-2-th-2.jsonl", run("th-2", Some("th-1"), "c1"))
        .file("2026/01/31/rollout-3-other.jsonl", run("other", Some("th-9"), "c1"))
        .file("2026/02/01/rollout-4-th-3.jsonl", run("th-3", Some("th-2"), "c1"))
        .read("2026/01/31/rollout-1-th-1.jsonl");
    assert_eq!(
        read.brief(),
        ["main exec_command shell ? x", "th-2 exec_command shell ? x", "th-3 exec_command shell ? x"]
    );
}

#[test]
fn the_stream_is_read_by_its_items() {
    let stream = [
        r#"{"type":"thread.started","thread_id":"th-1"}"#,
        r#"{"type":"item.completed","item":{"id":"i0","type":"error","message":"a mere warning"}}"#,
        r#"{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"make","exit_code":null,"status":"in_progress"}}"#,
        r#"{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"make","exit_code":1,"status":"failed"}}"#,
        r#"{"type":"item.completed","item":{"id":"i2","type":"file_change","changes":[{"path":"a","kind":"add"}],"status":"completed"}}"#,
        r#"{"type":"item.completed","item":{"id":"i3","type":"agent_message","text":"bye"}}"#,
        r#"{"type":"turn.failed","error":{"message":"x"}}"#,
    ]
    .join("\n");
    let read = read_text("out.jsonl", stream);
    assert_eq!(read.brief(), ["main command_execution shell failed=1 make", "main file_change edit ok a"]);
    assert_eq!(read.record.final_text.as_deref(), Some("bye"));
    assert_eq!(read.record.ended, Some(Ended::Error));
}
