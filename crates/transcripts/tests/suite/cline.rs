//! Cline, Roo and the Kilo extension: XML and native calls, rows, both files together.

use crate::folder::{Folder, read_text};
use transcripts::Ended;

fn says(word: &str, text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(r#"{{"ts":1700000000001,"type":"say","say":"{word}","text":{text}}}"#)
}

fn asks(word: &str, text: &str) -> String {
    says(word, text).replace(r#""type":"say","say""#, r#""type":"ask","ask""#)
}

/// Rows of a task that edits without asking.
pub(crate) fn rows() -> String {
    let partial = asks("tool", r#"{"tool":"appliedDiff","path":"src/x.py"}"#)
        .replace(r#""text""#, r#""partial":true,"text""#);
    let rows = [
        says("text", "/execute-task"),
        says("api_req_started", r#"{"cost":0.125}"#),
        asks("tool", r#"{"tool":"newTask","mode":"Code Fabricator","content":"c"}"#),
        says("subtask_result", "state: SUCCESS"),
        asks("use_mcp_server", r#"{"serverName":"srv","toolName":"look","arguments":"{}"}"#),
        says("mcp_server_response", "Error: not connected"),
        partial,
        asks("tool", r#"{"tool":"appliedDiff","path":"src/x.py","diff":"d"}"#),
        says("tool", r#"{"tool":"newFileCreated","path":"src/z.py","content":"c"}"#),
        asks("command", "make test"),
        says("command_output", "fine"),
        says("completion_result", "All done."),
        asks("completion_result", ""),
    ];
    format!("[{}]", rows.join(","))
}

#[test]
fn rows_are_calls_once_each_asked_or_not() {
    let read = read_text("task__ui_messages.json", rows());
    assert_eq!(
        read.brief(),
        [
            "main newTask spawn ok Code Fabricator",
            "main use_mcp_tool mcp failed srv:look",
            "main appliedDiff edit ? src/x.py",
            "main newFileCreated write ? src/z.py",
            "main execute_command shell ? make test",
            "main attempt_completion complete ok -",
        ]
    );
    let record = read.record;
    assert_eq!((record.client, record.cost, record.ended), ("cline", Some(0.125), Some(Ended::Done)));
    assert_eq!(record.final_text.as_deref(), Some("All done."));
    assert_eq!(read.calls[0].at.as_deref(), Some("1700000000001"));
}

fn turn(role: &str, text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(r#"{{"role":"{role}","ts":1700000000002,"content":[{{"type":"text","text":{text}}}]}}"#)
}

/// A conversation whose calls are XML.
pub(crate) fn conversation() -> String {
    let environment = "# Terminals\nCommand failed with exit code 9";
    let turns = [
        turn("user", "<task>go</task>"),
        turn(
            "assistant",
            "I write.\n<write_to_file>\n<path>src/z.py</path>\n<content>\n<execute_command>\n</content>\n</write_to_file>",
        ),
        turn("user", "[write_to_file for 'src/z.py'] Result:\nThe content was saved."),
        turn("user", environment),
        turn("assistant", "<execute_command>\n<command>make test</command>\n</execute_command>"),
        turn(
            "user",
            "[execute_command for 'make test'] Result:\nCommand failed with exit code 3.\nOutput:\nx",
        ),
    ];
    format!("[{}]", turns.join(",\n "))
}

#[test]
fn xml_calls_get_the_result_that_names_them() {
    let read = read_text("api_conversation_history.json", conversation());
    assert_eq!(
        read.brief(),
        ["main write_to_file write ok src/z.py", "main execute_command shell failed=3 make test"]
    );
    assert_eq!(read.record.final_text.as_deref(), Some("I write."));
}

#[test]
fn native_calls_are_matched_by_id() {
    let text = r#"[{"role":"assistant","content":[{"type":"tool_use","id":"n1","name":"use_mcp_tool","input":{"server_name":"s","tool_name":"t"}},
        {"type":"tool_use","id":"n2","name":"apply_diff","input":{"path":"a"}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"n2","content":[{"type":"text","text":"The user denied this operation."}]}]}]"#;
    let read = read_text("api_conversation_history.json", text);
    assert_eq!(read.brief(), ["main use_mcp_tool mcp ? s:t", "main apply_diff edit failed a"]);
    assert_eq!(read.calls[0].namespace.as_deref(), Some("s"));
}

#[test]
fn with_both_files_rows_only_add_what_the_conversation_lost() {
    let folder = Folder::new()
        .file("tasks/17/api_conversation_history.json", conversation())
        .file("tasks/17/ui_messages.json", rows());
    let want = [
        "main write_to_file write ok src/z.py",
        "main execute_command shell failed=3 make test",
        "main newTask spawn ok Code Fabricator",
        "main use_mcp_tool mcp failed srv:look",
        "main appliedDiff edit ? src/x.py",
    ];
    for name in ["tasks/17", "tasks/17/ui_messages.json", "tasks/17/api_conversation_history.json"] {
        let read = folder.read(name);
        assert_eq!(read.brief(), want, "{name}");
        assert_eq!(read.record.session_id.as_deref(), Some("17"));
        assert_eq!(read.record.ended, Some(Ended::Done));
    }
}

#[test]
fn the_stream_is_the_rows_as_lines() {
    let lines = [says("task", "go"), says("command", "make"), says("completion_result", "bye")].join("\n");
    let read = read_text("out.jsonl", lines);
    assert_eq!(read.brief(), ["main execute_command shell ? make", "main attempt_completion complete ok -"]);
    assert_eq!(read.record.client, "cline");
}
