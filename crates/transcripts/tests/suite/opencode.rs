//! opencode and Kilo CLI: export, stream, storage files.

use crate::folder::{Folder, read, read_text};
use transcripts::{Ended, Source};

pub(crate) fn tool(id: &str, name: &str, input: &str, rest: &str) -> String {
    format!(r#"{{"type":"tool","tool":"{name}","callID":"{id}","state":{{"input":{input},{rest}}}}}"#)
}

pub(crate) fn parts() -> [String; 5] {
    [
        r#"{"type":"text","text":"Working."}"#.into(),
        tool(
            "p1",
            "write",
            r#"{"filePath":"/w/a"}"#,
            r#""status":"completed","time":{"start":1700000000123}"#,
        ),
        tool("p2", "bash", r#"{"command":"make"}"#, r#""status":"completed","metadata":{"exit":3}"#),
        tool("p3", "edit", r#"{"filePath":"/w/a"}"#, r#""status":"error","error":"no match""#),
        r#"{"type":"step-finish","reason":"stop","cost":0.5}"#.into(),
    ]
}

const WANT: [&str; 3] =
    ["main write write ok /w/a", "main bash shell failed=3 make", "main edit edit failed /w/a"];

pub(crate) fn export() -> String {
    format!(
        r#"{{"info":{{"id":"ses_1","directory":"/w"}},"messages":[{{"info":{{"role":"user"}},"parts":[{{"type":"text","text":"go"}}]}},{{"info":{{"role":"assistant","modelID":"model-c","mode":"build"}},"parts":[{}]}}]}}"#,
        parts().join(",")
    )
}

#[test]
fn an_export_gives_calls_with_exit_codes() {
    let read = read_text("export.json", export());
    assert_eq!(read.brief(), WANT);
    assert_eq!(read.calls[0].at.as_deref(), Some("1700000000123"));
    let record = read.record;
    assert_eq!((record.client, record.session_id.as_deref()), ("opencode", Some("ses_1")));
    assert_eq!((record.model.as_deref(), record.mode.as_deref()), (Some("model-c"), Some("build")));
    assert_eq!((record.cost, record.ended, record.messages), (Some(0.5), Some(Ended::Done), 2));
    assert_eq!(record.final_text.as_deref(), Some("Working."));
}

#[test]
fn a_childs_export_is_the_sub_agents() {
    let text = export().replace(r#""id":"ses_1","#, r#""id":"ses_2","parentID":"ses_1","#);
    assert_eq!(read_text("export.json", text).brief()[0], "ses_2 write write ok /w/a");
}

#[test]
fn kilo_is_told_by_the_place() {
    let folder = Folder::new().file("kilo/export.json", export());
    assert_eq!(folder.read("kilo/export.json").record.client, "kilo");
}

#[test]
fn the_stream_gives_the_same_calls() {
    let event = |part: &String| format!(r#"{{"type":"x","timestamp":1,"sessionID":"ses_1","part":{part}}}"#);
    let stream: Vec<_> = parts().iter().map(event).collect();
    let read = read_text("out.jsonl", stream.join("\n"));
    assert_eq!(read.brief(), WANT);
    assert_eq!(read.record.ended, Some(Ended::Done));
}

fn storage() -> Folder {
    let session =
        |id: &str, parent: &str| format!(r#"{{"id":"{id}",{parent}"projectID":"p","directory":"/w"}}"#);
    let mut folder = Folder::new()
        .file("storage/session/p/ses_1.json", session("ses_1", ""))
        .file("storage/session/p/ses_0.json", session("ses_0", r#""parentID":"ses_1","#))
        .file("storage/message/ses_1/msg_1.json", r#"{"role":"assistant","modelID":"model-c"}"#)
        .file("storage/message/ses_0/msg_2.json", r#"{"role":"assistant"}"#)
        .file(
            "storage/part/msg_2/prt_9.json",
            tool("q", "bash", r#"{"command":"wc"}"#, r#""status":"running""#),
        );
    for (number, part) in parts().iter().enumerate() {
        folder = folder.file(&format!("storage/part/msg_1/prt_{number}.json"), part);
    }
    folder
}

#[test]
fn storage_files_are_read_with_the_sessions_below() {
    let folder = storage();
    let want = [&WANT[..], &["ses_0 bash shell ? wc"]].concat();
    assert_eq!(folder.read("storage/session/p/ses_1.json").brief(), want);
    assert_eq!(folder.read("storage").brief(), want);
}

#[test]
fn of_several_sessions_one_must_be_named() {
    let folder = storage()
        .file("storage/session/q/ses_7.json", r#"{"id":"ses_7","projectID":"q","directory":"/v"}"#)
        .file("storage/message/ses_7/msg_7.json", r#"{"role":"assistant"}"#)
        .file(
            "storage/part/msg_7/prt_1.json",
            tool("z", "read", r#"{"filePath":"f"}"#, r#""status":"completed""#),
        );
    let path = folder.path("storage");
    let fail = transcripts::read(&path, None, &mut |_| {}).unwrap_err();
    assert_eq!((fail.code, fail.exit.code()), ("several-sessions", 65));
    assert_eq!(read(&path, Some("ses_7")).brief(), ["main read read ok f"]);
    let source = Source { path: &path, session: Some("ses_8") };
    let fail = transcripts::read_session(&source, None, &mut |_| {}).unwrap_err();
    assert_eq!((fail.code, fail.exit.code()), ("no-session", 66));
}
