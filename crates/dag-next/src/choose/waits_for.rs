//! Tasks whose own file waits for another task that the list does not name.
//!
//! Such a file is opened when the task is handed out: handoff halts the order then, and the record says which tasks it
//! waits for. The task is not handed out again before they are done.

use crate::choose::held_back::Held;
use crate::choose::pick::Table;
use serde_json::Value;
use wire::status::Code;

/// Why the task at `i` waits, if the last record about it says so and that still holds.
pub(crate) fn held(table: &Table<'_>, i: usize) -> Option<Held> {
    let failure = table.standing(i).failure.as_ref()?;
    let text = |at: &str| failure.pointer(at).and_then(Value::as_str);
    if text("/halt/code") != Some(wire::order::WAITS_FOR) {
        return None;
    }
    let named = failure.pointer("/detail/for").and_then(Value::as_array)?;
    let open = |id: &str| table.sheet.tasks.iter().any(|task| *task.id.0 == *id && !task.state.is_settled());
    let open: Vec<&str> = named.iter().filter_map(Value::as_str).filter(|id| open(id)).collect();
    (!open.is_empty()).then(|| Held::new(Code::Later, format!("its own file waits for {}", open.join(", "))))
}
