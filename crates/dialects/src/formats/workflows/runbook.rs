//! `runbook`: steps and TDD cycles in phases, `## Step 1.2: title` below `### Phase 1: title (type: tdd)`.
//!
//! A runbook is a text, a folder of `runbook-phase-N.md`, or a prepared folder with `steps/` and
//! `orchestrator-plan.md`; a phase may also be a list of `- Item 1.2: …`. A step has no box: its state is its line in
//! `progress.md` beside the runbook. The end of a phase is a task of its own, and all steps of the next phase wait
//! for it.

pub(crate) mod deps;
pub(crate) mod draft;
pub(crate) mod finish;
pub(crate) mod model;
pub(crate) mod prepared;
pub(crate) mod text;

use crate::dialect::PLAIN;
use crate::formats::workflows::runbook::draft::Draft;
pub(crate) use crate::formats::workflows::runbook::prepared::beside;
pub(crate) use crate::formats::workflows::runbook::prepared::progress::noted;
use crate::formats::workflows::runbook::prepared::source;
use crate::formats::workflows::runbook::prepared::step_file;
use crate::formats::workflows::runbook::text::head;
use crate::formats::workflows::runbook::text::head::What;
use crate::formats::workflows::runbook::text::metadata;
use crate::formats::workflows::runbook::text::other_documents;
use crate::write;
use crate::{Dialect, Plan, Shape, context};
use markdown::Outline;
use wire::plan::{Model, Severity};

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
    edits: write::runbook::edits,
    writes_parents: true,
    notes_escalations: true,
    beside: Some(|plan, folders, ask| beside(plan, &folders.beside, ask)),
    closed_graph: true,
    ..PLAIN
};

fn own(plan: &str) -> Vec<String> {
    let place = |name: &str| {
        if plan.strip_suffix(".md").is_some() {
            context::beside(plan, name)
        } else {
            format!("{plan}/{name}")
        }
    };
    let mut own = context::within(&format!(".plantools/context/{}", wire::ids::key_of(&name_of(plan))));
    own.extend([place("progress.md"), place("lifecycle.md")]);
    own
}

/// Detects a runbook by its name or by features that only runbooks have; any document can have steps.
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
        let text = outline.str(markdown::Extent { start: item.text, end: item.at.end });
        let line = text.lines().next().unwrap_or_default();
        steps += u32::from(matches!(head::what(line), What::Step(head) if head.number.is_dotted()));
    }
    let name = outline.path.rsplit('/').next().unwrap_or_default();
    let named = name.starts_with("runbook") || name.ends_with("-execution-plan.md");
    if !named && other_documents::is_other(outline) {
        return 0;
    }
    // One step of a prepared runbook: its boxes are criteria, not a list.
    let named = named || step_file::name(name).is_some();
    match (steps, sure) {
        (1.., 1..) => 60,
        (1.., 0) if named => 60,
        (0, 1..) if named => 40,
        (1.., 0) => 5,
        _ => 0,
    }
}

fn read(outline: &Outline) -> Plan {
    let mut plan = read_all(std::slice::from_ref(outline));
    // A single prepared step can run alone, but warn a user who passes its file as the plan.
    let name = outline.path.rsplit('/').next().unwrap_or_default();
    if let Some(from) = step_file::name(name).and_then(|_| step_file::header(outline).plan) {
        let message = format!("this is one step of {from}, which is the plan");
        plan.diagnostics.push(outline.diagnostic(Severity::Hint, "one-step", message, 0));
    }
    plan
}

/// Reads the texts of one runbook, in order.
fn read_all(sheets: &[Outline]) -> Plan {
    let mut draft = Draft::default();
    draft.title = sheets.first().map(markdown::outline::title).unwrap_or_default();
    for (index, outline) in sheets.iter().enumerate() {
        text::read(outline, index, &mut draft);
    }
    finish::plan(draft, sheets)
}

/// The name of a runbook: that of its folder, or of its file where the folder holds many.
pub(crate) fn name_of(path: &str) -> String {
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix("/runbook.md").unwrap_or(path);
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name).to_owned()
}
