//! Maps names to tasks.
//!
//! Looking up names is most of the work of building a graph. All names are copied into one buffer and every slot is
//! one number, so that a hundred thousand tasks stay within the processor's cache.

use crate::model::csr::{NONE, index};
use std::hash::{BuildHasher, RandomState};

/// The half of a slot with the index.
const LOW: u64 = u32::MAX as u64;
/// Names that are looked up together.
const BATCH: usize = 256;

/// Names and their indices.
#[derive(Debug)]
pub(crate) struct Names {
    text: Vec<u8>,
    ends: Vec<u32>,
    /// Index plus one in the low half, the upper half of the name's hash in the other; 0 is free.
    slots: Vec<u64>,
    seed: u64,
}

impl Names {
    pub(crate) fn with_capacity(names: usize) -> Names {
        // Seeded like the standard maps, so that no plan can make all its names collide in one slot.
        let seed = RandomState::new().hash_one(names);
        let slots = vec![0; (names * 2).next_power_of_two()];
        Names { text: Vec::with_capacity(names * 8), ends: Vec::with_capacity(names), slots, seed }
    }

    /// Gives the name the next index, whether or not it is new; returns the index that had it first. The caller
    /// must not add more names than there is room for.
    pub(crate) fn add(&mut self, name: &str) -> Option<u32> {
        let this = index(self.ends.len());
        self.text.extend_from_slice(name.as_bytes());
        self.ends.push(index(self.text.len()));
        match self.find(name.as_bytes()) {
            Ok(first) => Some(first),
            Err((slot, tag)) => {
                self.slots[slot] = tag | u64::from(this + 1);
                None
            }
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<u32> {
        self.find(name.as_bytes()).ok()
    }

    /// The index of each name, or [`NONE`]. Works in batches, first all hashes, then all slots, then all
    /// comparisons, so that the memory accesses overlap.
    pub(crate) fn get_all(&self, names: &[&str]) -> Vec<u32> {
        let mut found = Vec::with_capacity(names.len());
        let mut hashes = Vec::with_capacity(BATCH);
        for names in names.chunks(BATCH) {
            hashes.clear();
            hashes.extend(names.iter().map(|name| hash(name.as_bytes(), self.seed)));
            let start = found.len();
            found.extend(hashes.iter().map(|&hash| self.probe(hash, |_| true).unwrap_or(NONE)));
            for (name, found) in names.iter().zip(&mut found[start..]) {
                if *found != NONE && self.name(*found) != name.as_bytes() {
                    *found = self.get(name).unwrap_or(NONE);
                }
            }
        }
        found
    }

    /// The name's index, or the slot and the tag for it.
    fn find(&self, name: &[u8]) -> Result<u32, (usize, u64)> {
        self.probe(hash(name, self.seed), |found| self.name(found) == name)
    }

    /// The first index whose slot has this hash and for which `is_it` holds, or the slot and the tag for it.
    fn probe(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Result<u32, (usize, u64)> {
        let [low, tag] = [hash & LOW, hash & !LOW];
        let mask = self.slots.len() - 1;
        let mut at = usize::try_from(low).unwrap_or(0) & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err((at, tag));
            }
            if slot & !LOW == tag {
                let found = u32::try_from((slot & LOW) - 1).unwrap_or(NONE);
                if is_it(found) {
                    return Ok(found);
                }
            }
            at = (at + 1) & mask;
        }
    }

    fn name(&self, i: u32) -> &[u8] {
        let i = i as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start as usize..self.ends[i] as usize]
    }
}

/// Eight bytes at a time, folded by multiplication.
fn hash(name: &[u8], seed: u64) -> u64 {
    let fold = |a: u64, b: u64| {
        let [low, high] = halves(u128::from(a) * u128::from(b));
        low ^ high
    };
    let mut sum = seed ^ name.len() as u64;
    for chunk in name.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        sum = fold(sum ^ u64::from_le_bytes(bytes), 0x9e37_79b9_7f4a_7c15);
    }
    fold(sum ^ 0xd6e8_feb8_6659_fd93, seed | 1)
}

fn halves(wide: u128) -> [u64; 2] {
    let low = u64::try_from(wide & u128::from(u64::MAX)).unwrap_or(0);
    [low, u64::try_from(wide >> 64).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::{NONE, Names};

    #[test]
    fn names_are_told_apart_and_the_first_of_equals_is_kept() {
        let all: Vec<String> = (0..5000).map(|i| format!("a rather long task name {i}")).collect();
        let mut names = Names::with_capacity(all.len() + 2);
        assert!(all.iter().all(|name| names.add(name).is_none()));
        assert_eq!((names.add(&all[7]), names.add("")), (Some(7), None));
        for (name, i) in all.iter().zip(0..) {
            assert_eq!(names.get(name), Some(i));
        }
        assert_eq!(names.get_all(&["nobody", "", &all[9]]), [NONE, 5001, 9]);
        assert_eq!(
            (names.get(""), names.get("a"), names.get("a rather long task name ")),
            (Some(5001), None, None)
        );
    }

    #[test]
    fn no_names_at_all_are_no_trouble() {
        assert_eq!(Names::with_capacity(0).get("x"), None);
    }
}
