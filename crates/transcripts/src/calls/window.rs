//! `Window`: the calls that may still get a result, in call order.
//!
//! A result comes after its call, sometimes long after. The window holds calls back up to a fixed amount of memory
//! and releases the oldest first, so the output is always in the order of the record. A result that comes after its
//! call was released is counted as an orphan.

use crate::Call;
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, VecDeque};
use std::hash::{Hash, Hasher};

/// How many bytes of calls to hold back: thousands of calls.
const HELD: usize = 2 << 20;

pub(crate) struct Window<'s> {
    sink: &'s mut dyn FnMut(Call),
    held: VecDeque<Call>,
    weight: usize,
    /// The number of released calls, which is the number of the first one held.
    left: u64,
    places: HashMap<u64, u64>,
    /// The number of calls added.
    pub(crate) calls: u64,
    /// The number of results without a call.
    pub(crate) orphans: u64,
}

impl<'s> Window<'s> {
    pub(crate) fn new(sink: &'s mut dyn FnMut(Call)) -> Self {
        Self { sink, held: VecDeque::new(), weight: 0, left: 0, places: HashMap::new(), calls: 0, orphans: 0 }
    }

    /// Adds a call and returns its number.
    pub(crate) fn push(&mut self, call: Call) -> u64 {
        self.weight += call.weight();
        if !call.id.is_empty() {
            self.places.insert(place(&call.agent, &call.id), self.left + self.held.len() as u64);
        }
        self.held.push_back(call);
        self.calls += 1;
        while self.weight > HELD {
            self.let_go();
        }
        self.calls - 1
    }

    /// The call with this number, if it is still held; for calls without an id.
    pub(crate) fn at(&mut self, number: u64) -> Option<&mut Call> {
        let index = usize::try_from(number.checked_sub(self.left)?).ok()?;
        self.held.get_mut(index)
    }

    /// The call with this id, if it is still held.
    pub(crate) fn find(&mut self, agent: &str, id: &str) -> Option<&mut Call> {
        let number = *self.places.get(&place(agent, id))?;
        let index = usize::try_from(number.checked_sub(self.left)?).ok()?;
        self.held.get_mut(index).filter(|call| call.id == id && call.agent == agent)
    }

    /// Writes a result into its call.
    pub(crate) fn resolve(&mut self, agent: &str, id: &str, ok: Option<bool>, exit_code: Option<i32>) {
        let Some(call) = self.find(agent, id) else {
            self.orphans += 1;
            return;
        };
        call.ok = ok.or(call.ok);
        call.exit_code = exit_code.or(call.exit_code);
    }

    /// Releases all calls: this file has no more results.
    pub(crate) fn flush(&mut self) {
        while !self.held.is_empty() {
            self.let_go();
        }
        self.places.clear();
    }

    fn let_go(&mut self) {
        let Some(call) = self.held.pop_front() else { return };
        self.weight = self.weight.saturating_sub(call.weight());
        let key = place(&call.agent, &call.id);
        if self.places.get(&key) == Some(&self.left) {
            self.places.remove(&key);
        }
        self.left += 1;
        (self.sink)(call);
    }
}

fn place(agent: &str, id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    agent.hash(&mut hasher);
    id.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_find_their_calls_and_the_order_is_that_of_the_calls() {
        let mut out = Vec::new();
        let mut sink = |call| out.push(call);
        let mut window = Window::new(&mut sink);
        window.push(Call::new("", "Bash", "a"));
        window.push(Call::new("sub", "Bash", "a"));
        window.resolve("sub", "a", Some(true), Some(0));
        window.resolve("", "a", Some(false), Some(3));
        window.resolve("", "nobody", Some(true), None);
        window.flush();
        assert_eq!(window.orphans, 1);
        let got: Vec<_> = out.iter().map(|call| (call.agent.as_str(), call.ok, call.exit_code)).collect();
        assert_eq!(got, [("", Some(false), Some(3)), ("sub", Some(true), Some(0))]);
    }

    #[test]
    fn memory_is_bounded_and_no_call_is_lost() {
        let mut count = 0u64;
        let mut sink = |_| count += 1;
        let mut window = Window::new(&mut sink);
        for number in 0..200_000 {
            window.push(Call::new("", "Bash", &number.to_string()).about(Some("some command or other")));
            assert!(window.weight <= HELD);
        }
        window.flush();
        assert_eq!(count, 200_000);
    }
}
