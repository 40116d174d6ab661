//! Reads one text of a runbook into the draft.

pub(crate) mod cycle_parts;
pub(crate) mod demands;
pub(crate) mod head;
pub(crate) mod label;
pub(crate) mod listed_steps;
pub(crate) mod metadata;
pub(crate) mod notes;
pub(crate) mod other_documents;
pub(crate) mod section;
pub(crate) mod slice;
pub(crate) mod step;

use super::draft::{Draft, Edge, Of, Phase, Scope, Step};
use crate::formats::workflows::runbook::deps::clause::{self, Clause};
use crate::formats::workflows::runbook::text::head::{PhaseHead, What};

use super::model::{self, From, Named};
use crate::formats::workflows::runbook::text::section::Piece;

use markdown::{Extent, Outline};
use std::collections::HashSet;
use wire::plan::{Diagnostic, Kind, Place, Severity};
use wire::{Task, TaskId, ids};

/// Reads the text at index `sheet`. A text without a phase heading belongs to the phase in its file name.
pub(crate) fn read(outline: &Outline, sheet: usize, draft: &mut Draft) {
    let models = draft.models.len();
    metadata::front(outline, draft);
    let pieces = section::cut(outline, &mut draft.diagnostics);
    let mut phase = phase_of_file(outline.path);
    if let Some(id) = &phase {
        let at = first_line(outline);
        draft.open(PhaseHead { id: id.clone(), ..PhaseHead::default() }, sheet, at, at);
    }
    for (index, piece) in pieces.iter().enumerate() {
        match &piece.what {
            What::Phase(head) => {
                phase = Some(head.id.clone());
                draft.open(head.clone(), sheet, piece.line, piece.at);
                let next = pieces.get(index + 1).map_or(piece.at.end, |next| next.line.start);
                preamble(outline, piece, next, draft);
            }
            What::Step(head) => step::read(outline, sheet, piece, head, phase.as_deref(), draft),
            What::Boundary(id) => {
                boundary(outline, sheet, piece, id.as_ref().or(phase.as_ref()).cloned(), draft);
            }
            What::Midway => midway(outline, sheet, piece, phase.as_deref(), draft),
            What::Other if metadata::is_about_all(outline.str(piece.line)) => {
                metadata::section(outline, piece.at, draft);
            }
            What::Other | What::Unnumbered => {}
        }
    }
    count(sheet, draft);
    // In the file of a phase, a statement for all steps applies to that phase only.
    if let Some(id) = phase_of_file(outline.path) {
        for (scope, _) in
            draft.models.iter_mut().skip(models).filter(|(scope, _)| matches!(scope, Scope::All))
        {
            *scope = Scope::Phase(id.clone());
        }
    }
    inline(outline, sheet, draft);
}

/// Compares the announced number of steps with the number found.
fn count(sheet: usize, draft: &mut Draft) {
    let Some((total, place)) = draft.total.take() else { return };
    let own = draft.steps.iter().filter(|step| step.sheet == sheet && step.number.is_some());
    let found = own.filter(|step| step.task.parent.is_none()).count();
    if found != total {
        let message = format!("{total} steps are announced, {found} are there");
        draft.diagnostics.push(warning("step-count", message, &place));
    }
}

/// `runbook-phase-3.md` belongs to phase 3.
pub(crate) fn phase_of_file(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    let id = name.strip_prefix("runbook-phase-")?.strip_suffix(".md")?;
    (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())).then(|| id.to_owned())
}

fn first_line(outline: &Outline) -> Extent {
    let whole = Extent { start: 0, end: outline.bytes.len() };
    outline.lines_in(whole).next().map_or_else(Extent::default, |line| line.at)
}

/// Reads the text between a phase's heading and its first step.
fn preamble(outline: &Outline, piece: &Piece, next: usize, draft: &mut Draft) {
    let What::Phase(head) = &piece.what else { return };
    let place = outline.place(piece.line.start);
    let scope = Scope::Phase(head.id.clone());
    draft.models.extend(head.model.clone().map(|model| (scope, Named { from: From::Phase, model, place })));
    let at = Extent { start: piece.line.end, end: next.max(piece.line.end) };
    fields(outline, at, &head.id, draft);
    for line in label::lines(outline, at) {
        let text = outline.str(line).trim();
        let is_prose = !text.is_empty() && !text.starts_with(['-', '*', '#', '|', '>']);
        if let Some(phase) = draft.phase(&head.id).filter(|phase| is_prose && phase.scope.is_none()) {
            phase.scope = Some(outline.shown(line).trim().to_owned());
        }
        for clause in clause::read(text) {
            if let Clause::First(on) = clause {
                let place = outline.place(line.start);
                draft.edges.push(Edge { of: Of::Phase(head.id.clone()), on, place });
            }
        }
    }
}

/// The fields of a phase: its dependencies, model and checkpoint.
fn fields(outline: &Outline, at: Extent, phase: &str, draft: &mut Draft) {
    for label in label::labels(outline, at) {
        let value = outline.shown(label.value);
        let place = outline.place(label.start);
        match label.name.as_str() {
            "depends on" | "dependencies" | "blocked by" | "requires" | "prerequisite" | "prerequisites" => {
                match clause::field(&value) {
                    Some(Clause::First(on)) => {
                        draft.edges.push(Edge { of: Of::Phase(phase.to_owned()), on, place });
                    }
                    Some(Clause::Waits(of, on)) => draft.edges.push(Edge { of: Of::Named(of), on, place }),
                    Some(Clause::Together(_) | Clause::InOrder(_)) | None => {}
                }
            }
            "model" | "execution model" => draft
                .models
                .extend(model::of(&value).map(|model| {
                    (Scope::Phase(phase.to_owned()), Named { from: From::Phase, model, place })
                })),
            "type" | "phase type" => {
                if let Some(phase) = draft.phase(phase) {
                    let word = value.split_whitespace().next().unwrap_or_default().to_lowercase();
                    phase.kind = phase.kind.take().or(Some(word));
                }
            }
            "parallel" | "parallel with" => draft.remarks.push(format!("phase {phase}: {value}")),
            name if name == "checkpoint" || name.ends_with(" checkpoint") => {
                if let Some(phase) = draft.phase(phase) {
                    phase.stated = true;
                }
            }
            _ => {}
        }
    }
}

fn boundary(outline: &Outline, sheet: usize, piece: &Piece, phase: Option<String>, draft: &mut Draft) {
    let Some(id) = phase else { return };
    fields(outline, piece.at, &id, draft);
    let Some(phase) = draft.phase(&id) else {
        let message = format!("the checkpoint is of phase {id}, which has no heading");
        draft.diagnostics.push(outline.diagnostic(
            Severity::Warning,
            "lonely-checkpoint",
            message,
            piece.line.start,
        ));
        return;
    };
    phase.stated = true;
    phase.boundary = phase.boundary.or(Some((sheet, piece.at)));
}

/// A checkpoint within a phase is named after the step before it.
fn midway(outline: &Outline, sheet: usize, piece: &Piece, phase: Option<&str>, draft: &mut Draft) {
    let Some(before) = draft.steps.last() else { return };
    let id = format!("checkpoint-{}", before.task.id);
    let task = Task {
        key: ids::key_of(&id),
        id: TaskId(id),
        title: outline.shown(piece.line).trim_matches(['#', ' ']).to_owned(),
        kind: Kind::Checkpoint,
        phase: phase.map(str::to_owned),
        span: outline.span(piece.at),
        ..Task::default()
    };
    draft.steps.push(Step { task, number: None, sheet, at: piece.at, line: piece.line, named: Vec::new() });
}

/// A phase that runs as a whole is a task itself; any other phase without steps is reported.
fn inline(outline: &Outline, sheet: usize, draft: &mut Draft) {
    let mut found = Vec::new();
    let used: HashSet<&str> = draft.steps.iter().filter_map(|step| step.task.phase.as_deref()).collect();
    for phase in draft.phases.iter().filter(|phase| phase.sheet == sheet) {
        if used.contains(phase.id.as_str()) {
            continue;
        }
        if phase.kind.as_deref() == Some("inline") {
            found.push(whole(outline, sheet, phase));
        } else if !phase.title.is_empty() {
            let message = format!("phase {} has no step, cycle or item", phase.id);
            let place = outline.place(phase.line.start);
            draft.diagnostics.push(warning("empty-phase", message, &place));
        }
    }
    draft.steps.extend(found);
}

fn whole(outline: &Outline, sheet: usize, phase: &Phase) -> Step {
    let id = format!("phase-{}", phase.id);
    let mut task = Task {
        key: ids::key_of(&id),
        id: TaskId(id),
        title: phase.title.clone(),
        phase: Some(phase.id.clone()),
        span: outline.span(phase.at),
        ..Task::default()
    };
    task.extra.insert("form".to_owned(), "inline".into());
    Step { task, number: None, sheet, at: phase.at, line: phase.line, named: Vec::new() }
}

fn warning(code: &'static str, message: String, place: &Place) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        code: code.to_owned(),
        message,
        path: place.path.clone(),
        line: place.line,
        column: None,
        task: None,
        offer: None,
    }
}
