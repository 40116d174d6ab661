//! Forms of YAML that are accepted, and those that are rejected.

use super::*;

#[test]
fn values_lists_and_maps_are_read_with_their_place() {
    let text = "---\r\nid: \"109\" # note\r\nstatus: in-progress\r\ndeps: [\"1\", 2]\r\ntouches:\r\n  - cli\r\n\
                verify:\r\n  - type: bash\r\n    run: \"go test ./...\"\r\n---\r\nbody";
    let matter = read(text).unwrap();
    assert_eq!((matter.text("id"), &text[matter.body..]), ("109", "body"));
    let at = matter.get("status").unwrap().at;
    assert_eq!(&text[at.start..at.end], "in-progress");
    assert_eq!((matter.list("deps"), matter.list("touches")), (vec!["1", "2"], vec!["cli"]));
    let run = &matter.get("verify").unwrap().maps[0];
    assert_eq!(run[1], ("run".to_owned(), "go test ./...".to_owned()));
}

#[test]
fn what_has_no_end_is_no_front_matter() {
    for text in ["", "---\n", "---\nid: 1\n", "# x\n---\nid: 1\n---\n"] {
        assert!(read(text).is_none(), "{text}");
    }
}

const CHECKS: &[(&str, Reads)] = &[("status", Reads::Word), ("deps", Reads::List), ("verify", Reads::Checks)];

fn refused(inner: &str) -> Option<String> {
    let text = format!("---\nid: 1\n{inner}\n---\n");
    let fail = read(&text).unwrap().understood(CHECKS, "t.md", &text).err()?;
    Some(fail.to_string())
}

#[test]
fn valid_yaml_is_read_in_all_its_forms() {
    for (inner, wanted) in [
        ("verify:\n  - type: bash\n    run: \"! grep -rq \\\"TODO\\\" src\"", "! grep -rq \"TODO\" src"),
        ("verify:\n  - type: bash\n    run: >-\n      cargo test\n      --all", "cargo test --all"),
        (
            "verify:\n  - run: |\n      cargo build\n      cargo test\n    type: bash",
            "cargo build\ncargo test",
        ),
        ("verify:\n  - {type: bash, run: \"false\"}", "false"),
        ("verify:\n- type: bash\n  run: 'it''s # no comment' # a comment", "it's # no comment"),
        ("verify: [{type: bash,\n   run: a b}]", "a b"),
        ("\"verify\" :\n  # first\n  - type: bash\n\n    run: a: b", ""),
        ("verify:\n  - type: bash\n    run: äöü 'x'", "äöü 'x'"),
    ] {
        let text = format!("---\nid: 1\n{inner}\n---\n");
        let matter = read(&text).unwrap();
        if wanted.is_empty() {
            assert!(refused(inner).is_some(), "{inner}");
            continue;
        }
        assert_eq!(refused(inner), None, "{inner}");
        let run = matter.get("verify").unwrap().maps[0].iter().find(|(key, _)| key == "run").unwrap();
        assert_eq!(run.1, wanted, "{inner}");
    }
    assert_eq!(refused("deps:\n  [\n    1,\n    \"2\"\n  ]\nstatus: 'todo' # x\nverify: []"), None);
    assert_eq!(
        refused("title: Fix: the door\nnotes: *x\nstatus: todo"),
        None,
        "only what is acted on is refused"
    );
}

#[test]
fn what_is_not_understood_is_refused_with_its_line() {
    for (inner, line, word) in [
        ("verify:\n  - type: bash\n    run: ! grep x y", 5, "a tag"),
        ("verify:\n  - type: bash\n    run: [ -f x ]", 5, "a list"),
        ("verify:\n  - type: bash\n    run: *all", 5, "not valid YAML"),
        ("verify:\n  - type: bash\n    run: a: b", 5, "not valid YAML"),
        ("verify:\n  - type: bash\n\t  run: a", 4, "not valid YAML"),
        ("verify:\n  - type: bash\n    run: \"a", 5, "not valid YAML"),
        ("verify:\n  - cargo test", 4, "single value"),
        ("verify: cargo test", 3, "one value"),
        ("verify:\n  type: bash\n  run: a", 4, "a map"),
        ("verify:\n  - type: http\n    run: a", 4, "no check of type 'http'"),
        ("verify:\n  - type: bash\n    run: a\n    expect: 3", 4, "no 'expect'"),
        ("verify:\n  - type: bash\n    run: a\n  - type: bash", 6, "has 'run'"),
        ("verify:\n  - type: bash\n    run: a\n    run: b", 4, "twice"),
        ("verify: []\nstatus: x\nverify: []", 5, "twice"),
        ("status: |\n  todo", 3, "cannot be replaced"),
        ("status: {a: b}", 3, "a map"),
        ("deps: [[a]]", 3, "a list stands in a list"),
        ("deps:\n  - a: b", 4, "a map"),
    ] {
        let said = refused(inner).unwrap_or_default();
        assert!(said.contains(word) && said.contains(&format!("t.md:{line}")), "{inner}\n{said}");
        assert!(said.contains("write '"), "the form that is understood: {said}");
    }
}

proptest::proptest! {
    #[test]
    fn no_text_makes_it_fail(text in "[-\\[\\]{}:,#&*!|>'\"%@`~?\\\\ \t\r\na-cä]{0,80}") {
        let text = format!("---\nverify:{text}\n---\n");
        if let Some(matter) = read(&text) {
            let _ = matter.understood(CHECKS, "t.md", &text);
        }
    }
}
