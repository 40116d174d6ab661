//! A runbook as read, before its dependencies are resolved: it may come from several texts.

use super::head::PhaseHead;
use super::model::Named;
use super::number::Number;
use super::refs::Ref;
use crate::Extent;
use std::collections::HashMap;
use wire::Task;
use wire::plan::{Diagnostic, Place};

/// Everything that the texts of a runbook say.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) title: String,
    /// What the frontmatter says the runbook is.
    pub(crate) kind: Option<String>,
    pub(crate) phases: Vec<Phase>,
    /// Where each phase is among them.
    places: HashMap<String, usize>,
    pub(crate) steps: Vec<Step>,
    pub(crate) edges: Vec<Edge>,
    /// Models named for several steps at once.
    pub(crate) models: Vec<(Scope, Named)>,
    /// Groups that the text allows to run together.
    pub(crate) parallel: Vec<Vec<Ref>>,
    /// Chains that the text wants in this order.
    pub(crate) serial: Vec<Vec<Ref>>,
    /// How many steps the text says it has.
    pub(crate) total: Option<(usize, Place)>,
    /// What the text says about parallel work, in its own words.
    pub(crate) remarks: Vec<String>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A phase as read.
pub(crate) struct Phase {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) kind: Option<String>,
    pub(crate) scope: Option<String>,
    /// The text it stands in.
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
}

/// Something waits for something.
pub(crate) struct Edge {
    pub(crate) of: Of,
    pub(crate) on: Vec<Ref>,
    pub(crate) place: Place,
}

/// Who waits.
pub(crate) enum Of {
    /// The step at this index.
    Step(usize),
    /// All of a phase.
    Phase(String),
    /// Whatever is named.
    Named(Vec<Ref>),
}

/// Which steps a model is named for.
pub(crate) enum Scope {
    All,
    Refs(Vec<Ref>),
    Phase(String),
}

impl Draft {
    /// The phase of that id.
    pub(crate) fn phase(&mut self, id: &str) -> Option<&mut Phase> {
        self.places.get(id).and_then(|at| self.phases.get_mut(*at))
    }

    /// Where the phase of that id is among the phases.
    pub(crate) fn rank(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// A phase that is named again goes on; the first heading with a title stays its heading.
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
