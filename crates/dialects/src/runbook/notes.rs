//! Boxes of a runbook that belong to no step: what must be there before it begins, what must hold at its end.
//!
//! They are kept as notes. A box within a step is part of the step's text, also where a step file took its place.

use super::overlay::DESCRIBED;
use crate::plan_md::notes;
use crate::{Extent, Outline, Plan};
use wire::Task;
use wire::plan::Span;

/// Takes the boxes of all texts that no task holds.
pub(crate) fn take(sheets: &[Outline], plan: &mut Plan) {
    for outline in sheets {
        let held = sections(outline, plan);
        let mut next = 0;
        let inside = |at: usize| {
            while held.get(next).is_some_and(|section| section.end <= at) {
                next += 1;
            }
            held.get(next).is_some_and(|section| section.start <= at)
        };
        notes::outside(outline, inside, plan);
    }
}

/// What of one text the tasks hold, in order and without overlap.
fn sections(outline: &Outline, plan: &Plan) -> Vec<Extent> {
    let described = |task: &Task| serde_json::from_value::<Span>(task.extra.get(DESCRIBED)?.clone()).ok();
    let described = plan.tasks.iter().filter_map(described);
    let spans = plan.tasks.iter().map(|task| task.span.clone()).chain(described);
    let offset = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let own = spans.filter(|span| span.path == outline.path);
    let mut all: Vec<Extent> =
        own.map(|span| Extent { start: offset(span.start), end: offset(span.end) }).collect();
    all.sort_unstable_by_key(|section| section.start);
    let mut held: Vec<Extent> = Vec::with_capacity(all.len());
    for section in all {
        match held.last_mut().filter(|last| section.start < last.end) {
            Some(last) => last.end = last.end.max(section.end),
            None => held.push(section),
        }
    }
    held
}
