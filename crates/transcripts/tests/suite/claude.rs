//! Claude Code: split messages, results, three generations of sub-agents, the stream.

use crate::folder::{Folder, read_text};
use transcripts::Ended;

pub(crate) fn call(extra: &str, id: &str, name: &str, input: &str) -> String {
    format!(
        r#"{{"parentUuid":null,{extra}"sessionId":"s1","timestamp":"2026-01-01T00:00:00Z","message":{{"id":"m-{id}","role":"assistant","model":"model-a","content":[{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}],"stop_reason":"tool_use"}},"type":"assistant"}}"#
    ) + "\n"
}

pub(crate) fn result(extra: &str, id: &str, error: bool, text: &str) -> String {
    format!(
        r#"{{{extra}"type":"user","sessionId":"s1","message":{{"role":"user","content":[{{"type":"tool_result","content":"{text}","is_error": {error},"tool_use_id":"{id}"}}]}}}}"#
    ) + "\n"
}

pub(crate) fn said(text: &str) -> String {
    format!(
        r#"{{"type":"assistant","sessionId":"s1","message":{{"id":"m9","model":"model-a","content":[{{"type":"text","text":"{text}"}}],"stop_reason":"end_turn"}}}}"#
    ) + "\n"
}

/// A session with everything in one file.
pub(crate) fn session() -> String {
    let edit = r#"{"file_path":"/w/a.txt","old_string":"{\"name\":\"Write\"}","new_string":"y"}"#;
    [
        r#"{"type":"user","sessionId":"s1","permissionMode":"plan","message":{"role":"user","content":"do it"}}"#,
        "\n",
        r#"{"type":"attachment","sessionId":"s1","attachment":{"tools":[{"type":"tool_use","name":"Edit","id":"x"}]}}"#,
        "\n",
        &call("", "t1", "Edit", edit),
        &call("", "t2", "Bash", r#"{"command":"make test","description":"d"}"#),
        &result("", "t1", false, "Exit code 9 is only text here"),
        &result("", "t2", true, r"Exit code 3\nboom"),
        &call("", "t3", "Task", r#"{"subagent_type":"general","prompt":"p"}"#),
        &call(r#""isSidechain":true,"#, "t4", "Bash", r#"{"command":"wc"}"#),
        &result(r#""isSidechain":true,"#, "t4", false, "1"),
        &call("", "t5", "mcp__srv__look", "{}"),
        &said(r"All \u00fc done."),
    ]
    .concat()
}

#[test]
fn calls_and_results_meet_and_schemas_are_no_calls() {
    let read = read_text("s1.jsonl", session());
    assert_eq!(
        read.brief(),
        [
            "main Edit edit ok /w/a.txt",
            "main Bash shell failed=3 make test",
            "main Task spawn ? general",
            "sidechain Bash shell ok wc",
            "main mcp__srv__look mcp ? -",
        ]
    );
    let record = read.record;
    assert_eq!((record.client, record.unknown, record.orphans), ("claude", 0, 0));
    assert_eq!(record.session_id.as_deref(), Some("s1"));
    assert_eq!(record.model.as_deref(), Some("model-a"));
    assert_eq!(record.mode.as_deref(), Some("plan"));
    assert_eq!(record.final_text.as_deref(), Some("All ü done."));
    assert_eq!(record.ended, Some(Ended::Done));
    assert_eq!(read.calls[0].at.as_deref(), Some("2026-01-01T00:00:00Z"));
    assert_eq!(read.calls[0].line, 3);
}

#[test]
fn agents_beside_the_session_belong_to_it_when_they_say_so() {
    let agent = |session: &str, id: &str| {
        let extra = format!(r#""isSidechain":true,"agentId":"{id}","#);
        call(&extra, &format!("t-{id}"), "Bash", "{}")
            .replace(r#""sessionId":"s1""#, &format!(r#""sessionId":"{session}""#))
    };
    let folder = Folder::new()
        .file("p/s1.jsonl", call("", "t1", "Task", "{}"))
        .file("p/agent-b.jsonl", agent("s1", "b"))
        .file("p/agent-a.jsonl", agent("s1", "a"))
        .file("p/agent-warm.jsonl", said("Warmup"))
        .file("p/agent-z.jsonl", agent("another", "z"));
    let read = folder.read("p/s1.jsonl");
    assert_eq!(read.brief(), ["main Task spawn ? -", "a Bash shell ? -", "b Bash shell ? -"]);
    assert_eq!(read.record.sources.len(), 4);
    assert_eq!(read.calls[2].source, 2);
    assert_eq!(folder.read("p/agent-z.jsonl").brief(), ["z Bash shell ? -"]);
}

#[test]
fn agents_below_the_session_and_in_the_background_belong_to_it() {
    let launched = result("", "t1", false, "Async agent launched");
    let extra = r#""isSidechain":true,"agentId":"abc","#;
    let read = Folder::new()
        .file("p/s1.jsonl", call("", "t1", "Agent", "{}") + &launched + &said("later"))
        .file("p/s1/subagents/agent-abc.jsonl", call(extra, "t2", "Write", r#"{"file_path":"b"}"#))
        .file("p/s1/subagents/agent-abc.meta.json", r#"{"toolUseId":"t1"}"#)
        .read("p/s1.jsonl");
    assert_eq!(read.brief(), ["main Agent spawn ok -", "abc Write write ? b"]);
    assert_eq!(read.record.final_text.as_deref(), Some("later"));
}

#[test]
fn a_killed_worker_leaves_a_call_without_a_result() {
    let read = read_text("s1.jsonl", call("", "t1", "Bash", r#"{"command":"sleep 9"}"#));
    assert_eq!(read.brief(), ["main Bash shell ? sleep 9"]);
    assert_eq!(read.record.ended, None);
}

#[test]
fn the_stream_says_its_end_and_its_agents_by_the_parent_call() {
    let stream = [
        r#"{"type":"system","subtype":"init","session_id":"s2","uuid":"u"}"#,
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Task","input":{}}]},"parent_tool_use_id":null,"session_id":"s2"}"#,
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"f"}}]},"parent_tool_use_id":"t1","session_id":"s2"}"#,
        r#"{"duration_ms":1,"type":"result","subtype":"success","is_error":true,"result":"no","total_cost_usd":0.25,"session_id":"s2"}"#,
    ]
    .join("\n");
    let read = read_text("out.jsonl", stream);
    assert_eq!(read.brief(), ["main Task spawn ? -", "t1 Read read ? f"]);
    assert_eq!(read.record.ended, Some(Ended::Error));
    assert_eq!((read.record.cost, read.record.final_text.as_deref()), (Some(0.25), Some("no")));
}

#[test]
fn a_very_long_line_is_read_all_the_same() {
    let long = "x\\n".repeat(3 << 20);
    let big = result("", "t1", true, &format!("Exit code 4\\n{long}"));
    let write = format!(r#"{{"content":"{long}","file_path":"big.txt"}}"#);
    let text = call("", "t1", "Bash", "{}") + &big + &call("", "t2", "Write", &write) + &said("end");
    let read = read_text("s1.jsonl", text);
    assert_eq!(read.brief(), ["main Bash shell failed=4 -", "main Write write ? big.txt"]);
    assert_eq!(read.record.final_text.as_deref(), Some("end"));
}
