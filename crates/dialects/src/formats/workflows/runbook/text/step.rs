//! One step, cycle or item of a runbook with its fields.

use super::head::{PhaseHead, StepHead};
use super::label::{self, Label};
use super::section::Piece;
use super::slice;
use crate::criteria::locate::{self, Purpose};
use crate::formats::workflows::runbook::deps::clause::{self, Clause};
use crate::formats::workflows::runbook::deps::number::Number;
use crate::formats::workflows::runbook::deps::refs;
use crate::formats::workflows::runbook::draft::{Draft, Edge, Of, Step};
use crate::formats::workflows::runbook::model::{self, From, Named};
use crate::formats::workflows::runbook::text::{cycle_parts, demands};
use crate::lists::items;
use markdown::{Extent, Outline};
use wire::plan::{Kind, Place, Severity};
use wire::{Task, TaskId, ids};

/// Reads the section of a step; a heading that stands for several steps gives one task for each.
pub(crate) fn read(
    outline: &Outline,
    sheet: usize,
    piece: &Piece,
    head: &StepHead,
    phase: Option<&str>,
    draft: &mut Draft,
) {
    if let Some(odd) = head.odd {
        let message = format!("the heading of {} '{}' {odd}", head.word, head.number.text);
        let code = if head.all.len() > 1 { "step-range" } else { "odd-heading" };
        draft.diagnostics.push(outline.diagnostic(Severity::Warning, code, message, piece.line.start));
    }
    if says_done(outline.str(piece.line)) {
        let message = format!(
            "the heading of {} '{}' says that it is done; what progress.md says decides",
            head.word, head.number.text
        );
        let code = "heading-says-done";
        draft.diagnostics.push(outline.diagnostic(Severity::Warning, code, message, piece.line.start));
    }
    let labels = label::labels(outline, piece.at);
    for id in &head.all {
        let number = Number::of(id);
        let own = number.as_ref().filter(|number| number.is_dotted()).map(Number::major);
        let phase = phase.map(str::to_owned).or(own);
        if let Some(id) = phase.clone().filter(|id| draft.rank(id).is_none()) {
            draft.open(PhaseHead { id, ..PhaseHead::default() }, sheet, piece.line, piece.line);
        }
        let mut step = Step {
            task: task(outline, piece, head, id, phase),
            number,
            sheet,
            at: piece.at,
            line: piece.line,
            named: Vec::new(),
            headed: false,
        };
        if let Some(mark) = piece.mark {
            step.task.state = items::state(outline, mark, piece.line, &mut draft.diagnostics);
            // One box cannot hold the state of several steps.
            step.task.mark = (head.all.len() == 1).then(|| outline.span(mark));
        }
        place(outline, &step, draft);
        fill(outline, &labels, piece.at, &mut step);
        let edges = draft.edges.len();
        let index = draft.steps.len();
        waits(outline, &labels, &|| Of::Step(index), draft);
        if head.word == "item" && slice::read(outline, &labels, &mut step, edges, draft) {
            continue;
        }
        draft.steps.push(step);
    }
}

fn task(outline: &Outline, piece: &Piece, head: &StepHead, id: &str, phase: Option<String>) -> Task {
    let mut task = Task {
        id: TaskId(id.to_owned()),
        key: ids::key_of(id),
        title: outline_title(head),
        kind: Kind::Work,
        phase,
        span: outline.span(piece.at),
        ..Task::default()
    };
    task.extra.insert("form".to_owned(), head.word.into());
    if outline.str(piece.line).contains("[REGRESSION]") {
        task.extra.insert("regression".to_owned(), true.into());
    }
    task
}

/// `✅ Step 1.1`, `Step 1.1: title - DONE`: only `progress.md` holds the state, so this is reported.
fn says_done(line: &str) -> bool {
    let text = line.trim_matches(['#', ' ', '\t', '*']);
    let sign = |c: char| matches!(c, '✅' | '✔' | '☑');
    let last = text.trim_end_matches([')', ']', '*', '!', ' ']);
    let last = last.rsplit([' ', '(', '[']).next().unwrap_or_default();
    let told = ["DONE", "COMPLETE", "COMPLETED"].contains(&last) || last.eq_ignore_ascii_case("[done");
    text.starts_with(sign) || text.ends_with(sign) || told
}

/// The title without its marks.
fn outline_title(head: &StepHead) -> String {
    let title = head.title.replace("[REGRESSION]", "");
    let end = title.find("[DEPENDS:").unwrap_or(title.len());
    title.get(..end).unwrap_or(&title).trim().to_owned()
}

/// Reports a step whose number belongs to another phase: its position decides.
fn place(outline: &Outline, step: &Step, draft: &mut Draft) {
    let own = step.number.as_ref().filter(|number| number.is_dotted()).map(Number::major);
    let (Some(own), Some(phase)) = (own, &step.task.phase) else { return };
    if *phase != own && phase.trim_start_matches('R') != own.trim_start_matches('R') {
        let message = format!("step '{}' stands in phase {phase}: its place decides", step.task.id);
        draft.diagnostics.push(outline.diagnostic(
            Severity::Warning,
            "phase-conflict",
            message,
            step.line.start,
        ));
    }
}

/// Reads the fields of a section into the task.
pub(crate) fn fill(outline: &Outline, labels: &[Label], at: Extent, step: &mut Step) {
    let mut taken: Vec<Extent> = Vec::new();
    for label in labels {
        if let Some(at) = demands::take(outline, label, &mut step.task) {
            taken.push(at);
            continue;
        }
        if label.name == "agent" {
            let value = outline.shown(label.value);
            let name = value.trim_matches(['`', '*', '@', ' ']);
            let is_name = !name.is_empty() && !name.contains(' ') && !model::is_known(name);
            step.task.agent = is_name.then(|| name.to_owned());
        }
        if matches!(label.name.as_str(), "execution model" | "model") {
            let model = model::of(&outline.shown(label.value));
            let place = outline.place(label.start);
            step.named.extend(model.map(|model| Named { from: From::Body, model, place }));
        }
    }
    let body = Extent { start: step.line.end.clamp(at.start, at.end), end: at.end };
    locate::add(&mut step.task, "verify", locate::find(outline, body, Purpose::Description, &taken));
    demands::files(outline.str(at), &mut step.task);
    let parts = cycle_parts::parts(outline, at, labels);
    if !parts.is_empty() {
        step.task.extra.insert("parts".to_owned(), cycle_parts::value(outline, &parts));
    }
}

/// Reads the dependencies in the fields of a section.
pub(crate) fn waits(outline: &Outline, labels: &[Label], of: &dyn Fn() -> Of, draft: &mut Draft) {
    for label in labels {
        let name = label.name.as_str();
        if matches!(name, "parallel" | "parallel with") {
            draft.remarks.push(outline.str(label.value).to_owned());
        }
        let value = outline.shown(label.value);
        if label::says_waits(name) || matches!(name, "prerequisite" | "prerequisites") && names_a_step(&value)
        {
            wait(clause::field(&value), outline.place(label.start), of, draft);
        }
        // A list below the label counts like a value on its line.
        let below = if label::says_waits(name) { label::below(outline, label) } else { Vec::new() };
        for item in below {
            let value = outline.shown(item);
            if names_a_step(&value) || refs::only(&value).is_some() {
                wait(clause::field(&value), outline.place(item.start), of, draft);
            }
        }
    }
}

fn wait(clause: Option<Clause>, place: Place, of: &dyn Fn() -> Of, draft: &mut Draft) {
    match clause {
        Some(Clause::First(on)) => draft.edges.push(Edge { of: of(), on, place }),
        Some(Clause::Waits(of, on)) => draft.edges.push(Edge { of: Of::Named(of), on, place }),
        Some(Clause::Together(_) | Clause::InOrder(_)) | None => {}
    }
}

fn names_a_step(value: &str) -> bool {
    let first = value.split_whitespace().next().unwrap_or_default().to_lowercase();
    let word = first.trim_end_matches('s');
    matches!(word, "phase" | "step" | "cycle" | "item")
}
