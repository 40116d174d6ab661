//! `exec-plan`: an `ExecPlan`, whose tasks are the boxes of its Progress section.
//!
//! A time in parentheses after the box is no part of the task's name. `### Milestone 2` anywhere in the plan describes the one
//! task that names it, and its checks are that task's. The commands of Validation and Acceptance are gates of the plan.

use crate::criteria::locate::{self, Purpose};
use crate::dialect::PLAIN;
use crate::lists::{boxed, described, items, numbered};
use crate::sections::units;
use crate::sections::{Role, Section, Sections};
use crate::{Dialect, Plan, Shape};
use checks::labels::{self, Label};
use markdown::{Extent, Outline, marks};
use wire::Task;
use wire::plan::{Criterion, Model};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "exec-plan",
    about: "an ExecPlan: the boxes of its Progress section",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let sections = Sections::new(outline);
    let has = |name: &str| sections.list().iter().any(|section| starts(section.title, name));
    if !["surprises", "decision log", "outcomes"].iter().any(|name| has(name)) {
        return 0;
    }
    let boxes = sections.items();
    let mut boxes = outline.items.iter().zip(&boxes).filter(|(item, _)| item.mark.is_some() && !item.quoted);
    let progress = boxes.any(|(_, (_, title))| starts(title, "progress"));
    if progress { 56 } else { 0 }
}

fn starts(title: &str, name: &str) -> bool {
    title.trim_matches(['#', '*', ':', ' ']).to_lowercase().starts_with(name)
}

fn read(outline: &Outline) -> Plan {
    let sections = Sections::new(outline);
    let roles = sections.items();
    let own = |index: usize| {
        let item = outline.items.get(index);
        // A subsection of Progress is a part of it.
        let below =
            item.is_some_and(|item| sections.is_below(item.at.start, |title| starts(title, "progress")));
        below || roles.get(index).is_some_and(|(_, title)| starts(title, "progress"))
    };
    let (mut plan, _) = boxed::with(outline, &roles, own);
    for task in &mut plan.tasks {
        if let Some((time, title)) = timed(&task.title) {
            task.extra.insert("time".to_owned(), time.into());
            task.title = title.to_owned();
        }
    }
    milestones(outline, &sections, &mut plan);
    plan
}

/// Joins each task with the section of the milestone that it names.
fn milestones(outline: &Outline, sections: &Sections, plan: &mut Plan) {
    let elsewhere = |section: &&Section| {
        !matches!(section.role, Role::Notes | Role::Design | Role::Order)
            && !sections.is_below(section.at.start, |title| starts(title, "progress"))
    };
    for section in sections.list().iter().filter(elsewhere) {
        let title = marks::without_signs(section.title);
        let names: Box<dyn Fn(&Task) -> bool> = match units::unit(title) {
            Some(unit) if !unit.id.to_lowercase().starts_with(unit.word) => {
                Box::new(move |task| mentions(&task.title, unit.word, &unit.id))
            }
            // The id of `M3` has its letter.
            _ => match items::own_id(title).filter(|id| !numbered::is_number(id)) {
                Some(id) => Box::new(move |task| task.id.as_str() == id),
                None => continue,
            },
        };
        let mut tasks = plan.tasks.iter().enumerate().filter(|(_, task)| names(task)).map(|(index, _)| index);
        // Two tasks that name one milestone are parts of it, and nothing says what belongs to which.
        let (Some(index), None) = (tasks.next(), tasks.next()) else { continue };
        let Some(task) = plan.tasks.get_mut(index).filter(|task| described::span(task).is_none()) else {
            continue;
        };
        let mut found =
            locate::find(outline, section.at, Purpose::Description, &locate::boxes_in(outline, section.at));
        found.extend(sentences(outline, section.at));
        locate::add(task, "", found);
        described::attach(outline, task, section.at, &[]);
    }
}

/// Whether a text names a unit: `Implement Milestone 3 (the walls)`.
fn mentions(text: &str, word: &str, id: &str) -> bool {
    let (text, id) = (text.to_lowercase(), id.to_lowercase());
    text.match_indices(word).any(|(at, _)| {
        let apart = text.get(..at).is_some_and(|before| !before.ends_with(char::is_alphanumeric));
        let rest = text.get(at + word.len()..).unwrap_or_default().trim_start_matches([' ', '#', '-']);
        let after = rest.strip_prefix(id.as_str());
        let closed = |after: &str| {
            let mut next = after.chars();
            match next.next() {
                Some('.') => !next.next().is_some_and(char::is_alphanumeric),
                first => !first.is_some_and(char::is_alphanumeric),
            }
        };
        apart && after.is_some_and(closed)
    })
}

/// The checks of sentences such as `Acceptance: …` within a paragraph.
fn sentences(outline: &Outline, at: Extent) -> Vec<Criterion> {
    let mut found = Vec::new();
    for line in outline.lines_in(at).filter(|line| line.veil.is_none()) {
        let text = outline.str(line.at);
        // The number of an item ends no sentence.
        let number = text.trim_start().bytes().take_while(u8::is_ascii_digit).count();
        let first = text.len() - text.trim_start().len() + number;
        let ends =
            text.match_indices(". ").filter(|(end, _)| *end > first).map(|(end, stop)| end + stop.len());
        let label = ends.filter_map(|from| Some((from, labels::label(text.get(from..)?)?)));
        let mut label = label.filter(|(_, (label, rest))| *label == Label::Verify && !rest.is_empty());
        if let Some((_, (_, rest))) = label.next() {
            let value =
                Extent { start: line.at.start + text.trim_end().len() - rest.len(), end: line.at.end };
            found.extend(
                locate::labelled(outline, outline.trimmed(value), value.end, checks::Role::Criterion).0,
            );
        }
    }
    found
}

/// `(2026-01-01 07:53Z) title`: the time and the title.
fn timed(title: &str) -> Option<(&str, &str)> {
    let (time, rest) = title.strip_prefix(['(', '['])?.split_once([')', ']'])?;
    let digits = time.bytes().filter(u8::is_ascii_digit).count();
    let dated = time.starts_with("20") && digits >= 8 && time.len() <= 40;
    let title = rest.trim_start_matches([' ', ':', '-', '—', '–']);
    (dated && !title.is_empty()).then_some((time, title))
}
