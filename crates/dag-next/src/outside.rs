//! The reader of what comes from outside, for tests that give it anything. It may not panic.

use crate::plan::Sheet;
use crate::strategy::Strategy;

/// A `plan/1` document: its graph, and the text of each task.
pub fn plan(bytes: &[u8]) {
    let Ok(sheet) = Sheet::read(bytes) else { return };
    for task in &sheet.tasks {
        let _ = sheet.raw(task);
    }
    let Ok(graph) = sheet.graph() else { return };
    let _ = Strategy::of(&sheet, None).linked(&sheet, graph);
}
