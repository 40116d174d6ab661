//! The reader of what comes from outside, for tests that give it anything. It may not panic.

use crate::choose::strategy::Strategy;
use crate::plan::PlanView;
use config::profile::Profile;

/// A `plan/1` document: its graph, and the text of each task.
pub fn plan(bytes: &[u8]) {
    let Ok(sheet) = PlanView::read(bytes) else { return };
    for task in &sheet.tasks {
        let _ = sheet.raw(task);
    }
    let Ok(graph) = sheet.graph() else { return };
    let Ok(profile) = Profile::of_dialect(&sheet.source.dialect) else { return };
    let _ = Strategy::of(&sheet, profile, None).linked(&sheet, graph);
}
