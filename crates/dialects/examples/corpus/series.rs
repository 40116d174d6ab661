//! Consecutive versions of the same plan: if they differ only in boxes, the plans must differ only in those states.
//!
//! The names of versions differ in a date and a commit: `repo__2026-03-23_055f525__rest`.

use dialects::read;
use markdown::Text;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wire::Plan;

/// The result of comparing the series of a corpus.
#[derive(Default)]
pub(crate) struct Series {
    /// Neighbours that differ only in the boxes of tasks.
    pub(crate) pairs: usize,
    /// The number of boxes in which they differ.
    pub(crate) boxes: usize,
    /// The number of states in which their plans differ.
    pub(crate) states: usize,
    /// Pairs whose plans differ in anything else, or in a different number of states.
    pub(crate) wrong: Vec<String>,
}

/// Compares all neighbours among the plans.
pub(crate) fn compare(plans: &[PathBuf]) -> Series {
    let mut groups: BTreeMap<String, Vec<&PathBuf>> = BTreeMap::new();
    for path in plans {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(key) = undated(&name) {
            groups.entry(key).or_default().push(path);
        }
    }
    let mut series = Series::default();
    for versions in groups.values() {
        for pair in versions.windows(2) {
            if let [one, other] = pair {
                series.pair(one, other);
            }
        }
    }
    series
}

/// The name without its version part.
fn undated(name: &str) -> Option<String> {
    let mut parts: Vec<&str> = name.split("__").collect();
    let at = parts.iter().position(|part| part.len() > 11 && part.starts_with("20") && part.contains('_'))?;
    parts.remove(at);
    Some(parts.join("__"))
}

impl Series {
    fn pair(&mut self, one: &Path, other: &Path) {
        let (Ok(before), Ok(after)) = (std::fs::read(one), std::fs::read(other)) else { return };
        let plan = |bytes: &[u8]| read(&Text { path: "PLAN.md", bytes }, None).ok();
        let (Some(was), Some(is)) = (plan(&before), plan(&after)) else { return };
        let Some(boxes) = ticked(&before, &after, &was) else { return };
        let states = was.tasks.iter().zip(&is.tasks).filter(|(a, b)| a.state != b.state).count();
        self.pairs += 1;
        self.boxes += boxes;
        self.states += states;
        if states != boxes || asked(&was) != asked(&is) {
            self.wrong.push(format!("{}: {boxes} boxes, {states} states", other.display()));
        }
    }
}

/// The number of task boxes in which two texts differ; `None` if they differ elsewhere or not at all.
fn ticked(before: &[u8], after: &[u8], plan: &Plan) -> Option<usize> {
    let marks: Vec<u64> = plan.tasks.iter().filter_map(|task| Some(task.mark.as_ref()?.start)).collect();
    let differ = before.iter().zip(after).enumerate().filter(|(_, (a, b))| a != b);
    let places: Vec<u64> = differ.map(|(at, _)| at as u64).collect();
    let only = before.len() == after.len() && places.iter().all(|at| marks.contains(at));
    (only && !places.is_empty()).then_some(places.len())
}

/// The part that must be equal in both plans: everything but the states.
fn asked(plan: &Plan) -> Vec<(String, String, Vec<String>)> {
    let ids = |task: &wire::Task| task.depends_on.iter().map(ToString::to_string).collect();
    plan.tasks.iter().map(|task| (task.id.to_string(), task.fingerprint.to_string(), ids(task))).collect()
}
