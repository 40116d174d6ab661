//! goose: export and stream.

use crate::folder::read_text;
use transcripts::Ended;

pub(crate) fn messages() -> [String; 6] {
    let message =
        |role: &str, block: &str| format!(r#"{{"role":"{role}","created":1700000000,"content":[{block}]}}"#);
    let request = |id: &str, name: &str, arguments: &str| {
        let call = format!(r#"{{"status":"success","value":{{"name":"{name}","arguments":{arguments}}}}}"#);
        message("assistant", &format!(r#"{{"type":"toolRequest","id":"{id}","toolCall":{call}}}"#))
    };
    let response = |id: &str, value: &str| {
        let result = format!(r#"{{"status":"success","value":{value}}}"#);
        message("user", &format!(r#"{{"type":"toolResponse","id":"{id}","toolResult":{result}}}"#))
    };
    [
        message("user", r#"{"type":"text","text":"go"}"#),
        request("g1", "shell", r#"{"command":"make"}"#),
        response("g1", r#"{"isError":true,"structuredContent":{"exit_code":3}}"#),
        request("g2", "delegate", r#"{"instructions":"count"}"#),
        response("g2", r#"{"isError":false,"_meta":{"subagent_session_id":"s_2"}}"#),
        message("assistant", r#"{"type":"text","text":"Done."}"#),
    ]
}

const WANT: [&str; 2] = ["main shell shell failed=3 make", "main delegate spawn ok s_2"];

pub(crate) fn export() -> String {
    let facts =
        r#""id":"s_1","session_type":"user","goose_mode":"auto","accumulated_cost":0.25,"working_dir":"/w""#;
    let model = r#""model_config":{"model_name":"model-o"}"#;
    format!(r#"{{{facts},"conversation":[{}],{model}}}"#, messages().join(","))
}

#[test]
fn an_export_gives_calls_and_facts() {
    let read = read_text("export.json", export());
    assert_eq!(read.brief(), WANT);
    let record = read.record;
    assert_eq!((record.client, record.session_id.as_deref()), ("goose", Some("s_1")));
    assert_eq!((record.model.as_deref(), record.mode.as_deref()), (Some("model-o"), Some("auto")));
    assert_eq!((record.cost, record.messages), (Some(0.25), 6));
    assert_eq!((record.final_text.as_deref(), record.ended), (Some("Done."), Some(Ended::Done)));
}

#[test]
fn a_sub_agents_export_is_the_sub_agents() {
    let text = export().replace(r#""session_type":"user""#, r#""session_type":"sub_agent""#);
    assert_eq!(read_text("export.json", text).brief()[0], "s_1 shell shell failed=3 make");
}

#[test]
fn the_stream_gives_the_same_calls_and_errors_are_words() {
    let event = |message: &String| format!(r#"{{"type":"message","message":{message}}}"#);
    let mut lines: Vec<_> = messages().iter().map(event).collect();
    let read = read_text("out.jsonl", lines.join("\n"));
    assert_eq!(read.brief(), WANT);
    lines.push(event(&messages()[5].replace("Done.", "Ran into this error: 401")));
    assert_eq!(read_text("out.jsonl", lines.join("\n")).record.ended, Some(Ended::Error));
}
