//! Resolves references to steps and phases.

use super::number::Number;
use super::refs::Ref;
use crate::formats::workflows::runbook::draft::{Draft, Step};
use std::collections::{BTreeMap, HashMap};

/// The steps and phases of a draft, by name.
pub(crate) struct Index {
    ids: HashMap<String, usize>,
    /// Steps by the parts of their number; a number may occur more than once.
    numbers: BTreeMap<(usize, Vec<u64>, String), Vec<usize>>,
    phases: Vec<(Number, String)>,
}

/// The target of a reference.
pub(crate) enum Meaning {
    Steps(Vec<usize>),
    Phases(Vec<String>),
    /// Nothing has this name.
    Nothing(String),
    /// A range too large to be intended.
    TooMany(String),
}

/// The maximum size of a range: a larger one would add more edges than the plan has text.
const MOST: usize = 1000;

impl Index {
    pub(crate) fn new(draft: &Draft) -> Self {
        let mut ids = HashMap::new();
        let mut numbers: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (index, Step { task, number, .. }) in draft.steps.iter().enumerate() {
            ids.entry(task.id.as_str().to_owned()).or_insert(index);
            if let Some(number) = number {
                numbers.entry(key(number)).or_default().push(index);
            }
        }
        let phases = draft.phases.iter();
        let phases = phases.filter_map(|phase| Some((Number::of(&phase.id)?, phase.id.clone()))).collect();
        Self { ids, numbers, phases }
    }

    pub(crate) fn find(&self, reference: &Ref) -> Meaning {
        match reference {
            Ref::Task(from, to) => self.steps(from, to),
            Ref::Phase(from, to) => self.phases(from, to),
        }
    }

    fn steps(&self, from: &Number, to: &Number) -> Meaning {
        if from == to {
            // The parts of a cycle are steps of their own; waiting for the cycle means waiting for all of them.
            let same = self.numbers.get(&key(from)).cloned();
            let named = self.ids.get(&from.text).map(|index| vec![*index]);
            return named.or(same).map_or_else(|| Meaning::Nothing(from.text.clone()), Meaning::Steps);
        }
        let range = format!("{}-{}", from.text, to.text);
        if key(from) > key(to) {
            return Meaning::Nothing(range);
        }
        let steps: Vec<usize> = self
            .numbers
            .range(key(from)..=key(to))
            .flat_map(|(_, steps)| steps)
            .copied()
            .take(MOST + 1)
            .collect();
        match steps.len() {
            0 => Meaning::Nothing(range),
            many if many > MOST => Meaning::TooMany(range),
            _ => Meaning::Steps(steps),
        }
    }

    fn phases(&self, from: &Number, to: &Number) -> Meaning {
        let within = self.phases.iter().filter(|(number, _)| number.is_within(from, to));
        let phases: Vec<String> = within.map(|(_, id)| id.clone()).take(MOST + 1).collect();
        let name = || {
            if from == to {
                format!("phase {}", from.text)
            } else {
                format!("phases {}-{}", from.text, to.text)
            }
        };
        match phases.len() {
            0 => Meaning::Nothing(name()),
            many if many > MOST => Meaning::TooMany(name()),
            _ => Meaning::Phases(phases),
        }
    }
}

fn key(number: &Number) -> (usize, Vec<u64>, String) {
    let (parts, letter) = number.order();
    (parts.len(), parts.to_vec(), letter.to_owned())
}
