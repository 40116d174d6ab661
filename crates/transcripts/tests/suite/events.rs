//! Plain events.

use crate::folder::read_text;
use transcripts::Ended;

pub(crate) const EVENTS: &str = r#"{"name":"Edit","target":"a.txt","ok":true,"at":"t1"}
{"tool":"deploy","id":"e1","kind":"shell","input":{"command":"make"}}
{"tool_name":"Bash","agent":"sub","id":"e1","exit_code":2}
{"id":"e1","ok":false,"exit_code":1}
{"type":"message","text":"hello"}
{"something":"else"}
{"type":"end","ok":true,"text":"bye"}
"#;

#[test]
fn events_are_calls_results_and_an_end() {
    let read = read_text("events.ndjson", EVENTS);
    assert_eq!(
        read.brief(),
        ["main Edit edit ok a.txt", "main deploy shell failed=1 make", "sub Bash shell failed=2 -"]
    );
    let record = read.record;
    assert_eq!((record.client, record.unknown, record.messages), ("events", 1, 1));
    assert_eq!((record.final_text.as_deref(), record.ended), (Some("bye"), Some(Ended::Done)));
}
