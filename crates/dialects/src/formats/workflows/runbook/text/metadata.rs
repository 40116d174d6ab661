//! Statements of a runbook about all of its steps: the front matter, and the section of orchestrator metadata.

use super::label::{self, Label};
use crate::formats::workflows::runbook::deps::clause::{self, Clause};
use crate::formats::workflows::runbook::deps::refs;
use crate::formats::workflows::runbook::draft::{Draft, Edge, Of, Scope};
use crate::formats::workflows::runbook::model::{self, From, Named};
use markdown::front_matter::{self, Matter, Reads};
use markdown::{Extent, Outline};
use wire::plan::Severity;

/// Reads the frontmatter. One that is not closed is reported and read as far as its keys go.
pub(crate) fn front(outline: &Outline, draft: &mut Draft) {
    let text = outline.str(Extent { start: 0, end: outline.bytes.len() });
    let Some(matter) = closed(text).or_else(|| open(outline, text, draft)) else { return };
    if let Some((at, message)) = matter.refused(&[("type", Reads::Word), ("model", Reads::Word)]) {
        draft.diagnostics.push(outline.diagnostic(Severity::Error, "bad-front-matter", message, at));
    }
    if let Some(kind) = matter.get("type") {
        draft.kind = draft.kind.take().or_else(|| Some(kind.value.to_lowercase()));
    }
    if let Some(field) = matter.get("model")
        && let Some(model) = model::of(&field.value)
    {
        let place = outline.place(field.at.start);
        draft.models.push((Scope::All, Named { from: From::Frontmatter, model, place }));
    }
}

fn closed(text: &str) -> Option<Matter> {
    front_matter::read(text).filter(|_| front_matter::length(text) > 0)
}

/// The keys that stand below an opening fence.
fn open(outline: &Outline, text: &str, draft: &mut Draft) -> Option<Matter> {
    let mut lines = text.split_inclusive('\n');
    lines.next().filter(|first| first.trim() == "---")?;
    let is_key = |line: &&str| {
        let key = line.trim().split_once(':').map(|(key, _)| key);
        line.trim().is_empty() || key.is_some_and(|key| !key.contains(' ') && !key.starts_with('#'))
    };
    let keys = lines.take_while(is_key).map(str::len).sum::<usize>();
    let message = "the frontmatter is not closed; what follows is read as text".to_owned();
    draft.diagnostics.push(outline.diagnostic(Severity::Warning, "open-frontmatter", message, 0));
    let head = text.get(..text.find('\n').map_or(text.len(), |end| end + 1) + keys).unwrap_or(text);
    front_matter::read(&format!("{head}\n---\n"))
}

/// Whether a section is about all steps.
pub(crate) fn is_about_all(heading: &str) -> bool {
    let text = heading.trim_matches(['#', ' ']).to_lowercase();
    ["weak orchestrator metadata", "phase dependencies", "cross-phase dependencies", "step dependencies"]
        .iter()
        .any(|name| text.starts_with(name))
}

/// Reads such a section.
pub(crate) fn section(outline: &Outline, at: Extent, draft: &mut Draft) {
    let mut labels = label::labels(outline, at);
    labels.extend(rows(outline, at));
    for label in &labels {
        match label.name.as_str() {
            "execution model" => models(outline, label, draft),
            "total steps" | "total cycles" => {
                let total = outline.str(label.value).parse().ok();
                draft.total = draft.total.take().or(total.map(|total| (total, outline.place(label.start))));
            }
            "step dependencies" | "phase dependencies" | "dependencies" => order(outline, label, draft),
            "parallelization opportunities" | "parallel dispatch" | "parallelization" => {
                draft.remarks.push(outline.shown(label.value));
            }
            _ => {}
        }
    }
    let heading = outline.str(at).lines().next().unwrap_or_default().to_lowercase();
    if heading.contains("dependencies") {
        for line in outline.lines_in(at) {
            sentence(outline, line.at, draft);
        }
    }
}

/// The metadata as a table: each row is a label.
fn rows(outline: &Outline, at: Extent) -> Vec<Label> {
    let tables = outline.tables_in(at).iter().flat_map(|table| &table.rows);
    tables
        .filter_map(|row| match row.as_slice() {
            [name, value] => Some(Label {
                name: outline.str(*name).trim().trim_matches(['*', ':']).to_lowercase(),
                start: name.start,
                value: outline.trimmed(*value),
                body: Extent { start: value.end, end: value.end },
            }),
            _ => None,
        })
        .collect()
}

fn models(outline: &Outline, label: &Label, draft: &mut Draft) {
    let below = outline.lines_in(label.body).map(|line| line.at);
    for line in [label.value].into_iter().chain(below) {
        let text = outline.str(line).trim().trim_start_matches(['-', '*', ' ']);
        let place = outline.place(line.start);
        let Some((who, which)) = text.split_once(':') else {
            let model = model::of(text).filter(|_| line == label.value);
            draft
                .models
                .extend(model.map(|model| (Scope::All, Named { from: From::AllListed, model, place })));
            continue;
        };
        let Some(model) = model::of(which) else { continue };
        let all = ["all steps", "all cycles", "all items", "all phases"];
        if all.contains(&who.trim().to_lowercase().as_str()) {
            draft.models.push((Scope::All, Named { from: From::AllListed, model, place }));
        } else if let Some(refs) = refs::only(who) {
            let phases = refs.iter().all(|found| matches!(found, refs::Ref::Phase(..)));
            let from = if phases { From::PhaseListed } else { From::Listed };
            draft.models.push((Scope::Refs(refs), Named { from, model, place }));
        }
    }
}

fn order(outline: &Outline, label: &Label, draft: &mut Draft) {
    sentence(outline, label.value, draft);
    for line in outline.lines_in(label.body) {
        sentence(outline, line.at, draft);
    }
}

fn sentence(outline: &Outline, line: Extent, draft: &mut Draft) {
    for clause in clause::read(outline.str(line)) {
        match clause {
            Clause::Waits(of, on) => {
                draft.edges.push(Edge { of: Of::Named(of), on, place: outline.place(line.start) });
            }
            Clause::Together(group) => draft.parallel.push(group),
            Clause::InOrder(chain) => draft.serial.push(chain),
            Clause::First(_) => {}
        }
    }
}
