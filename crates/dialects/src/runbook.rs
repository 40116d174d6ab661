//! `runbook`: steps and TDD cycles in phases, `## Step 1.2: title` below `### Phase 1: title (type: tdd)`.
//!
//! A text, a folder of `runbook-phase-N.md`, or a prepared folder with `steps/` and `orchestrator-plan.md`; also the form in
//! which a phase is a list of `- Item 1.2: …`. A step has no box: its state is its line in `progress.md` beside the
//! runbook. The end of a phase is a task of its own, which everything of the next phase waits for.

mod agent;
mod barrier;
mod clause;
mod demand;
mod depends;
mod draft;
mod finish;
mod head;
mod index;
mod label;
mod manifest;
mod metadata;
mod model;
mod number;
mod order;
mod overlay;
mod part;
mod prepared;
mod progress;
mod refs;
mod section;
mod sheet;
mod slice;
mod source;
mod step;
mod stepfile;

use crate::{Dialect, Outline, Plan, Shape, checklist, context};
use draft::Draft;
use head::What;
pub(crate) use prepared::beside;
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "runbook",
    about: "a runbook of steps, cycles or items in phases, prepared or not",
    model: Model::Sequential,
    shapes: &[
        Shape::Markdown { detect, read },
        Shape::Folder { detect: source::detect, read: prepared::read },
    ],
    own,
};

fn own(plan: &str) -> Vec<String> {
    let place = |name: &str| {
        if plan.strip_suffix(".md").is_some() {
            context::beside(plan, name)
        } else {
            format!("{plan}/{name}")
        }
    };
    vec![place("context/"), place("progress.md")]
}

/// A runbook by its name or by what only runbooks have; steps alone are any document's.
fn detect(outline: &Outline) -> u32 {
    let (mut steps, mut sure) = (0u32, 0u32);
    for heading in outline.headings.iter().filter(|heading| heading.atx && !heading.inner) {
        let text = outline.str(heading.at);
        match head::what(text) {
            What::Step(head) => {
                steps += 1;
                sure += u32::from(head.word == "cycle" && head.number.is_dotted());
            }
            What::Phase(head) => sure += u32::from(head.kind.is_some()),
            _ => {
                sure += u32::from(
                    metadata::is_about_all(text) || text.trim_matches(['#', ' ']) == "Common Context",
                );
            }
        }
    }
    for item in outline.items.iter().filter(|item| item.depth == 0 && !item.quoted && item.mark.is_none()) {
        let text = outline.str(crate::Extent { start: item.text, end: item.at.end });
        let line = text.lines().next().unwrap_or_default();
        steps += u32::from(matches!(head::what(line), What::Step(head) if head.number.is_dotted()));
    }
    let name = outline.path.rsplit('/').next().unwrap_or_default();
    let named = name.starts_with("runbook") || name.ends_with("-execution-plan.md");
    match (steps, sure) {
        (1.., 1..) => 60,
        (1.., 0) if named => 60,
        (0, 1..) if named => 40,
        (1.., 0) => 5,
        _ => 0,
    }
}

fn read(outline: &Outline) -> Plan {
    read_all(std::slice::from_ref(outline))
}

/// Reads the texts of one runbook, in order.
fn read_all(sheets: &[Outline]) -> Plan {
    let mut draft = Draft::default();
    draft.title = sheets.first().map(checklist::title).unwrap_or_default();
    for (index, outline) in sheets.iter().enumerate() {
        sheet::read(outline, index, &mut draft);
    }
    finish::plan(draft, sheets)
}
