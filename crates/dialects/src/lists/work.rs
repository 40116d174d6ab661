//! What the tasks of a plan without a format of its own are: its boxes, its headings, the rows of its tables, its items or
//! its signs.
//!
//! Every form that the text has is a candidate, and this is the one place that chooses. What counts is the role of the
//! section, how much of the document a form covers, and how often it repeats; a mark never counts, so that no tick changes
//! the choice. Boxes below a unit are its tasks where most units have some, and its criteria where few do; a checklist after
//! all units is about the whole plan.

use crate::lists::unit_headings::{self, Found, Units};
use crate::lists::{chapters, items, listed, signed, status_tables};
use crate::sections::units::Rank;
use crate::sections::{self, Role, Section, Sections};
use crate::states::signs;
use markdown::{Extent, Outline};
use std::collections::HashSet;

/// The form of the tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Items and headings with boxes.
    Boxes,
    /// Headings such as `Phase 2: Build`.
    Headings,
    /// Rows of tables.
    Rows,
    /// Items without boxes below a heading such as Tasks.
    Items,
    /// Items that begin with a sign of state.
    Signs,
}

/// How sure a format is of a text whose tasks have its form.
pub(crate) const SURE: u32 = 16;

const ALL: [Work; 5] = [Work::Boxes, Work::Headings, Work::Rows, Work::Items, Work::Signs];

/// The form of the tasks of a text; `None` if nothing in it is a task.
pub(crate) fn of(outline: &Outline) -> Option<Work> {
    let place = |work: Work| ALL.iter().position(|other| *other == work);
    let number = outline.decided(|outline| {
        let place = choose(outline).and_then(place).and_then(|place| u8::try_from(place).ok());
        place.unwrap_or(u8::MAX)
    });
    ALL.get(usize::from(number)).copied()
}

fn choose(outline: &Outline) -> Option<Work> {
    let sections = Sections::new(outline);
    let roles = sections.items();
    let boxes = Boxes::find(outline, &roles);
    if sections::is_instructions(outline) {
        return boxes.any.then_some(Work::Boxes);
    }
    let units = unit_headings::find(outline, &sections);
    if listed::counted_on(outline, &roles).len() > units.tasks.len() {
        return Some(Work::Items);
    }
    let headed = units.tasks.len() > 1
        && is_plan(outline, &sections, &units)
        && !boxes.are_tasks_of(outline, &sections, &units);
    let sheets = status_tables::tasks(outline);
    let rows = status_tables::rows(outline, &sheets);
    if headed {
        // A table of tasks is the plan where it has more rows than there are headings, and always below spans of time.
        let named = rows.iter().filter(|row| row.sheet.columns.strict || row.sheet.columns.id.is_some());
        let least = if units.timed() { 1 } else { units.tasks.len() };
        return Some(if named.count() > least { Work::Rows } else { Work::Headings });
    }
    let stated = rows.iter().any(|row| row.sheet.columns.status.is_some());
    let named = rows.iter().all(|row| !row.id.is_empty());
    let own = boxes.work.len();
    // Of boxes and rows the larger list is the plan; if they are equal, people tick the boxes.
    if !rows.is_empty() && (own == 0 && (stated || rows.len() > 1) || stated && named && rows.len() > own) {
        return Some(Work::Rows);
    }
    if own > 0 {
        return Some(Work::Boxes);
    }
    if listed::below_tasks(outline, &roles).len() > 1 {
        return Some(Work::Items);
    }
    if !boxes.any && signed::are_tasks(outline) {
        return Some(Work::Signs);
    }
    let listed = !listed::find(outline, &roles).is_empty();
    let rows = || status_tables::rows(outline, &status_tables::last_resort(outline)).len() > 1;
    match boxes.any {
        _ if listed => Some(Work::Items),
        true => Some(Work::Boxes),
        false => rows().then_some(Work::Rows),
    }
}

/// The boxes of a text.
struct Boxes {
    /// Whether there is one, whatever its section.
    any: bool,
    /// Where those stand whose section holds tasks or says nothing.
    work: Vec<usize>,
}

impl Boxes {
    fn find(outline: &Outline, roles: &[(Role, &str)]) -> Self {
        let boxed = outline.items.iter().zip(roles).filter(|(item, _)| item.mark.is_some() && !item.quoted);
        let (mut any, mut work) = (false, Vec::new());
        for (item, (role, _)) in boxed {
            any = true;
            let line = items::line_of(outline, item);
            if matches!(role, Role::Tasks | Role::Open) && line.start < line.end {
                work.push(item.at.start);
            }
        }
        Self { any, work }
    }

    /// Whether the boxes and not the units are the tasks: half of the units hold some, there are more of them in the units
    /// than units, or they stand beside the units in a section that is no closing checklist.
    fn are_tasks_of(&self, outline: &Outline, sections: &Sections, units: &Units) -> bool {
        let (mut holding, mut inside) = (HashSet::new(), 0);
        let tasks = &units.tasks;
        let last = tasks.last().map_or(0, |unit| unit.at().start);
        // `**Status:** TODO` below most of the units: a box beside them is a checkpoint.
        let has_state = |unit: &&Found| chapters::has_own_status(outline, unit.heading.at, unit.at());
        let stated = tasks.iter().filter(has_state).count() * 2 > tasks.len();
        for start in &self.work {
            // The units stand in the order of the document, and none is inside another.
            let next = tasks.partition_point(|unit| unit.at().start <= *start);
            let unit =
                next.checked_sub(1).filter(|at| tasks.get(*at).is_some_and(|unit| *start < unit.at().end));
            if let Some(unit) = unit {
                holding.insert(unit);
                inside += 1;
                continue;
            }
            let told = sections.at(*start).is_some_and(|section| section.role == Role::Tasks);
            let checks = sections.is_below(*start, |title| title.to_lowercase().contains("checklist"));
            let closing = tasks.len() > 2 && *start > last;
            if told || !checks && !closing && !stated {
                return true;
            }
        }
        inside > tasks.len() || holding.len() * 2 >= tasks.len()
    }
}

/// Whether headings are work and no chapters of some text: the title or the file says so, a section does, a state does, they
/// are milestones, or most of them say when they are done.
fn is_plan(outline: &Outline, sections: &Sections, found: &Units) -> bool {
    let role = |unit: &Found| unit.role == Role::Tasks;
    let signed = |unit: &Found| {
        let sign = signs::find(outline, unit.heading.at);
        sign.at.start < sign.at.end
    };
    let firm = found.tasks.iter().all(|unit| unit.unit.rank >= Rank::Phase);
    let named = sections::says_plan(outline);
    let milestones = found.tasks.iter().any(|unit| unit.unit.word == "milestone");
    found.tasks.iter().any(role)
        || found.tasks.iter().any(signed)
        || named && (firm || !found.timed())
        || milestones
        || found.tasks.iter().filter(|unit| has_criteria(outline, sections, unit.at())).count() * 2
            >= found.tasks.len()
}

/// Whether a section says when its work is done: `**Done when**: …`, `### Exit Criteria`.
pub(crate) fn has_criteria(outline: &Outline, sections: &Sections, at: Extent) -> bool {
    let inside = |section: &&Section| at.start < section.at.start && section.at.start < at.end;
    let mut below = sections.list().iter().filter(inside);
    let mut lines = outline.lines_in(at).filter(|line| line.veil.is_none());
    below.any(|section| section.role == Role::Criteria)
        || lines.any(|line| sections::of_label(outline.str(line.at)) == Some(Role::Criteria))
}
