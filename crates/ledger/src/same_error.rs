//! Detects the same error twice: ignores parts that differ each time (digits, paths, times).

use crate::task_history::RETRY;
use serde_json::Value;
use std::collections::HashSet;
use wire::order::MENDED;
use wire::punch::Type;
use wire::{Punch, TaskId};

/// The last two errors of these records, if they are the same. Only halts that count and end the attempt of a worker are
/// errors of the work. A person who asks for another attempt has seen the error.
pub fn twice<'a>(records: impl Iterator<Item = &'a Punch>) -> Option<(&'a Punch, &'a Punch)> {
    let counts = |p: &Punch| p.data.pointer("/halt/counts").and_then(Value::as_bool) == Some(true);
    // Quality warnings are handed on from one refactor agent to the next: they are no error that comes again.
    // A diagnosis that mended the cause leaves the step to its worker.
    let is_error = |p: &Punch| {
        let is_mended = p.data.get("detail").is_some_and(|detail| detail.get(MENDED).is_some());
        p.data.pointer("/halt/code").and_then(Value::as_str) != Some("quality-warnings") && !is_mended
    };
    let mut at_work: HashSet<&TaskId> = HashSet::new();
    let (mut last, mut before) = (None, None);
    for record in records {
        match (record.kind, &record.task) {
            (Type::AttemptBegin, Some(task)) => drop(at_work.insert(task)),
            (Type::Halt, Some(task)) if counts(record) && at_work.remove(task) && is_error(record) => {
                (before, last) = (last, Some(record));
            }
            (Type::Override, _) if record.key == RETRY => (before, last) = (None, None),
            _ => {}
        }
    }
    before.zip(last).filter(|(before, last)| error(before) == error(last))
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
