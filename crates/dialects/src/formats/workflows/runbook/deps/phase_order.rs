//! The order of the phases: document order, unless a phase waits for a later one.
//!
//! A later phase moves to just before the first phase that waits for it, and no further.

use crate::formats::workflows::runbook::deps::PhaseOrder;

/// The rank of each phase in execution order; `None` if phases wait for each other.
pub(crate) fn of(count: usize, waits: &PhaseOrder) -> Option<Vec<usize>> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    // Push in reverse, so that the phase that comes first in the document moves first.
    for (phase, other) in waits.iter().rev() {
        before.get_mut(*phase)?.push(*other);
    }
    let mut rank: Vec<Option<usize>> = vec![None; count];
    let mut open = vec![false; count];
    let mut placed = 0;
    for first in 0..count {
        let mut path = vec![first];
        while let Some(&phase) = path.last() {
            if rank.get(phase)?.is_some() {
                path.pop();
            } else if let Some(next) = before.get_mut(phase)?.pop() {
                *open.get_mut(phase)? = true;
                // A phase that is still open when reached again waits for itself.
                if *open.get(next)? && rank.get(next)?.is_none() {
                    return None;
                }
                path.push(next);
            } else {
                *rank.get_mut(phase)? = Some(placed);
                placed += 1;
                path.pop();
            }
        }
    }
    rank.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_may_wait_for_a_later_one() {
        assert_eq!(of(3, &PhaseOrder::new()), Some(vec![0, 1, 2]));
        assert_eq!(of(3, &PhaseOrder::from([(1, 2), (2, 0)])), Some(vec![0, 2, 1]));
        assert_eq!(of(4, &PhaseOrder::from([(1, 3)])), Some(vec![0, 2, 3, 1]));
        assert_eq!(of(2, &PhaseOrder::from([(0, 1), (1, 0)])), None);
        assert_eq!(of(3, &PhaseOrder::from([(0, 2), (2, 1), (1, 0)])), None);
    }
}
