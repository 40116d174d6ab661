//! `headings`: tasks that are headings without boxes, `## Phase 1: Dig ✅`, `### Step 2 — Build`, `#### T003: …`.
//!
//! The finest units are the tasks and those around them the phases: Tasks in Phases, Steps in Phases, or Phases alone. A
//! sign of the heading, a `**Status**:` line below it, a row of a status table or an item of a status list gives the
//! state; no sign means open. Boxes below a task are its criteria. Sections about the design or the order of the same
//! work hold no tasks.

mod stated;

use crate::dialect::PLAIN;
use crate::lists::chapters::{self, Decides};
use crate::lists::unit_headings::{self, Found, Units};
use crate::lists::{numbered, status_tables};
use crate::sections::units::Rank;
use crate::sections::{self, Role, Sections};
use crate::states::signs;
use crate::{Dialect, Plan, Shape};
use markdown::Outline;
use std::collections::HashSet;
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "headings",
    about: "Phase, Step or Task headings without boxes, with a sign or a status",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    signs: true,
    begins: true,
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let sections = Sections::new(outline);
    let found = unit_headings::find(outline, &sections);
    if found.tasks.len() < 2 || !is_plan(outline, &found) {
        return 0;
    }
    if has_boxes(outline, &sections, &found) || sections::is_instructions(outline) {
        return 0;
    }
    // A table of tasks is the plan where it has more rows.
    let named = |sheet: &&status_tables::StatusTable| sheet.columns.strict || sheet.columns.id.is_some();
    let sheets = status_tables::tasks(outline);
    let rows: usize = sheets.iter().filter(named).map(|sheet| sheet.table.rows.len().saturating_sub(1)).sum();
    if rows > found.tasks.len() { 14 } else { 16 }
}

/// Whether boxes are the work: half of the units hold some, there are more of them than units, or they stand beside the
/// units in a section that is no checklist.
fn has_boxes(outline: &Outline, sections: &Sections, found: &Units) -> bool {
    let (mut holding, mut inside) = (HashSet::new(), 0);
    for (item, (role, _)) in outline.items.iter().zip(sections.items()) {
        let start = item.at.start;
        if item.mark.is_none() || item.quoted || !matches!(role, Role::Tasks | Role::Open) {
            continue;
        }
        // The units stand in the order of the document, and none is inside another.
        let next = found.tasks.partition_point(|unit| unit.at().start <= start);
        let unit = next
            .checked_sub(1)
            .filter(|last| found.tasks.get(*last).is_some_and(|unit| start < unit.at().end));
        match unit {
            Some(unit) => {
                holding.insert(unit);
                inside += 1;
                if inside > found.tasks.len() {
                    return true;
                }
            }
            None if role == Role::Open
                && sections.is_below(start, |title| title.to_lowercase().contains("checklist")) => {}
            None => return true,
        }
    }
    holding.len() * 2 >= found.tasks.len()
}

/// Whether headings are work and no chapters of some text: the title or the file says so, a section does, or a state.
fn is_plan(outline: &Outline, found: &Units) -> bool {
    let name = outline.path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let title = markdown::outline::title(outline).to_lowercase();
    let says = |text: &str| PLANS.iter().any(|word| text.contains(word));
    let role = |unit: &Found| unit.role == Role::Tasks;
    let signed = |unit: &Found| {
        let sign = signs::find(outline, unit.heading.at);
        sign.at.start < sign.at.end
    };
    let firm = found.tasks.iter().all(|unit| unit.unit.rank >= Rank::Phase);
    let named = says(&title) || says(&name);
    found.tasks.iter().any(role) || found.tasks.iter().any(signed) || named && (firm || !found.timed())
}

/// Words in the title or the name of a plan.
#[rustfmt::skip]
const PLANS: &[&str] = &[
    "plan", "roadmap", "todo", "implementation", "milestone", "task", "phase", "migration", "计划", "計画", "路线", "方案", "계획",
    "план", "kế hoạch", "fahrplan",
];

fn read(outline: &Outline) -> Plan {
    let sections = Sections::new(outline);
    let found = unit_headings::find(outline, &sections);
    let chapters = unit_headings::chapters(outline, &found);
    let mut plan = chapters::read_with(outline, &chapters, Decides::Heading);
    unit_headings::set_phases(&found, &mut plan);
    numbered::adopt(&mut plan);
    unit_headings::depend(outline, &found, &mut plan);
    let word = found.tasks.first().map_or("", |unit| unit.unit.word);
    stated::read(outline, &sections, word, &mut plan);
    plan
}
