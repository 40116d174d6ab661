//! `humanlayer`: a plan of phases, each with Changes Required and Success Criteria: Automated and Manual Verification.
//!
//! A phase has no box of its own: it is done when the boxes of its automated verification are ticked. Those are its
//! checks; manual verification is for a person and holds nothing up.

use crate::criteria::locate;
use crate::dialect::PLAIN;
use crate::lists::chapters::{self, Decides};
use crate::lists::unit_headings;
use crate::sections::Sections;
use crate::states::boxes;
use crate::write::Form;
use crate::{Dialect, Plan, Shape};
use checks::Role;
use markdown::{Item, Outline};
use wire::plan::{Criterion, Model};
use wire::{State, Task};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "humanlayer",
    about: "phases with Automated and Manual Verification",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    signs: true,
    checks: &[
        Form::Boxes {
            label: "automated verification",
            new: "### Success Criteria:\n\n#### Automated Verification:\n",
        },
        Form::Lines,
    ],
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let sections = Sections::new(outline);
    let verifies = |name: &str| sections.list().iter().any(|section| is(section.title, name));
    // Most plans do not have the word.
    let is_word = |at: usize| {
        let word = at.checked_sub(4).and_then(|start| outline.bytes.get(start..at + 5));
        word.is_some_and(|word| word.eq_ignore_ascii_case(b"automated"))
    };
    let has_word = || memchr::memchr2_iter(b'm', b'M', outline.bytes).any(is_word);
    let labelled = || has_word() && sections.items().iter().any(|(_, title)| is(title, "automated"));
    if !(verifies("automated") || labelled()) {
        return 0;
    }
    if unit_headings::find(outline, &sections).tasks.is_empty() { 0 } else { 50 }
}

/// `Automated Verification:`, `Manual Testing`.
fn is(title: &str, word: &str) -> bool {
    let lower = title.trim_matches(['#', '*', ':', ' ']).to_lowercase();
    lower
        .strip_prefix(word)
        .is_some_and(|rest| [" verification", " testing", " checks"].iter().any(|end| rest.starts_with(end)))
}

fn read(outline: &Outline) -> Plan {
    let sections = Sections::new(outline);
    let found = unit_headings::find(outline, &sections);
    let chapters = unit_headings::chapters(outline, &found);
    let mut plan = chapters::read_with(outline, &chapters, Decides::Heading);
    unit_headings::set_phases(&found, &mut plan);
    let roles = sections.items();
    for task in &mut plan.tasks {
        let at = boxes::extent(&task.span, outline.bytes.len());
        let boxed: Vec<(usize, &Item)> = outline
            .items
            .iter()
            .enumerate()
            .filter(|(_, item)| {
                item.mark.is_some() && !item.quoted && at.start <= item.at.start && item.at.start < at.end
            })
            .collect();
        let kind = |index: usize| roles.get(index).and_then(|(_, title)| verified(title));
        if boxed.iter().any(|(index, _)| kind(*index).is_some()) {
            criteria(outline, task, &boxed, &kind);
        }
        settle(task);
    }
    plan
}

/// Reads the boxes again, each as what its section says; a box elsewhere is a step of the work.
fn criteria(
    outline: &Outline,
    task: &mut Task,
    boxed: &[(usize, &Item)],
    kind: &dyn Fn(usize) -> Option<Verified>,
) {
    // Several checks in one box are read again with it.
    let is_in_box = |criterion: &Criterion| {
        let start = usize::try_from(criterion.span.start).unwrap_or(usize::MAX);
        boxed.iter().any(|(_, item)| item.at.start <= start && start < item.at.end)
    };
    task.criteria.retain(|criterion| !criterion.boxed && !is_in_box(criterion));
    for (index, item) in boxed {
        let (category, role) = match kind(*index) {
            Some(Verified::Automated) => ("automated", Role::Criterion),
            Some(Verified::Manual) => ("human", Role::Step),
            None => ("step", Role::Step),
        };
        let mut found = locate::boxed(outline, item, item.at.end, role);
        if category == "human" {
            // A person judges it, whatever command it names.
            found.truncate(1);
            for criterion in &mut found {
                (criterion.runnable, criterion.unclear, criterion.command) = (false, None, None);
                criterion.clauses.clear();
            }
        }
        locate::add(task, category, found);
    }
    for (number, criterion) in task.criteria.iter_mut().enumerate() {
        criterion.id = format!("{}:{}", task.id, number + 1);
    }
}

fn verified(title: &str) -> Option<Verified> {
    if is(title, "automated") {
        Some(Verified::Automated)
    } else {
        is(title, "manual").then_some(Verified::Manual)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verified {
    Automated,
    Manual,
}

/// Takes the state from the automated criteria, or from all that are not for a person.
fn settle(task: &mut Task) {
    let count = |wanted: &dyn Fn(&str) -> bool| {
        let own = task.criteria.iter().filter(|criterion| criterion.boxed && wanted(&criterion.category));
        own.fold(
            (0, 0),
            |(ticked, open), criterion| {
                if criterion.checked { (ticked + 1, open) } else { (ticked, open + 1) }
            },
        )
    };
    let (mut ticked, mut open) = count(&|category| category == "automated");
    if ticked + open == 0 {
        (ticked, open) = count(&|category| category != "human");
    }
    let unsigned = task.mark.as_ref().is_none_or(|mark| mark.start == mark.end);
    if ticked + open > 0 && unsigned {
        task.mark = None;
        task.state = match (ticked, open) {
            (0, _) => State::Pending,
            (_, 0) => State::Completed,
            _ => State::InProgress,
        };
    }
}
