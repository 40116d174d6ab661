//! The unclear checks of a plan, wherever they stand.

use wire::plan::{Criterion, Unclear};
use wire::{Plan, TaskId};

/// An unclear check.
#[derive(Debug, Clone, Copy)]
pub struct UnclearCheck<'p> {
    /// Its task; `None` if it is about the whole plan.
    pub task: Option<&'p TaskId>,
    /// The criterion.
    pub criterion: &'p Criterion,
    /// Why it is unclear.
    pub unclear: &'p Unclear,
}

/// Every unclear check of a plan that is neither left out nor ticked, in the order of the document.
pub fn unclear(plan: &Plan) -> Vec<UnclearCheck<'_>> {
    let own = plan.tasks.iter().flat_map(|task| task.criteria.iter().map(move |one| (Some(&task.id), one)));
    let goals = plan.notes.iter().filter(|note| note.goal && !note.checked).flat_map(|note| &note.checks);
    let whole = plan.gates.iter().chain(goals).map(|one| (None, one));
    let held = own
        .chain(whole)
        .filter_map(|(task, criterion)| Some(UnclearCheck { task, criterion, unclear: criterion.holds()? }));
    let mut found: Vec<UnclearCheck<'_>> = held.collect();
    found.sort_by(|a, b| {
        let key = |check: &UnclearCheck<'_>| (check.unclear.span.path.clone(), check.unclear.span.start);
        key(a).cmp(&key(b))
    });
    found
}

/// The same criteria without the offer of a rewrite, where the bytes of the criterion are not its text alone.
pub(crate) fn without_rewrite(mut found: Vec<Criterion>) -> Vec<Criterion> {
    for unclear in found.iter_mut().filter_map(|criterion| criterion.unclear.as_mut()) {
        unclear.rewrite = None;
    }
    found
}
