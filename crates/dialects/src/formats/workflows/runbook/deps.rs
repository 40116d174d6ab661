//! Resolves every edge of the draft: steps get their dependencies, phases their order.
//!
//! A dangling reference is an error, unless the text is only part of a runbook and the reference leads out of it.

pub(crate) mod checkpoints;
pub(crate) mod clause;
pub(crate) mod index;
pub(crate) mod number;
pub(crate) mod phase_order;
pub(crate) mod refs;

use super::draft::{Draft, Edge, Of};
use super::model;
use crate::formats::workflows::runbook::deps::index::{Index, Meaning};
use crate::formats::workflows::runbook::deps::number::Number;
use crate::formats::workflows::runbook::deps::refs::Ref;
use std::collections::BTreeSet;
use wire::TaskId;
use wire::plan::{Diagnostic, Place, Severity};

/// Pairs of phases by their rank: the first waits for the second.
pub(crate) type PhaseOrder = BTreeSet<(usize, usize)>;

/// The steps and the phases that each step waits for, by index, and the order of phases.
#[derive(Default)]
pub(crate) struct Waits {
    pub(crate) steps: Vec<Vec<usize>>,
    pub(crate) phases: Vec<Vec<String>>,
    pub(crate) order: PhaseOrder,
}

/// Resolves the edges.
pub(crate) fn resolve(draft: &mut Draft, index: &Index) -> Waits {
    let mut waits = Waits {
        steps: vec![Vec::new(); draft.steps.len()],
        phases: vec![Vec::new(); draft.steps.len()],
        order: PhaseOrder::new(),
    };
    let edges = std::mem::take(&mut draft.edges);
    let outside = Outside::of(draft);
    let mut found = Vec::new();
    for edge in &edges {
        let on: Vec<Meaning> = edge.on.iter().map(|on| index.find(on)).collect();
        for (meaning, on) in on.iter().zip(&edge.on) {
            found.extend(nothing(draft, edge, meaning, outside.holds(on)));
        }
        match &edge.of {
            Of::Step(step) => step_waits(draft, *step, &on, &mut waits),
            Of::Phase(phase) => phase_waits(draft, phase, &on, &mut waits),
            Of::Named(of) => {
                for meaning in of.iter().map(|of| index.find(of)) {
                    match meaning {
                        Meaning::Steps(steps) => {
                            for step in steps {
                                step_waits(draft, step, &on, &mut waits);
                            }
                        }
                        Meaning::Phases(phases) => {
                            for phase in &phases {
                                phase_waits(draft, phase, &on, &mut waits);
                            }
                        }
                        Meaning::Nothing(_) | Meaning::TooMany(_) => {}
                    }
                }
            }
        }
    }
    draft.diagnostics.append(&mut found);
    waits
}

fn step_waits(draft: &Draft, step: usize, on: &[Meaning], waits: &mut Waits) {
    let own = draft.steps.get(step).map(|step| &step.task);
    for meaning in on {
        match meaning {
            Meaning::Steps(steps) => {
                // A range may include the step itself; a reference to itself alone is an error, which validation
                // reports.
                let others = steps.iter().filter(|other| **other != step || steps.len() == 1).copied();
                if let Some(to) = waits.steps.get_mut(step) {
                    to.extend(others);
                }
            }
            Meaning::Phases(phases) => {
                let phase = own.and_then(|own| own.phase.as_ref());
                let others = phases.iter().filter(|other| Some(*other) != phase).cloned();
                if let Some(to) = waits.phases.get_mut(step) {
                    to.extend(others);
                }
            }
            Meaning::Nothing(_) | Meaning::TooMany(_) => {}
        }
    }
}

fn phase_waits(draft: &Draft, phase: &str, on: &[Meaning], waits: &mut Waits) {
    let Some(own) = draft.rank(phase) else { return };
    for meaning in on {
        let before: Vec<usize> = match meaning {
            Meaning::Phases(phases) => phases.iter().filter_map(|phase| draft.rank(phase)).collect(),
            Meaning::Steps(steps) => steps
                .iter()
                .filter_map(|step| draft.rank(draft.steps.get(*step)?.task.phase.as_deref()?))
                .collect(),
            Meaning::Nothing(_) | Meaning::TooMany(_) => Vec::new(),
        };
        waits.order.extend(before.into_iter().filter(|before| *before != own).map(|before| (own, before)));
    }
}

fn nothing(draft: &Draft, edge: &Edge, meaning: &Meaning, outside: bool) -> Option<Diagnostic> {
    let (code, severity, message) = match meaning {
        Meaning::Nothing(name) if outside => {
            let message = format!("'{name}' is waited for, but is not in this part of the runbook; left out");
            ("outside-dependency", Severity::Warning, message)
        }
        Meaning::Nothing(name) => (
            "dangling-dependency",
            Severity::Error,
            format!("a step waits for '{name}', which does not exist"),
        ),
        Meaning::TooMany(name) => {
            ("long-range", Severity::Error, format!("'{name}' is a range of too many to be waited for"))
        }
        Meaning::Steps(_) | Meaning::Phases(_) => return None,
    };
    let task = match &edge.of {
        Of::Step(step) => draft.steps.get(*step).map(|step| step.task.id.clone()),
        _ => None,
    };
    Some(diagnostic(severity, code, message, &edge.place, task))
}

fn diagnostic(
    severity: Severity,
    code: &'static str,
    message: String,
    place: &Place,
    task: Option<TaskId>,
) -> Diagnostic {
    let none = task.is_none();
    let mut found = model::at(severity, code, message, place, &task.unwrap_or_default());
    if none {
        found.task = None;
    }
    found
}

/// The phases in a text that is only part of a runbook.
struct Outside {
    lowest: Option<u64>,
    one: bool,
}

impl Outside {
    fn of(draft: &Draft) -> Self {
        let numbers = draft.phases.iter().filter_map(|phase| Number::of(&phase.id));
        let firsts: Vec<u64> = numbers.map(|number| number.first()).collect();
        let one = draft.phases.len() == 1;
        Self { lowest: firsts.iter().min().copied().filter(|lowest| one || *lowest > 1), one }
    }

    /// Whether a reference leads to a phase outside of this part.
    fn holds(&self, reference: &Ref) -> bool {
        let (first, dotted) = match reference {
            Ref::Phase(from, _) => (from.first(), true),
            Ref::Task(from, _) => (from.first(), from.is_dotted()),
        };
        self.lowest.is_some_and(|lowest| dotted && (first < lowest || self.one && first != lowest))
    }
}
