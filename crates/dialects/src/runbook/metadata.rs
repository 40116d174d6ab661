//! What a runbook says about all of its steps: the frontmatter, and the section of orchestrator metadata.

use super::clause::{self, Clause};
use super::draft::{Draft, Edge, Of, Scope};
use super::label::{self, Label};
use super::model::{self, From, Named};
use super::refs;
use crate::{Extent, Outline};
use wire::plan::Severity;

/// Reads the frontmatter; one that is not closed is reported and read as far as its keys go.
pub(crate) fn front(outline: &Outline, draft: &mut Draft) {
    let whole = Extent { start: 0, end: outline.bytes.len() };
    let mut lines = outline.lines_in(whole).map(|line| line.at);
    let Some(first) = lines.next().filter(|line| outline.str(*line).trim() == "---") else { return };
    for line in lines {
        let text = outline.str(line).trim();
        if text == "---" {
            return;
        }
        let pair = text.split_once(':').filter(|(key, _)| !key.contains(' ') && !key.starts_with('#'));
        let Some((key, value)) = pair else {
            if text.is_empty() {
                continue;
            }
            let message = "the frontmatter is not closed; what follows is read as text".to_owned();
            draft.diagnostics.push(outline.diagnostic(
                Severity::Warning,
                "open-frontmatter",
                message,
                first.start,
            ));
            return;
        };
        let value = value.trim().trim_matches(['"', '\'']);
        match key {
            "type" => draft.kind = draft.kind.take().or_else(|| Some(value.to_lowercase())),
            "model" => draft.models.extend(model::of(value).map(|model| {
                let place = outline.place(line.start);
                (Scope::All, Named { from: From::Frontmatter, model, place })
            })),
            _ => {}
        }
    }
}

/// Whether a section speaks about all steps.
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

/// The metadata as a table: a row is a label.
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
