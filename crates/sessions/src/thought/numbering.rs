//! Checks the numbers and references of a session's thoughts one after the other.
//!
//! The main line counts 1, 2, 3; it may skip a number that a branch or a revision took. Each branch counts upwards by
//! itself. A second 1 on the main line begins another sequence: in a chain this is the next subtask, in a preparation
//! it is foreign thinking.

use crate::Thought;
use crate::live::draft::{Draft, is_branch};
use std::collections::{HashMap, HashSet};

/// The fields of a thought that its numbering depends on.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mark<'a> {
    number: u64,
    total: u64,
    revision: bool,
    revises: Option<u64>,
    from: Option<u64>,
    branch: Option<&'a str>,
}

impl<'a> From<&'a Thought<'_>> for Mark<'a> {
    fn from(thought: &'a Thought<'_>) -> Self {
        Self {
            number: thought.thought_number,
            total: thought.total_thoughts,
            revision: thought.is_revision,
            revises: thought.revises_thought_number,
            from: thought.branch_from_thought,
            branch: thought.branch_id.as_ref().map(crate::thought::Text::str),
        }
    }
}

impl<'a> From<&'a Draft> for Mark<'a> {
    fn from(draft: &'a Draft) -> Self {
        Self {
            number: draft.number,
            total: draft.total,
            revision: draft.revises.is_some(),
            revises: draft.revises,
            from: draft.branch_from,
            branch: draft.branch_id.as_deref(),
        }
    }
}

/// An irregularity in a thought's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Odd {
    /// Another sequence begins.
    Restart,
    /// The number is not the next one.
    Number(String),
    /// The referenced thought does not exist.
    Reference(String),
}

/// The numbers seen so far.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    main: u64,
    /// Numbers of the open sequence.
    used: HashSet<u64>,
    /// Numbers of all sequences.
    known: HashSet<u64>,
    branches: HashMap<String, u64>,
}

impl Numbering {
    /// The next number on the main line.
    pub(crate) fn next(&self) -> u64 {
        let mut next = self.main.saturating_add(1);
        while next < u64::MAX && self.used.contains(&next) {
            next = next.saturating_add(1);
        }
        next
    }

    /// Takes the next thought and returns its irregularities.
    pub(crate) fn take(&mut self, mark: &Mark<'_>) -> Vec<Odd> {
        let mut odd = references(mark, &self.known);
        let number = mark.number;
        if number == 0 {
            odd.push(Odd::Number("a thought has no number".to_owned()));
        } else if mark.total < number {
            odd.push(Odd::Number(format!("thought {number} is beyond its total of {}", mark.total)));
        }
        match (mark.revision, mark.branch, mark.from) {
            (false, Some(branch), _) => odd.extend(self.on_branch(branch, number)),
            (false, None, None) => odd.extend(self.on_main(number)),
            (true, ..) | (false, None, Some(_)) => {}
        }
        self.used.insert(number);
        self.known.insert(number);
        odd
    }

    fn on_branch(&mut self, branch: &str, number: u64) -> Option<Odd> {
        let last = match self.branches.get_mut(branch) {
            Some(last) => std::mem::replace(last, number.max(*last)),
            None => self.branches.insert(branch.to_owned(), number).unwrap_or(0),
        };
        (number <= last)
            .then(|| Odd::Number(format!("thought {number} of branch '{branch}' comes after {last}")))
    }

    fn on_main(&mut self, number: u64) -> Option<Odd> {
        let last = self.main;
        if number == 1 && last > 0 {
            *self = Self { main: 1, known: std::mem::take(&mut self.known), ..Self::default() };
            return Some(Odd::Restart);
        }
        if number <= last {
            return Some(Odd::Number(format!("thought {number} comes after {last}")));
        }
        self.main = number;
        let gap = (last + 1..number).find(|number| !self.used.contains(number));
        gap.map(|gap| Odd::Number(format!("thought {gap} is missing before {number}")))
    }
}

fn references(mark: &Mark<'_>, known: &HashSet<u64>) -> Vec<Odd> {
    let number = mark.number;
    let mut odd = Vec::new();
    let mut say = |text: String| odd.push(Odd::Reference(text));
    for (target, word) in [(mark.revises, "revises"), (mark.from, "branches from")] {
        let Some(target) = target else { continue };
        if target == 0 || target >= number {
            say(format!("thought {number} {word} {target}, which is not before it"));
        } else if !known.contains(&target) {
            say(format!("thought {number} {word} {target}, which is not there"));
        }
    }
    if mark.revision != mark.revises.is_some() {
        say(format!("thought {number} is a revision of nothing, or revises and does not say so"));
    }
    if mark.revision && mark.from.is_some() {
        say(format!("thought {number} is a revision and begins a branch"));
    }
    match mark.branch {
        Some(branch) if mark.from.is_none() => {
            say(format!("thought {number} is on branch '{branch}', which leaves from no thought"));
        }
        Some(branch) if !is_branch(branch) => say(format!("'{branch}' is no name for a branch")),
        _ => {}
    }
    odd
}

#[cfg(test)]
mod tests {
    use super::{Mark, Numbering, Odd};

    fn main(number: u64) -> Mark<'static> {
        Mark { number, total: 99, ..Mark::default() }
    }

    fn branch(number: u64, from: u64) -> Mark<'static> {
        Mark { from: Some(from), branch: Some("b"), ..main(number) }
    }

    fn odd(marks: &[Mark<'_>]) -> Vec<Odd> {
        let mut numbering = Numbering::default();
        marks.iter().flat_map(|mark| numbering.take(mark)).collect()
    }

    #[test]
    fn a_branch_may_take_a_number_of_the_main_line() {
        assert_eq!(odd(&[main(1), branch(2, 1), main(3)]), []);
        assert_eq!(odd(&[main(1), main(2), branch(2, 1), branch(3, 1), main(3)]), []);
        let revision = Mark { revision: true, revises: Some(1), ..main(2) };
        assert_eq!(odd(&[main(1), revision, main(3)]), []);
    }

    #[test]
    fn gaps_repeats_and_totals_are_named() {
        let number = |text: &str| vec![Odd::Number(text.to_owned())];
        assert_eq!(odd(&[main(1), main(4)]), number("thought 2 is missing before 4"));
        assert_eq!(odd(&[main(1), main(2), main(2)]), number("thought 2 comes after 2"));
        assert_eq!(
            odd(&[main(1), branch(3, 1), branch(2, 1)]),
            number("thought 2 of branch 'b' comes after 3")
        );
        assert_eq!(odd(&[Mark { total: 0, ..main(1) }]), number("thought 1 is beyond its total of 0"));
        assert_eq!(odd(&[main(0)]).len(), 2);
        assert_eq!(
            odd(&[Mark { total: u64::MAX, ..main(u64::MAX) }]),
            number("thought 1 is missing before 18446744073709551615")
        );
    }

    #[test]
    fn a_second_first_thought_begins_another_sequence() {
        assert_eq!(odd(&[main(1), main(2), main(1), main(2)]), [Odd::Restart]);
    }

    #[test]
    fn references_must_be_there() {
        let revises = |target| Mark { revision: true, revises: Some(target), ..main(3) };
        let cases = [
            revises(3),
            revises(0),
            Mark { revision: true, ..main(3) },
            Mark { revises: Some(1), ..main(3) },
            Mark { branch: Some("b"), ..main(3) },
            Mark { branch: Some("b b"), from: Some(1), ..main(3) },
            Mark { from: Some(1), ..revises(2) },
        ];
        for case in cases {
            let odd = odd(&[main(1), main(2), case]);
            assert!(odd.iter().any(|odd| matches!(odd, Odd::Reference(_))), "{case:?}: {odd:?}");
        }
        assert_eq!(odd(&[main(1), main(2), revises(2)]), []);
    }
}
