//! Importing and exporting a session preserves it: nothing unknown is dropped, in either version.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use proptest::prelude::*;
use sessions::{Draft, Live, Over, SessionText, Stage, Target, export, normal};
use std::path::Path;

const NOW: &str = "2026-01-31T12:00:00Z";

/// Imports a text and exports it again.
fn again(dir: &Path, text: &str) -> String {
    let live = Live::at(dir, None).unwrap();
    live.import(&SessionText::of("s.json", text.into()).unwrap(), NOW).unwrap();
    let target = Target::file(&dir.join("out.json"), Over::Replace);
    export(&live, &target, NOW).unwrap();
    std::fs::read_to_string(&target.path).unwrap()
}

#[test]
fn odd_but_valid_exports_come_back_as_they_were() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        r#"{"thoughts":[{"thought":"a"}]}"#,
        r#"{"version":2,"thoughts":[{"thought":"a","m":1,"m":2,"n":1.50,"big":123456789012345678901234567890}]}"#,
        r#"{"x":{"thoughts":[1]},"thoughts":[{"thought":"\u00e9\ud83d\ude00\/ \" é","tags":[],"more":{"deep":[{},[]]}}],"version":1,"y":null,"x":2}"#,
        r#"{"exportedAt":"2020-01-01T00:00:00","thoughts":[{"type":"note","thought":"a","type":7}],"metadata":{"totalThoughts":99}}"#,
        r#"{"chain":{"task":"t","link":"prep","seal":{"thoughts":1,"sha256":"x"}},"thoughts":[{"thought":"a"}]}"#,
    ];
    for text in cases {
        assert_eq!(again(dir.path(), text), normal(text), "{text}");
    }
}

#[test]
fn a_new_thought_keeps_the_version_and_everything_unknown() {
    let dir = tempfile::tempdir().unwrap();
    for (version, head) in [("v1", ""), ("v2", "\"version\":2,")] {
        let text = format!(
            "{{{head}\"thoughts\":[{{\"thought\":\"a\",\"thoughtNumber\":1,\"totalThoughts\":1,\"own\":[1.0]}}],\"else\":true}}"
        );
        let live = Live::at(dir.path(), None).unwrap();
        live.import(&SessionText::of("s.json", text.into()).unwrap(), NOW).unwrap();
        let draft = |number| Draft {
            thought: "b".into(),
            number,
            total: number,
            timestamp: NOW.into(),
            ..Draft::of(Stage::Research)
        };
        live.think(NOW, draft).unwrap();
        let target = Target::file(&dir.path().join("more.json"), Over::Replace);
        assert_eq!(export(&live, &target, NOW).unwrap().format, version);
        let out = std::fs::read_to_string(&target.path).unwrap();
        assert!(out.contains("\"own\": [\n        1.0\n      ]") && out.contains("\"else\": true"), "{out}");
        assert!(out.contains("\"totalThoughts\": 2") && out.contains("\"Research\": 1"), "{out}");
    }
}

/// Any small JSON value.
fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>()
            .prop_map(|n| serde_json::Number::from_f64(n).map_or(serde_json::Value::Null, Into::into)),
        ".{0,12}".prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_export_comes_back_as_it_was(
        thoughts in prop::collection::vec((".{1,20}", prop::collection::btree_map("x[a-z]{0,6}", any_json(), 0..4)), 1..4),
        around in prop::collection::btree_map("x[a-z]{0,6}", any_json(), 0..4),
        version in prop_oneof![Just(None), Just(Some(1)), Just(Some(2))],
    ) {
        let thoughts: Vec<serde_json::Value> = thoughts.into_iter().map(|(text, more)| {
            let mut map: serde_json::Map<_, _> = more.into_iter().collect();
            map.insert("thought".into(), text.into());
            map.into()
        }).collect();
        let mut document: serde_json::Map<String, serde_json::Value> = around.into_iter().collect();
        document.insert("thoughts".into(), thoughts.into());
        document.extend(version.map(|version| ("version".to_owned(), version.into())));
        let text = serde_json::Value::Object(document).to_string();
        let dir = tempfile::tempdir().unwrap();
        prop_assert_eq!(again(dir.path(), &text), normal(&text));
    }
}
