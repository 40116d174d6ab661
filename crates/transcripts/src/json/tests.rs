//! Both readers agree, on plain and on broken lines.

use super::{Left, from_part, from_slice};
use crate::json::marks::Marks;
use proptest::prelude::*;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Kept<'a> {
    #[serde(borrow)]
    raw: Option<&'a RawValue>,
    word: Option<String>,
}

fn plain<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, Left> {
    super::plain(line, &Marks::of(line), 0..line.len())
}

/// Compares both readers on a text; ours may leave it to the other, but must never accept what the other refuses.
fn agree(text: &[u8]) {
    if let Ok(ours) = plain::<Value>(text) {
        assert_eq!(ours, serde_json::from_slice::<Value>(text).unwrap(), "{}", String::from_utf8_lossy(text));
    }
    if plain::<IgnoredAny>(text).is_ok() {
        assert!(serde_json::from_slice::<IgnoredAny>(text).is_ok(), "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn plain_lines_are_read_here_and_say_the_same() {
    let lines = [
        r#"{"a":[1,-2,3.5,1e3,-0,0,18446744073709551615,-9223372036854775808],"b":{"c":null},"d":[true,false]}"#,
        r#" { "long" : "0123456789 0123456789 \" \\ \/ \b\f\n\r\t \u00e4 \ud83d\ude00" , "x" : [ ] , "y" : { } } "#,
        "{\"ü\":\"straße\",\"\\u0061\":\"b\"}",
        "\"\"",
        "7",
    ];
    for line in lines {
        let ours: Value = plain(line.as_bytes()).unwrap_or_else(|_| panic!("{line}"));
        assert_eq!(ours, serde_json::from_str::<Value>(line).unwrap());
        assert!(plain::<IgnoredAny>(line.as_bytes()).is_ok(), "{line}");
    }
    let kept: Kept<'_> = plain(br#"{"raw":{"a": [1, "\n"]},"word":"x","other":[{}]}"#).unwrap();
    assert_eq!((kept.raw.unwrap().get(), kept.word.as_deref()), (r#"{"a": [1, "\n"]}"#, Some("x")));
}

#[test]
fn a_structure_that_is_written_as_a_list_ends_where_the_list_ends() {
    for text in ["[]]", "[null]]", "[[null,null,[null,null]", "[[]]]", "[[],[]", "[null,\"w\",1]"] {
        let taken =
            plain::<Kept<'_>>(text.as_bytes()).is_ok() || plain::<Vec<Kept<'_>>>(text.as_bytes()).is_ok();
        assert!(!taken, "{text}");
    }
}

#[test]
fn what_is_no_json_is_refused_whoever_looks_at_it() {
    let broken = [
        "",
        "{",
        "}",
        "[1,]",
        "{\"a\":1,}",
        "{,}",
        "[,1]",
        "{\"a\" 1}",
        "{\"a\":}",
        "01",
        "-",
        "1.",
        "1e",
        ".5",
        "+1",
        "tru",
        "nul",
        "\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"0123456789012345",
        "[1 2]",
        "{1:2}",
        "1 2",
        "\"a\tb\"",
        "[1}",
        "\"\\",
    ];
    for text in broken {
        assert!(from_slice::<IgnoredAny>(text.as_bytes()).is_err(), "{text}");
        assert!(from_slice::<Value>(text.as_bytes()).is_err(), "{text}");
    }
    let deep = "[".repeat(5000);
    assert!(from_slice::<IgnoredAny>(deep.as_bytes()).is_err());
}

#[test]
fn the_end_of_a_string_is_found_wherever_it_stands() {
    for filler in ["x", "é", r"\n", r#"\""#, r"\\", r"\u00e4", "x\\u0041"] {
        for count in 0..150 {
            let line = format!(r#"{{"k":"{}{}","a":["",1]}}"#, "y".repeat(count % 7), filler.repeat(count));
            let ours: Value = plain(line.as_bytes()).unwrap_or_else(|_| panic!("{line}"));
            assert_eq!(ours, serde_json::from_str::<Value>(&line).unwrap());
            for end in 0..line.len() {
                agree(&line.as_bytes()[..end]);
            }
        }
    }
}

#[test]
fn a_blank_line_does_not_reach_back_to_those_before_it() {
    // This would take far too long if each line were measured from the beginning of the text.
    let text = vec![b'\n'; 1 << 19];
    let marks = Marks::of(&text);
    let read = (0..text.len()).filter(|at| from_part::<IgnoredAny>(&text, &marks, *at..*at).is_ok());
    assert_eq!(read.count(), 0);
}

proptest! {
    #[test]
    fn both_agree_on_texts_that_look_like_json(text in r#"[\[\]{}",:0-9eE+.\-\\u a-ftrunls\x00-\x20ä]{0,40}"#) {
        agree(text.as_bytes());
    }

    #[test]
    fn a_line_says_the_same_among_others(before in r#"[a-z"\\\t\n]{0,90}"#, word in ".{0,140}") {
        let value = serde_json::json!({ word.clone(): [word, 1.5, { "k": [] }] });
        let line = serde_json::to_vec(&value).unwrap();
        let text = [before.as_bytes(), b"\n", &line, b"\n\"\\"].concat();
        let place = before.len() + 1..before.len() + 1 + line.len();
        prop_assert_eq!(super::plain::<Value>(&text, &Marks::of(&text), place).unwrap(), value);
    }

    #[test]
    fn both_agree_on_json_with_a_byte_changed(
        key in ".{0,20}", word in ".{0,140}", figure in any::<f64>(), at in any::<prop::sample::Index>(), byte: u8
    ) {
        let value = serde_json::json!({ key: [word.clone(), { word: figure }, null, true] });
        let mut text = serde_json::to_vec(&value).unwrap();
        agree(&text);
        let at = at.index(text.len());
        text[at] = byte;
        agree(&text);
    }
}
