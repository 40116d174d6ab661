//! Sections that describe a task whose box is elsewhere: `### Phase 2: …` below a list of phases, `### Milestone 2` beside an
//! item of Progress.

use crate::read::fingerprint;
use markdown::{Extent, Outline};
use wire::Task;
use wire::plan::Span;

/// The member of a task that has the span of its description.
pub(crate) const DESCRIBED: &str = "described";

/// Where a task is described, if not where its box is.
pub(crate) fn span(task: &Task) -> Option<Span> {
    serde_json::from_value(task.extra.get(DESCRIBED)?.clone()).ok()
}

/// Makes a section the description of a task, so that its fingerprint covers it. `parts` are the tasks and marks inside
/// the section; they and all boxes there leave the fingerprint as it is.
pub(crate) fn attach(outline: &Outline, task: &mut Task, at: Extent, parts: &[Extent]) {
    let at = outline.trimmed(at);
    let span = serde_json::to_value(outline.span(at)).unwrap_or_default();
    task.extra.insert(DESCRIBED.to_owned(), span);
    let boxes = outline.items_in(at).iter().filter_map(|item| item.mark);
    let mut cuts: Vec<Extent> = parts.iter().copied().chain(boxes).collect();
    cuts.sort_unstable_by_key(|cut| (cut.start, std::cmp::Reverse(cut.end)));
    cuts.dedup_by(|next, last| next.start < last.end);
    task.fingerprint = fingerprint::with_section(&task.fingerprint, outline, at, &cuts);
}
