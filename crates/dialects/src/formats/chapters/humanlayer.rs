//! `humanlayer`: a plan of phases, each with Changes Required and Success Criteria: Automated and Manual Verification.
//!
//! A phase has no box of its own: it is done when the boxes of its automated verification are ticked. Those are its
//! checks; manual verification is for a person and holds nothing up.

use crate::dialect::PLAIN;
use crate::lists::chapters::{self, Decides};
use crate::lists::unit_headings;
use crate::sections::Sections;
use crate::states::boxes;
use crate::{Dialect, Plan, Shape};
use markdown::Outline;
use wire::plan::Model;
use wire::{State, Task};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "humanlayer",
    about: "phases with Automated and Manual Verification",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    signs: true,
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let sections = Sections::new(outline);
    let verifies = |name: &str| sections.list().iter().any(|section| is(section.title, name));
    let labelled = || sections.items().iter().any(|(_, title)| is(title, "automated"));
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
    let kind = |start: usize| {
        let at = outline.items.iter().position(|item| item.mark.is_some_and(|mark| mark.start == start))?;
        let (_, title) = roles.get(at)?;
        Some(if is(title, "automated") {
            Verified::Automated
        } else if is(title, "manual") {
            Verified::Manual
        } else {
            return None;
        })
    };
    for task in &mut plan.tasks {
        settle(task, outline.bytes.len(), &kind);
    }
    plan
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verified {
    Automated,
    Manual,
}

/// Names the criteria, and takes the state from the automated ones.
fn settle(task: &mut Task, len: usize, kind: impl Fn(usize) -> Option<Verified>) {
    let (mut ticked, mut open) = (0, 0);
    for criterion in task.criteria.iter_mut().filter(|criterion| criterion.boxed) {
        match kind(boxes::extent(&criterion.span, len).start) {
            Some(Verified::Automated) => {
                "automated".clone_into(&mut criterion.category);
                if criterion.checked { ticked += 1 } else { open += 1 }
            }
            Some(Verified::Manual) => {
                "human".clone_into(&mut criterion.category);
                // A person judges it, whatever command it names.
                (criterion.runnable, criterion.unclear) = (false, None);
            }
            None => {}
        }
    }
    if ticked + open == 0 {
        let own = task.criteria.iter().filter(|criterion| criterion.boxed && criterion.category != "human");
        (ticked, open) =
            own.fold(
                (0, 0),
                |(ticked, open), criterion| {
                    if criterion.checked { (ticked + 1, open) } else { (ticked, open + 1) }
                },
            );
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
