//! Combines the step files of a prepared runbook with the runbook that they were made from.
//!
//! A worker gets the step file, so the file is the task's section; phase, title and dependencies come from the
//! runbook if it has the step. A step of the runbook without a file stays in the plan with its own section, and an
//! unlisted file is reported.

use super::agent;
use super::manifest::{Entry, Manifest};
use crate::formats::workflows::runbook::deps::number::Number;
use crate::formats::workflows::runbook::deps::refs::Ref;
use crate::formats::workflows::runbook::draft::{Draft, Edge, Of, Step};
use crate::formats::workflows::runbook::model::{self, From, Named};
use crate::formats::workflows::runbook::prepared::step_file::{self, Name};
use crate::formats::workflows::runbook::text::head::PhaseHead;
use crate::formats::workflows::runbook::text::{label, step};
use crate::lists::described::DESCRIBED;
use markdown::{Extent, Outline};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use wire::plan::{Kind, Place, Severity};
use wire::{Task, TaskId, ids};

/// The input for combining.
pub(crate) struct Overlay<'o, 'a> {
    pub(crate) manifest: &'o Manifest,
    pub(crate) entries: &'o [Entry],
    /// All texts: the runbook, the orchestrator plan, the step files.
    pub(crate) sheets: &'o [Outline<'a>],
    /// The index of the orchestrator plan.
    pub(crate) led_by: Option<usize>,
    /// The index of each step file.
    pub(crate) files: &'o HashMap<String, usize>,
    /// The runbook's name.
    pub(crate) name: &'o str,
}

impl Overlay<'_, '_> {
    /// Replaces the draft's steps.
    pub(crate) fn lay(&self, draft: &mut Draft) {
        let old = std::mem::take(&mut draft.steps);
        by_number(draft, &old);
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (index, step) in old.iter().enumerate() {
            let name = step.number.as_ref().map_or(step.task.id.as_str(), |number| number.text.as_str());
            places.entry(name).or_insert(index);
        }
        let mut used: HashSet<usize> = HashSet::new();
        let mut new: Vec<(Option<usize>, Step)> = Vec::with_capacity(self.entries.len());
        for entry in self.entries {
            let name = entry.file.as_deref().and_then(step_file::name);
            let base = match (&name, &entry.phase) {
                (Some(name), _) => base_of(name, &places),
                (None, Some(phase)) => places.get(format!("phase-{phase}").as_str()).copied(),
                (None, None) => None,
            };
            let step = self.step(entry, name.as_ref(), base.and_then(|base| old.get(base)), draft);
            used.extend(base);
            new.extend(step.map(|step| (base, step)));
        }
        unprepared(old, &used, &mut new, draft);
        draft.steps = new.into_iter().map(|(_, step)| step).collect();
        for (phase, model, start) in &self.manifest.models {
            let place = self.place(*start);
            let named = Named { from: From::Phase, model: model.clone(), place };
            draft
                .models
                .push((crate::formats::workflows::runbook::draft::Scope::Phase(phase.clone()), named));
        }
    }

    fn step(
        &self,
        entry: &Entry,
        name: Option<&Name>,
        base: Option<&Step>,
        draft: &mut Draft,
    ) -> Option<Step> {
        let place = self.place(entry.line.start);
        let mut step = match (name, entry.file.as_ref().and_then(|file| self.files.get(file))) {
            (Some(name), Some(sheet)) => self.prepared(entry, name, *sheet, base, draft)?,
            (Some(name), None) => {
                let severity = if base.is_some() { Severity::Warning } else { Severity::Error };
                let file = entry.file.as_deref().unwrap_or_default();
                let message = format!("step '{}' is listed, but steps/{file} is not there", name.id);
                let id = TaskId(name.id.clone());
                draft.diagnostics.push(model::at(severity, "missing-step-file", message, &place, &id));
                base?.clone()
            }
            (None, _) => self.inline(entry, base, draft)?,
        };
        step.task.max_turns = step.task.max_turns.or(entry.turns);
        step.task.agent = agent::of(self.manifest, entry, &step.task, self.name);
        let rules = self.manifest.escalation.iter().map(|rule| json!({ "when": rule.when, "to": rule.to }));
        let rules: Vec<_> = rules.collect();
        if !rules.is_empty() {
            step.task.extra.insert("escalation".to_owned(), rules.into());
        }
        let phase = step.task.phase.clone();
        if let Some(phase) = phase.and_then(|phase| draft.phase(&phase)) {
            phase.stated |= entry.boundary;
        }
        Some(step)
    }

    /// A step with its file.
    fn prepared(
        &self,
        entry: &Entry,
        name: &Name,
        sheet: usize,
        base: Option<&Step>,
        draft: &mut Draft,
    ) -> Option<Step> {
        let outline = self.sheets.get(sheet)?;
        let header = step_file::header(outline);
        let whole = Extent { start: 0, end: outline.bytes.len() };
        let line = outline.lines_in(whole).next().map_or_else(Extent::default, |line| line.at);
        let number = Number::of(&name.number);
        let title = base.map(|base| base.task.title.clone()).filter(|title| !title.is_empty());
        let mut task = Task {
            id: TaskId(name.id.clone()),
            key: ids::key_of(&name.id),
            title: title.unwrap_or(header.title.clone()),
            report_path: header.report.clone(),
            phase: self.phase(entry, name, &header, base, draft, outline),
            span: outline.span(whole),
            ..Task::default()
        };
        let form =
            base.and_then(|base| base.task.extra.get("form").cloned()).unwrap_or_else(|| "step".into());
        task.extra.insert("form".to_owned(), form);
        task.extra.extend(name.part.map(|part| ("part".to_owned(), part.into())));
        if let Some(section) = base.and_then(|base| serde_json::to_value(&base.task.span).ok()) {
            task.extra.insert(DESCRIBED.to_owned(), section);
        }
        let mut step = Step { task, number, sheet, at: whole, line, named: Vec::new(), headed: true };
        let labels = label::labels(outline, header.body);
        step::fill(outline, &labels, header.body, &mut step);
        if self.led_by.is_some() {
            let usual = || self.manifest.report_of(outline.path);
            step.task.report_path = step.task.report_path.take().or_else(usual);
        }
        if let Some(number) = step.number.clone().filter(|_| base.is_none()) {
            let of = || Of::Named(vec![Ref::Task(number.clone(), number.clone())]);
            step::waits(outline, &labels, &of, draft);
        }
        // The body may quote other steps or the whole runbook: only the header of a prepared step names its model.
        step.named.clear();
        self.models(entry, &header, outline, &mut step);
        if header.empty {
            let message = format!("the file of step '{}' has no text of its own", step.task.id);
            let place = outline.place(0);
            draft.diagnostics.push(model::at(
                Severity::Warning,
                "empty-step",
                message,
                &place,
                &step.task.id,
            ));
        }
        Some(step)
    }

    fn models(&self, entry: &Entry, header: &step_file::Header, outline: &Outline, step: &mut Step) {
        let head = header.model.clone();
        step.named.extend(head.map(|(model, start)| {
            let place = outline.place(start);
            Named { from: From::Header, model, place }
        }));
        let exceptions = self.manifest.exceptions.iter();
        let mut exception =
            exceptions.filter(|(id, _, _)| step.task.id.as_str() == id).map(|(_, model, at)| (model, *at));
        let listed = exception.next_back().or(entry.model.as_ref().map(|model| (model, entry.line.start)));
        step.named.extend(listed.map(|(model, start)| {
            let place = self.place(start);
            Named { from: From::Manifest, model: model.clone(), place }
        }));
    }

    /// The phase: from the runbook, otherwise from the header, the list, the name or the number.
    fn phase(
        &self,
        entry: &Entry,
        name: &Name,
        header: &step_file::Header,
        base: Option<&Step>,
        draft: &mut Draft,
        outline: &Outline,
    ) -> Option<String> {
        let source = base.and_then(|base| base.task.phase.clone());
        let said = header.phase.as_ref().map(|(phase, _)| phase.clone());
        let own = Number::of(&name.number).filter(Number::is_dotted).map(|number| number.major());
        let phase = source.or(said.clone()).or(entry.phase.clone()).or(name.phase.clone()).or(own)?;
        if let Some((said, start)) = header.phase.as_ref().filter(|(said, _)| same(said) != same(&phase)) {
            let message = format!(
                "the header puts step '{}' in phase {said}, the runbook in phase {phase}, which decides",
                name.id
            );
            let found = outline.diagnostic(Severity::Warning, "phase-conflict", message, *start);
            draft.diagnostics.push(found);
        }
        if draft.rank(&phase).is_none() {
            let (sheet, line) = match self.led_by {
                Some(sheet) => (sheet, entry.line),
                None => (*self.files.get(entry.file.as_ref()?)?, Extent::default()),
            };
            draft.open(PhaseHead { id: phase.clone(), ..PhaseHead::default() }, sheet, line, line);
        }
        Some(phase)
    }

    /// A phase that runs as a whole.
    fn inline(&self, entry: &Entry, base: Option<&Step>, draft: &mut Draft) -> Option<Step> {
        if let Some(base) = base {
            return Some(base.clone());
        }
        let phase = entry.phase.clone()?;
        let outline = self.sheets.get(self.led_by?)?;
        let number = Some(phase.as_str());
        if self.entries.iter().any(|other| other.file.is_some() && other.phase.as_deref() == number) {
            let message = format!("phase {phase} is listed as a whole and with steps; its steps are taken");
            let start = entry.line.start;
            draft.diagnostics.push(outline.diagnostic(Severity::Warning, "inline-and-steps", message, start));
            return None;
        }
        if draft.rank(&phase).is_none() {
            draft.open(
                PhaseHead { id: phase.clone(), ..PhaseHead::default() },
                self.led_by?,
                entry.line,
                entry.line,
            );
        }
        let id = format!("phase-{phase}");
        let mut task = Task {
            key: ids::key_of(&id),
            id: TaskId(id),
            title: format!("Phase {phase}"),
            phase: Some(phase),
            span: outline.span(entry.line),
            ..Task::default()
        };
        task.extra.insert("form".to_owned(), "inline".into());
        Some(Step {
            task,
            number: None,
            sheet: self.led_by?,
            at: entry.line,
            line: entry.line,
            named: Vec::new(),
            headed: false,
        })
    }

    fn place(&self, start: usize) -> Place {
        let outline = self.led_by.and_then(|sheet| self.sheets.get(sheet));
        outline.map_or_else(Place::default, |outline| outline.place(start))
    }
}

/// The step of the runbook that a file was made from.
fn base_of(name: &Name, places: &HashMap<&str, usize>) -> Option<usize> {
    let long = name.phase.as_ref().map(|phase| format!("{phase}.{}", name.number));
    let found = places.get(name.number.as_str()).copied();
    found.or_else(|| places.get(long?.as_str()).copied())
}

/// Inserts the steps of the runbook without a file after the step before them.
fn unprepared(
    old: Vec<Step>,
    used: &HashSet<usize>,
    new: &mut Vec<(Option<usize>, Step)>,
    draft: &mut Draft,
) {
    for (index, step) in old.into_iter().enumerate().filter(|(index, _)| !used.contains(index)) {
        if step.task.kind == Kind::Work && step.number.is_some() {
            let message = format!("step '{}' has no step file; its own section is taken", step.task.id);
            let place = Place { path: step.task.span.path.clone(), line: step.task.span.line };
            draft.diagnostics.push(model::at(
                Severity::Warning,
                "step-not-prepared",
                message,
                &place,
                &step.task.id,
            ));
        }
        let before = new.iter().rposition(|(source, _)| source.is_some_and(|source| source < index));
        new.insert(before.map_or(0, |before| before + 1), (Some(index), step));
    }
}

/// Refers to steps by number in the edges, since the steps get new indices.
fn by_number(draft: &mut Draft, old: &[Step]) {
    draft.edges = std::mem::take(&mut draft.edges)
        .into_iter()
        .filter_map(|edge| match edge.of {
            Of::Step(index) => {
                let number = old.get(index)?.number.clone()?;
                let of = Of::Named(vec![Ref::Task(number.clone(), number)]);
                Some(Edge { of, ..edge })
            }
            _ => Some(edge),
        })
        .collect();
}

fn same(phase: &str) -> &str {
    phase.trim_start_matches('R')
}
