//! Damaged records: whatever is cut, torn or strange, no call appears that the intact record does not have.

use crate::folder::Folder;
use crate::{aider, claude, cline, codex, events, gemini, goose, opencode};
use std::collections::HashMap;
use transcripts::{Call, Record};

/// Every fixture: the client, the file's name, the text.
fn fixtures() -> Vec<(&'static str, &'static str, String)> {
    vec![
        ("claude", "s1.jsonl", claude::session()),
        ("codex", "rollout-1.jsonl", codex::rollout()),
        ("opencode", "export.json", opencode::export()),
        ("gemini", "session-1.jsonl", gemini::log()),
        ("goose", "export.json", goose::export()),
        ("cline", "one__ui_messages.json", cline::rows()),
        ("cline", "one__conversation.json", cline::conversation()),
        ("aider", "history.md", aider::HISTORY.to_owned()),
        ("events", "events.ndjson", events::EVENTS.to_owned()),
    ]
}

fn read(client: &str, name: &str, bytes: &[u8]) -> (Vec<Call>, Record) {
    let folder = Folder::new().file(name, bytes);
    let mut calls = Vec::new();
    let record = transcripts::read(&folder.path(name), Some(client), &mut |call| calls.push(call)).unwrap();
    (calls, record)
}

/// The identity of a call; its result may be missing.
fn counted(calls: &[Call]) -> HashMap<(String, String, String), usize> {
    let mut counts = HashMap::new();
    for call in calls {
        *counts.entry((call.agent.clone(), call.name.clone(), call.id.clone())).or_default() += 1;
    }
    counts
}

fn assert_within(part: &[Call], whole: &[Call], what: &str) {
    let whole = counted(whole);
    for (call, count) in counted(part) {
        assert!(whole.get(&call).is_some_and(|known| *known >= count), "{what}: {call:?}");
    }
}

#[test]
fn a_record_cut_anywhere_gives_no_wrong_call() {
    for (client, name, text) in fixtures() {
        let (whole, _) = read(client, name, text.as_bytes());
        assert!(!whole.is_empty(), "{name}");
        for end in (0..text.len()).step_by(7) {
            let (part, _) = read(client, name, &text.as_bytes()[..end]);
            assert_within(&part, &whole, &format!("{name} cut at {end}"));
        }
    }
}

#[test]
fn a_cut_last_line_is_counted() {
    let text = claude::session();
    let (_, record) = read("claude", "s1.jsonl", &text.as_bytes()[..text.len() - 9]);
    assert_eq!(record.unknown, 1);
    let (_, record) = read("opencode", "e.json", &opencode::export().as_bytes()[..300]);
    assert_eq!(record.unknown, 1);
}

#[test]
fn a_torn_line_costs_only_itself() {
    let noise: [&[u8]; 5] =
        [b"{\"type\":\"assistant\",\"message\":", b"\0\0\0\0", b"[1,2]", b"\xff\xfe", b"nonsense"];
    let lines = [("claude", "s1.jsonl", claude::session()), ("codex", "rollout-1.jsonl", codex::rollout())];
    for (client, name, text) in lines {
        let (whole, _) = read(client, name, text.as_bytes());
        for bad in noise {
            let mut bytes = Vec::new();
            for line in text.lines() {
                bytes.extend_from_slice(line.as_bytes());
                bytes.push(b'\n');
                bytes.extend_from_slice(bad);
                bytes.push(b'\n');
            }
            let (got, record) = read(client, name, &bytes);
            assert_eq!(counted(&got), counted(&whole));
            assert_eq!(record.unknown, text.lines().count() as u64);
        }
    }
}

#[test]
fn unknown_types_and_fields_of_other_types_hide_no_call() {
    let odd = r#"{"type":"brand-new","sessionId":7,"message":["x"],"isSidechain":"maybe"}"#;
    let call = r#"{"type":"assistant","sessionId":{"a":1},"timestamp":5,"message":{"model":[],"content":[3,null,{"type":"tool_use","id":"t","name":"Write","input":{"file_path":["a"],"command":7}}]}}"#;
    let (calls, record) = read("claude", "s1.jsonl", format!("{odd}\n{call}\n").as_bytes());
    assert_eq!((calls.len(), calls[0].name.as_str(), record.unknown), (1, "Write", 0));
}

#[test]
fn a_byte_that_is_no_text_does_not_hide_the_call_beside_it() {
    let text = claude::call("", "t1", "Bash", r#"{"command":"echo @"}"#);
    let bytes: Vec<u8> = text.bytes().map(|byte| if byte == b'@' { 0xff } else { byte }).collect();
    let (calls, record) = read("claude", "s1.jsonl", &bytes);
    assert_eq!(calls[0].target.as_deref(), Some("echo \u{fffd}"));
    assert_eq!(record.unknown, 0);
}

#[test]
fn a_result_without_a_call_is_an_orphan() {
    let text = claude::result("", "t9", false, "x") + &claude::said("end");
    let (calls, record) = read("claude", "s1.jsonl", text.as_bytes());
    assert_eq!((calls.len(), record.orphans), (0, 1));
}
