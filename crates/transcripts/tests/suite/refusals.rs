//! Refused input: missing files, files of no known client, unknown names.

use crate::folder::Folder;
use std::path::Path;

fn fails(path: &Path, client: Option<&str>) -> (&'static str, u8) {
    let fail = transcripts::read(path, client, &mut |_| panic!("a call out of nothing")).unwrap_err();
    (fail.code, fail.exit.code())
}

#[test]
fn a_missing_file_is_missing() {
    let folder = Folder::new();
    assert_eq!(fails(&folder.path("none.jsonl"), None), ("not-found", 66));
    assert_eq!(fails(&folder.path("none.jsonl"), Some("claude")), ("not-found", 66));
}

#[test]
fn a_file_of_nobody_is_no_transcript() {
    let texts = [
        "",
        "\n\n",
        "# A plan\n\n- [ ] a task\n",
        "{}\n{}\n",
        r#"{"name":"transcripts","version":"1"}"#,
        r#"{"id":"x-1","title":"an issue","status":"open"}"#,
        r#"{"type":"error","message":"no"}"#,
        "[1,2,3]",
        "\u{0}\u{0}\u{0}",
    ];
    for text in texts {
        let folder = Folder::new().file("f.jsonl", text);
        assert_eq!(fails(&folder.path("f.jsonl"), None), ("not-a-transcript", 65), "{text}");
    }
    let folder = Folder::new().file("sub/a.txt", "");
    assert_eq!(fails(&folder.path("sub"), None), ("not-a-transcript", 65));
}

#[test]
fn an_unknown_client_is_a_usage_error() {
    assert_eq!(fails(Path::new("x"), Some("nobody")), ("unknown-client", 2));
}

#[test]
fn every_client_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<_> =
        transcripts::table().iter().map(|client| client.name).collect();
    assert_eq!(names.len(), transcripts::table().len());
}

#[cfg(not(feature = "sqlite"))]
#[test]
fn a_build_without_databases_says_so() {
    let folder = Folder::new().file("opencode.db", "SQLite format 3\0 and so on");
    assert_eq!(fails(&folder.path("opencode.db"), None), ("no-sqlite", 69));
}
