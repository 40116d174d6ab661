//! `gsd-roadmap`: a ROADMAP.md of phases with boxes, `- [ ] **Phase 1: …**`, and of their plans below `### Phase 1: …`.
//!
//! A box that names a phase has its number as id; `**Depends on**: Phase 1` below the heading of a phase holds for that
//! box. The table of progress repeats the boxes.

use crate::deps::requires;
use crate::dialect::PLAIN;
use crate::lists::items;
use crate::lists::{boxed, numbered};
use crate::sections::Sections;
use crate::sections::units::{self, Rank};
use crate::{Dialect, Plan, Shape};
use markdown::{Outline, marks};
use std::collections::HashMap;
use wire::TaskId;
use wire::plan::Model;

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "gsd-roadmap",
    about: "ROADMAP.md of phases with boxes, and the plans of each phase",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let boxed = outline.items.iter().filter(|item| item.mark.is_some() && !item.quoted);
    let phases = boxed.filter(|item| phase(outline.str(items::line_of(outline, item))).is_some()).count();
    let waits = || !waits(outline, &Sections::new(outline)).is_empty();
    if phases > 0 && waits() { 47 } else { 0 }
}

/// The number of the phase that a text names.
fn phase(text: &str) -> Option<String> {
    let unit = units::unit(marks::without_signs(text).trim_start_matches('`'))?;
    (unit.rank == Rank::Phase && unit.parted).then_some(unit.id)
}

/// `**Depends on**:` below the heading of each phase, with the number of the phase.
fn waits<'o>(outline: &'o Outline, sections: &Sections<'o>) -> Vec<(String, &'o str)> {
    let mut found = Vec::new();
    for section in sections.list() {
        let Some(unit) =
            units::unit(marks::without_signs(section.title)).filter(|unit| unit.rank == Rank::Phase)
        else {
            continue;
        };
        for line in outline.lines_in(section.own()).filter(|line| line.veil.is_none()) {
            let text = outline.str(line.at).trim().trim_start_matches(['-', '*', ' ']);
            let rest = ["Depends on", "Depends On", "Dependencies"]
                .iter()
                .find_map(|label| text.strip_prefix(label));
            if let Some(said) = rest.and_then(|rest| rest.trim_start_matches('*').strip_prefix(':')) {
                found.push((unit.id.clone(), said.trim_start_matches('*').trim()));
            }
        }
    }
    found
}

fn read(outline: &Outline) -> Plan {
    let sections = Sections::new(outline);
    let roles = sections.items();
    let is_task = boxed::tasks(outline, &roles);
    let own = |text: &str| phase(text);
    let (mut plan, entries) =
        boxed::with_ids(outline, &roles, |index| is_task.get(index) == Some(&true), &own);
    let mut ids: HashMap<String, TaskId> = HashMap::new();
    for (task, entry) in plan.tasks.iter_mut().zip(&entries) {
        if let Some(unit) =
            units::unit(marks::without_signs(outline.str(entry.line))).filter(|unit| unit.rank == Rank::Phase)
        {
            ids.insert(crate::deps::dangling::simple(&unit.id), task.id.clone());
        }
    }
    for (phase, said) in waits(outline, &sections) {
        let Some(id) = ids.get(&crate::deps::dangling::simple(&phase)) else { continue };
        let on: Vec<TaskId> = named(said)
            .iter()
            .filter_map(|name| ids.get(&crate::deps::dangling::simple(name)))
            .cloned()
            .collect();
        if let Some(task) = plan.tasks.iter_mut().find(|task| task.id == *id) {
            numbered::depend(task, on);
        }
    }
    items::seal(outline, &entries, &mut plan);
    plan
}

/// The numbers of the phases in `Phase 1, Phase 2 (why)`, `Phases 1-3`, `Nothing`.
fn named(said: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut naming = false;
    for piece in requires::pieces(said) {
        let piece = piece.trim().trim_end_matches('.');
        let lower = piece.to_lowercase();
        let rest = ["phases ", "phase "]
            .iter()
            .find_map(|word| lower.starts_with(word).then(|| &piece[word.len()..]));
        naming = rest.is_some() || naming && piece.starts_with(|c: char| c.is_ascii_digit());
        let Some(number) = rest.or_else(|| naming.then_some(piece)) else { continue };
        let number = number.split([' ', ':']).next().unwrap_or_default();
        match number.split_once(['-', '–']) {
            Some((from, to)) => {
                let (from, to) = (from.parse::<u32>(), to.parse::<u32>());
                if let (Ok(from), Ok(to)) = (from, to) {
                    found.extend((from..=to.min(from + 99)).map(|number| number.to_string()));
                }
            }
            None => found.push(number.to_owned()),
        }
    }
    found
}
