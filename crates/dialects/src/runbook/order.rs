//! The order of the phases: as in the document, unless a phase says that it waits for a later one.

use super::depends::PhaseOrder;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The place of each phase in the order to work in; `None` where phases wait for each other.
pub(crate) fn of(count: usize, waits: &PhaseOrder) -> Option<Vec<usize>> {
    let mut open = vec![0usize; count];
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (phase, before) in waits {
        *open.get_mut(*phase)? += 1;
        after.get_mut(*before)?.push(*phase);
    }
    let free = open.iter().enumerate().filter(|(_, open)| **open == 0).map(|(phase, _)| Reverse(phase));
    let mut ready: BinaryHeap<Reverse<usize>> = free.collect();
    let mut rank = vec![0usize; count];
    let mut placed = 0;
    while let Some(Reverse(phase)) = ready.pop() {
        *rank.get_mut(phase)? = placed;
        placed += 1;
        for next in after.get(phase)? {
            let open = open.get_mut(*next)?;
            *open -= 1;
            if *open == 0 {
                ready.push(Reverse(*next));
            }
        }
    }
    (placed == count).then_some(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_may_wait_for_a_later_one() {
        assert_eq!(of(3, &PhaseOrder::new()), Some(vec![0, 1, 2]));
        assert_eq!(of(3, &PhaseOrder::from([(1, 2), (2, 0)])), Some(vec![0, 2, 1]));
        assert_eq!(of(2, &PhaseOrder::from([(0, 1), (1, 0)])), None);
    }
}
