//! Databases of opencode and goose, with a write-ahead log that is not checkpointed yet.

use crate::folder::{Folder, read};
use crate::{goose, opencode};
use rusqlite::Connection;
use transcripts::Ended;

/// A database that stays open, so that its log is not checkpointed.
fn open(folder: &Folder, name: &str) -> Connection {
    let database = Connection::open(folder.path(name)).unwrap();
    database.pragma_update(None, "journal_mode", "wal").unwrap();
    database.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    database
}

#[test]
fn opencodes_log_is_read_with_the_database() {
    let folder = Folder::new();
    let database = open(&folder, "opencode.db");
    let tables = "create table session(id text primary key, parent_id text);
        create table message(id text primary key, session_id text, data text);
        create table part(id text primary key, message_id text, session_id text, data text);
        insert into session values ('ses_1', null), ('ses_2', 'ses_1');
        insert into message values ('m1', 'ses_1', '{\"role\":\"assistant\",\"modelID\":\"model-c\"}');";
    database.execute_batch(tables).unwrap();
    for (number, part) in opencode::parts().iter().enumerate() {
        let row = (format!("prt_{number}"), part);
        database.execute("insert into part values (?1, 'm1', 'ses_1', ?2)", row).unwrap();
    }
    let child =
        opencode::tool("q", "bash", r#"{"command":"wc"}"#, r#""status":"completed","metadata":{"exit":0}"#);
    database.execute("insert into part values ('prt_9', 'm9', 'ses_2', ?1)", [child]).unwrap();
    let got = read(&folder.path("opencode.db"), None);
    assert_eq!(
        got.brief(),
        [
            "main write write ok /w/a",
            "main bash shell failed=3 make",
            "main edit edit failed /w/a",
            "ses_2 bash shell ok=0 wc",
        ]
    );
    assert_eq!((got.record.client, got.record.ended), ("opencode", Some(Ended::Done)));
    assert_eq!(got.record.final_text.as_deref(), Some("Working."));
    database.execute("insert into session values ('ses_3', null)", []).unwrap();
    let path = folder.path("opencode.db");
    assert_eq!(transcripts::read(&path, None, &mut |_| {}).unwrap_err().code, "several-sessions");
    assert_eq!(read(&path, Some("ses_1")).calls.len(), 4);
}

#[test]
fn gooses_sub_agents_are_those_that_the_answers_name() {
    let folder = Folder::new();
    let database = open(&folder, "sessions.db");
    let tables = "create table sessions(id text primary key, name text, session_type text, goose_mode text, model_config_json text,
            accumulated_cost real);
        create table messages(id integer primary key, session_id text, role text, content_json text,
            created_timestamp integer);
        insert into sessions values ('s_1', 'ours', 'user', 'auto', '{\"model_name\":\"model-o\"}', 0.5),
            ('s_2', 'theirs', 'sub_agent', 'auto', null, null), ('s_3', 'theirs', 'sub_agent', 'auto', null, null);";
    database.execute_batch(tables).unwrap();
    let add = |session: &str, message: &str| {
        let value: serde_json::Value = serde_json::from_str(message).unwrap();
        let row = (session, value["role"].as_str(), value["content"].to_string());
        let sql =
            "insert into messages(session_id, role, content_json, created_timestamp) values (?1, ?2, ?3, 5)";
        database.execute(sql, row).unwrap();
    };
    let messages = goose::messages();
    messages[..4].iter().for_each(|message| add("s_1", message));
    add("s_2", &messages[1]);
    add("s_3", &messages[1]);
    messages[4..].iter().for_each(|message| add("s_1", message));
    let got = read(&folder.path("sessions.db"), None);
    assert_eq!(
        got.brief(),
        ["main shell shell failed=3 make", "main delegate spawn ok s_2", "s_2 shell shell ? make"]
    );
    assert_eq!((got.record.client, got.record.cost), ("goose", Some(0.5)));
    assert_eq!(got.record.model.as_deref(), Some("model-o"));
    let path = folder.path("sessions.db");
    let named = read(&path, Some("ours"));
    assert_eq!((named.calls.len(), named.record.session_id.as_deref()), (3, Some("s_1")));
    for nobody in ["theirs", "nobody"] {
        let source = transcripts::Source { path: &path, session: Some(nobody) };
        assert_eq!(transcripts::read_session(&source, None, &mut |_| {}).unwrap_err().code, "no-session");
    }
}
