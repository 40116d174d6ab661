//! Detects the same error twice: ignores parts that differ each time (digits, paths, times).

use serde_json::Value;
use wire::Punch;
use wire::punch::Type;

/// The last error of these records, if the one before it is the same. Only halts that count are errors of the work.
pub fn twice<'a>(records: impl DoubleEndedIterator<Item = &'a Punch>) -> Option<&'a Punch> {
    let counts = |p: &&Punch| p.data.pointer("/halt/counts").and_then(Value::as_bool) == Some(true);
    // Quality warnings are handed on from one refactor agent to the next: they are no error that comes again.
    let is_error =
        |p: &&Punch| p.data.pointer("/halt/code").and_then(Value::as_str) != Some("quality-warnings");
    let mut halts = records.rev().filter(|p| p.kind == Type::Halt).filter(counts).filter(is_error);
    let (last, before) = (halts.next()?, halts.next()?);
    (error(last) == error(before)).then_some(last)
}

/// The message of a halt, with its failed checks.
fn error(halt: &Punch) -> String {
    let said = halt.data.pointer("/halt/message").and_then(Value::as_str).unwrap_or_default();
    let mut out = masked(said);
    for row in halt.data.pointer("/detail/failed").and_then(Value::as_array).into_iter().flatten() {
        for name in ["command", "reason"] {
            out.push('\n');
            out.push_str(&masked(row.get(name).and_then(Value::as_str).unwrap_or_default()));
        }
    }
    out
}

/// A message without the parts that differ each time.
fn masked(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| !word.contains('/'));
    let words = words.map(|word| word.chars().filter(|c| !c.is_ascii_digit()).collect::<String>());
    words.collect::<Vec<_>>().join(" ")
}
