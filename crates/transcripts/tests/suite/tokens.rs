//! The tokens of a session: everything that was read and written, each turn once, whatever the client leaves out of a figure.

use crate::folder::{Folder, read_text};
use wire::order::Tokens;

fn told(name: &str, text: &str) -> Option<Tokens> {
    read_text(name, text).record.tokens
}

fn tokens(input: u64, output: u64, cached: u64) -> Option<Tokens> {
    Some(Tokens { input, output, cached })
}

#[test]
fn claude_repeats_a_message_with_each_of_its_blocks() {
    let line = |id: &str, agent: &str, output: u64| {
        format!(
            r#"{{"type":"assistant","sessionId":"s","isSidechain":{},"message":{{"id":"{id}","content":[],"usage":{{"input_tokens":10,"cache_creation_input_tokens":3,"cache_read_input_tokens":5,"output_tokens":{output}}}}}}}"#,
            !agent.is_empty()
        )
    };
    let text = [line("m1", "", 1), line("m1", "", 7), line("m9", "sub", 4), line("m2", "", 2)].join("\n");
    assert_eq!(told("s.jsonl", &text), tokens(54, 13, 15));
    let stream = r#"{"type":"assistant","session_id":"s","uuid":"u","message":{"id":"m1","content":[],"usage":{"input_tokens":10,"output_tokens":1}}}
{"type":"result","session_id":"s","uuid":"u","modelUsage":{"a":{"inputTokens":10,"outputTokens":9,"cacheReadInputTokens":4},"b":{"inputTokens":1,"outputTokens":1}}}"#;
    assert_eq!(told("stdout.log", stream), tokens(15, 10, 4), "the end of a stream has the sum");
}

#[test]
fn codex_counts_the_whole_thread() {
    let count = |input: u64| {
        format!(
            r#"{{"timestamp":"t","type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{input},"cached_input_tokens":4,"output_tokens":2}}}}}}}}"#
        )
    };
    assert_eq!(told("rollout-x.jsonl", &[count(10), count(30)].join("\n")), tokens(30, 2, 4));
    let stream = "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":8,\"cached_input_tokens\":1,\"output_tokens\":3}}";
    assert_eq!(told("stdout.log", stream), tokens(8, 3, 1));
}

#[test]
fn gemini_writes_a_message_twice_and_thoughts_apart() {
    let chat = r#"{"sessionId":"s","projectHash":"p","kind":"main"}
{"id":"1","type":"gemini","content":"a","tokens":{"input":10,"output":2,"cached":4,"thoughts":3,"tool":1}}
{"id":"1","type":"gemini","content":"a","tokens":{"input":10,"output":2,"cached":4,"thoughts":3,"tool":1},"toolCalls":[]}
{"id":"2","type":"gemini","content":"b","tokens":{"input":20,"output":1,"cached":0,"thoughts":0,"tool":0}}"#;
    assert_eq!(told("session-1.jsonl", chat), tokens(31, 6, 4));
}

#[test]
fn opencode_counts_the_cache_beside_the_input() {
    let step = |total: &str| {
        format!(
            r#"{{"type":"step_finish","sessionID":"s","part":{{"type":"step-finish","reason":"stop","tokens":{{{total}"input":10,"output":2,"reasoning":5,"cache":{{"read":4,"write":1}}}}}}}}"#
        )
    };
    assert_eq!(told("stdout.log", &step("\"total\":22,")), tokens(15, 7, 4));
    assert_eq!(told("stdout.log", &step("")), tokens(15, 5, 4), "earlier versions count thoughts as output");
}

#[test]
fn goose_cline_and_events_add_up() {
    let export = r#"{"id":"s_1","session_type":"user","working_dir":"/w","accumulated_input_tokens":30,"accumulated_output_tokens":4,"accumulated_cache_read_tokens":2,"conversation":[]}"#;
    assert_eq!(told("export.json", export), tokens(30, 4, 2));
    let rows = r#"[{"ts":1,"type":"say","say":"api_req_started","text":"{\"tokensIn\":10,\"tokensOut\":2,\"cacheReads\":4}"},{"ts":2,"type":"say","say":"api_req_started","text":"{\"tokensIn\":20,\"tokensOut\":3}"}]"#;
    assert_eq!(told("ui_messages.json", rows), tokens(30, 5, 4));
    let turns = r#"{"version":1,"sessionId":"7_a","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"run_commands","input":{"commands":["make"]}}],"metrics":{"inputTokens":10,"outputTokens":2,"cacheReadTokens":1}}]}"#;
    let read = read_text("7_a.messages.json", turns);
    assert_eq!((read.record.tokens, read.record.session_id.as_deref()), (tokens(10, 2, 1), Some("7_a")));
    assert_eq!(read.brief(), ["main run_commands shell ? make"]);
    let events = "{\"name\":\"x\",\"ok\":true,\"tokens\":{\"input\":1,\"output\":2,\"cached\":1}}\n{\"type\":\"usage\",\"tokens\":{\"input\":5}}";
    assert_eq!(told("events.ndjson", events), tokens(6, 2, 1));
}

#[test]
fn aider_rounds_in_its_history_and_not_in_its_events() {
    let history = "# aider chat started at 2026-01-01 10:00:00\n\n#### go\n\nyes\n\n> Tokens: 100 sent, 8 cache hit, 20 received. Cost: $0.25 message, $0.25 session.\n";
    assert_eq!(told("h.md", history), tokens(100, 20, 8));
    let rounded = history.replace("100 sent", "1.2k sent");
    assert_eq!(told("h.md", &rounded), None);
    let log = "{\"event\":\"launched\",\"properties\":{}}\n{\"event\":\"message_send\",\"properties\":{\"prompt_tokens\":1234,\"completion_tokens\":20}}\nbroken\n";
    let folder = Folder::new().file("h.md", rounded).file(transcripts::AIDER_EVENTS, log);
    assert_eq!(folder.read("h.md").record.tokens, tokens(1234, 20, 0));
}

#[test]
fn a_failed_request_says_nothing() {
    let line = r#"{"type":"assistant","sessionId":"s","message":{"id":"m","model":"<synthetic>","content":[],"usage":{"input_tokens":0,"output_tokens":0}}}"#;
    assert_eq!(told("s.jsonl", line), None);
}
