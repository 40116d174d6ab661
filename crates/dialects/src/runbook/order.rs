//! The order of the phases: as in the document, unless a phase says that it waits for a later one.
//!
//! A later phase that is waited for is drawn forward to just before the first that waits for it, and no further.

use super::depends::PhaseOrder;

/// The place of each phase in the order to work in; `None` where phases wait for each other.
pub(crate) fn of(count: usize, waits: &PhaseOrder) -> Option<Vec<usize>> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    // Pushed from the last on, so that of several the first of the document is drawn forward first.
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
                // A phase that is still open on the way to itself waits for itself.
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
