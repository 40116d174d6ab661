//! Gemini CLI: one document, the update log, sub-agents, the stream.

use crate::folder::{Folder, read_text};
use transcripts::Ended;

fn tool(id: &str, name: &str, args: &str, status: &str, output: &str) -> String {
    format!(
        r#"{{"id":"{id}","name":"{name}","args":{args},"status":"{status}","result":[{{"functionResponse":{{"response":{{"output":"{output}"}}}}}}]}}"#
    )
}

fn message(id: &str, tools: &[String]) -> String {
    let calls =
        if tools.is_empty() { String::new() } else { format!(r#","toolCalls":[{}]"#, tools.join(",")) };
    format!(r#"{{"id":"{id}","timestamp":"t","type":"gemini","content":"Now.","model":"model-g"{calls}}}"#)
}

const HEADER: &str = r#"{"sessionId":"g1","projectHash":"h","kind":"main"}"#;

/// A log that repeats messages with their calls.
pub(crate) fn log() -> String {
    let failing = r"Output: Exit Code: 0\nExit Code: 3\nProcess Group PGID: 1";
    [
        HEADER.into(),
        r#"{"$set":{"messages":[{"id":"u0","type":"user","content":[{"text":"hi"}]}]}}"#.into(),
        message("a", &[]),
        message("a", &[tool("w", "write_file", r#"{"file_path":"/w/a"}"#, "executing", "")]),
        message("a", &[tool("w", "write_file", r#"{"file_path":"/w/a"}"#, "success", "ok")]),
        r#"{"$set":{"lastUpdated":"t"}}"#.into(),
        message("b", &[tool("s", "run_shell_command", r#"{"command":"make"}"#, "success", failing)]),
        message("c", &[tool("i", "invoke_agent", r#"{"agent_name":"helper"}"#, "cancelled", "")]),
        message("d", &[]),
    ]
    .join("\n")
}

const WANT: [&str; 3] = [
    "main write_file write ok /w/a",
    "main run_shell_command shell failed=3 make",
    "main invoke_agent spawn failed helper",
];

#[test]
fn in_the_log_the_last_write_wins() {
    let read = read_text("session-1.jsonl", log());
    assert_eq!(read.brief(), WANT);
    assert_eq!(read.calls[0].line, 5);
    let record = read.record;
    assert_eq!((record.client, record.session_id.as_deref()), ("gemini", Some("g1")));
    assert_eq!((record.model.as_deref(), record.ended), (Some("model-g"), Some(Ended::Done)));
    assert_eq!(record.final_text.as_deref(), Some("Now."));
}

#[test]
fn one_document_gives_the_same_whatever_the_order_of_its_fields() {
    let messages = [
        message("a", &[tool("w", "write_file", r#"{"file_path":"/w/a"}"#, "success", "ok")]),
        message("b", &[]),
    ];
    let text = format!(r#"{{"messages":[{}],"projectHash":"h","sessionId":"g1"}}"#, messages.join(","));
    let read = read_text("session-1.json", text);
    assert_eq!(read.brief(), WANT[..1]);
    assert_eq!(read.record.session_id.as_deref(), Some("g1"));
}

#[test]
fn sub_agents_stand_in_a_folder_named_after_the_session() {
    let header = r#"{"sessionId":"sub-1","projectHash":"h","kind":"subagent"}"#;
    let done = message("x", &[tool("c", "complete_task", "{}", "success", "")]);
    let read = Folder::new()
        .file("chats/session-1.jsonl", log())
        .file("chats/g1/sub-1.jsonl", format!("{header}\n{done}\n"))
        .file("chats/g2/sub-2.jsonl", format!("{header}\n{done}\n"))
        .read("chats/session-1.jsonl");
    assert_eq!(read.brief(), [&WANT[..], &["sub-1 complete_task complete ok -"]].concat());
    assert_eq!(read.record.session_id.as_deref(), Some("g1"));
}

#[test]
fn the_stream_does_not_know_whether_a_command_failed() {
    let stream = [
        r#"{"type":"init","timestamp":"t","session_id":"g1","model":"model-g"}"#,
        r#"{"type":"tool_use","tool_name":"run_shell_command","tool_id":"s","parameters":{"command":"false"}}"#,
        r#"{"type":"tool_result","tool_id":"s","status":"success"}"#,
        r#"{"type":"tool_use","tool_name":"replace","tool_id":"r","parameters":{"file_path":"a"}}"#,
        r#"{"type":"tool_result","tool_id":"r","status":"error"}"#,
        r#"{"type":"message","role":"assistant","content":"bye","delta":true}"#,
        r#"{"type":"result","status":"success"}"#,
    ]
    .join("\n");
    let read = read_text("out.jsonl", stream);
    assert_eq!(read.brief(), ["main run_shell_command shell ? false", "main replace edit failed a"]);
    assert_eq!(read.record.ended, Some(Ended::Done));
}
