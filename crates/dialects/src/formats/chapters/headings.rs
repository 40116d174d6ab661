//! `headings`: tasks that are headings without boxes, `## Phase 1: Dig ✅`, `### Step 2 — Build`, `#### T003: …`.
//!
//! The finest units are the tasks and those around them the phases: Tasks in Phases, Steps in Phases, or Phases alone. A
//! sign of the heading, a `**Status**:` line below it, a row of a status table or an item of a status list gives the
//! state; no sign means open. Boxes below a task are its criteria. Sections about the design or the order of the same
//! work hold no tasks.

mod stated;

use crate::dialect::PLAIN;
use crate::lists::chapters::{self, Decides};
use crate::lists::work::{self, Work};
use crate::lists::{numbered, unit_headings};
use crate::sections::Sections;
use crate::{Dialect, Plan, Shape};
use markdown::Outline;
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
    u32::from(work::of(outline) == Some(Work::Headings)) * work::SURE
}

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
