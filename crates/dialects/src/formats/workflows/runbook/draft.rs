//! A runbook as read, before its dependencies are resolved; it may come from several texts.

use super::model::Named;
use crate::formats::workflows::runbook::deps::number::Number;
use crate::formats::workflows::runbook::deps::refs::Ref;
use crate::formats::workflows::runbook::text::head::PhaseHead;
use markdown::Extent;
use std::collections::HashMap;
use wire::Task;
use wire::plan::{Diagnostic, Place};

/// The content of all texts of a runbook.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) title: String,
    /// The kind of runbook according to the front matter.
    pub(crate) kind: Option<String>,
    pub(crate) phases: Vec<Phase>,
    /// The index of each phase.
    places: HashMap<String, usize>,
    pub(crate) steps: Vec<Step>,
    pub(crate) edges: Vec<Edge>,
    /// Models named for several steps at once.
    pub(crate) models: Vec<(Scope, Named)>,
    /// Groups that the text allows to run together.
    pub(crate) parallel: Vec<Vec<Ref>>,
    /// Chains that the text wants in this order.
    pub(crate) serial: Vec<Vec<Ref>>,
    /// The number of steps that the text claims to have.
    pub(crate) total: Option<(usize, Place)>,
    /// The text's remarks about parallel work, verbatim.
    pub(crate) remarks: Vec<String>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A phase as read.
pub(crate) struct Phase {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) kind: Option<String>,
    pub(crate) scope: Option<String>,
    /// The index of the text that contains it.
    pub(crate) sheet: usize,
    /// Its heading.
    pub(crate) line: Extent,
    /// Its section.
    pub(crate) at: Extent,
    /// The text of its checkpoint.
    pub(crate) boundary: Option<(usize, Extent)>,
    /// Whether the text asks for a checkpoint at its end.
    pub(crate) stated: bool,
}

/// A step, cycle, item, slice, inline phase or checkpoint as read.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) task: Task,
    pub(crate) number: Option<Number>,
    pub(crate) sheet: usize,
    /// Its section.
    pub(crate) at: Extent,
    /// The line with its name.
    pub(crate) line: Extent,
    pub(crate) named: Vec<Named>,
    /// Whether it is a prepared file, whose header names the model.
    pub(crate) headed: bool,
}

/// One thing waits for another.
pub(crate) struct Edge {
    pub(crate) of: Of,
    pub(crate) on: Vec<Ref>,
    pub(crate) place: Place,
}

/// The waiting side of an edge.
pub(crate) enum Of {
    /// The step at this index.
    Step(usize),
    /// All steps of a phase.
    Phase(String),
    /// The referenced steps or phases.
    Named(Vec<Ref>),
}

/// The steps that a model is named for.
pub(crate) enum Scope {
    All,
    Refs(Vec<Ref>),
    Phase(String),
}

impl Draft {
    /// The phase with this id.
    pub(crate) fn phase(&mut self, id: &str) -> Option<&mut Phase> {
        self.places.get(id).and_then(|at| self.phases.get_mut(*at))
    }

    /// The index of the phase with this id.
    pub(crate) fn rank(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// A phase that is named again continues; its first heading with a title stays its heading.
    pub(crate) fn open(&mut self, head: PhaseHead, sheet: usize, line: Extent, at: Extent) {
        if let Some(phase) = self.phase(&head.id) {
            if phase.title.is_empty() && !head.title.is_empty() {
                (phase.title, phase.sheet, phase.line, phase.at) = (head.title, sheet, line, at);
            }
            phase.kind = phase.kind.take().or(head.kind);
            return;
        }
        self.places.insert(head.id.clone(), self.phases.len());
        self.phases.push(Phase {
            id: head.id,
            title: head.title,
            kind: head.kind,
            scope: None,
            sheet,
            line,
            at,
            boundary: None,
            stated: false,
        });
    }
}
