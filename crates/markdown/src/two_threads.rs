//! Splits work between two threads: each fills one half of a long list.
//!
//! The result is in the order of the list, whichever thread made it; a short list is not worth a second thread.

use std::thread;

/// One thread fills lists shorter than this.
const SHORT: usize = 1_000;

/// Fills each slot from the entry at the same index; returns the notes in the order of the list.
pub fn fill<S: Send, T: Sync, N: Send>(
    slots: &mut [S],
    list: &[T],
    fill: impl Fn(&mut S, &T, &mut Vec<N>) + Sync,
) -> Vec<N> {
    let run = |slots: &mut [S], list: &[T]| {
        let mut notes = Vec::new();
        for (slot, entry) in slots.iter_mut().zip(list) {
            fill(slot, entry, &mut notes);
        }
        notes
    };
    if list.len() < SHORT {
        return run(slots, list);
    }
    let (first, second) = list.split_at(list.len() / 2);
    let (early, late) = slots.split_at_mut(first.len().min(slots.len()));
    let (mut notes, more) = both(|| run(early, first), || run(late, second));
    notes.extend(more);
    notes
}

/// The results from each entry, in the order of the list.
pub fn gather<T: Sync, N: Send>(list: &[T], take: impl Fn(&T, &mut Vec<N>) + Sync) -> Vec<N> {
    fill(&mut vec![(); list.len()], list, |(), entry, found| take(entry, found))
}

/// Runs two closures at once, the second on another thread; one after the other if no thread can be started.
pub fn both<A, B: Send>(first: impl FnOnce() -> A, mut second: impl FnMut() -> B + Send) -> (A, B) {
    let (first, other) = thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, &mut second);
        let first = first();
        (first, other.ok().and_then(|other| other.join().ok()))
    });
    (first, other.unwrap_or_else(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_that_of_the_list() {
        for count in [0, 1, SHORT - 1, SHORT, SHORT + 1, 3 * SHORT] {
            let list: Vec<usize> = (0..count).collect();
            let mut slots = vec![0; count];
            let notes = fill(&mut slots, &list, |slot, entry, notes| {
                *slot = entry + 1;
                notes.extend((entry % 3 == 0).then_some(*entry));
            });
            assert!(slots.iter().enumerate().all(|(at, slot)| *slot == at + 1), "{count}");
            assert_eq!(notes, (0..count).step_by(3).collect::<Vec<_>>());
            assert_eq!(gather(&list, |entry, found| found.push(*entry)), list);
        }
    }
}
