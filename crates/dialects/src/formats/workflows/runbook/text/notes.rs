//! Boxes of a runbook that belong to no step: preconditions and final criteria.
//!
//! They are kept as notes. A box within a step is part of the step's text, even if a step file replaces that text.

use crate::Plan;
use crate::criteria::notes;
use crate::lists::described;
use markdown::{Extent, Outline};
use std::collections::HashMap;
use wire::Seen;

/// Adds the boxes of all texts that lie outside of tasks.
pub(crate) fn take(sheets: &[Outline], plan: &mut Plan) {
    let sections = sections(plan);
    for outline in sheets {
        let held = sections.get(outline.path).map(Vec::as_slice).unwrap_or_default();
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

/// The ranges of each text that belong to tasks, sorted and without overlap.
fn sections(plan: &Plan) -> HashMap<Seen, Vec<Extent>> {
    let described = plan.tasks.iter().filter_map(described::span);
    let offset = |at: u64| usize::try_from(at).unwrap_or(usize::MAX);
    let mut all: HashMap<Seen, Vec<Extent>> = HashMap::new();
    for span in plan.tasks.iter().map(|task| task.span.clone()).chain(described) {
        let section = Extent { start: offset(span.start), end: offset(span.end) };
        all.entry(span.path).or_default().push(section);
    }
    for sections in all.values_mut() {
        *sections = merged(std::mem::take(sections));
    }
    all
}

fn merged(mut sections: Vec<Extent>) -> Vec<Extent> {
    sections.sort_unstable_by_key(|section| section.start);
    let mut held: Vec<Extent> = Vec::with_capacity(sections.len());
    for section in sections {
        match held.last_mut().filter(|last| section.start < last.end) {
            Some(last) => last.end = last.end.max(section.end),
            None => held.push(section),
        }
    }
    held
}
