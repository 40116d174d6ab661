//! `exec-plan`: an `ExecPlan`, whose tasks are the boxes of its Progress section.
//!
//! A time in parentheses after the box is no part of the task's name. The commands of Validation and Acceptance are gates
//! of the plan.

use crate::dialect::PLAIN;
use crate::lists::boxed;
use crate::sections::Sections;
use crate::{Dialect, Plan, Shape};
use markdown::Outline;
use wire::plan::Model;

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
    let kept = ["surprises", "decision log", "outcomes"].iter().filter(|name| has(name)).count();
    let boxes = sections.items();
    let mut boxes = outline.items.iter().zip(&boxes).filter(|(item, _)| item.mark.is_some() && !item.quoted);
    let progress = boxes.any(|(_, (_, title))| starts(title, "progress"));
    if kept > 0 && progress { 56 } else { 0 }
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
    plan
}

/// `(2026-01-01 07:53Z) title`: the time and the title.
fn timed(title: &str) -> Option<(&str, &str)> {
    let (time, rest) = title.strip_prefix(['(', '['])?.split_once([')', ']'])?;
    let digits = time.bytes().filter(u8::is_ascii_digit).count();
    let dated = time.starts_with("20") && digits >= 8 && time.len() <= 40;
    let title = rest.trim_start_matches([' ', ':', '-', '—', '–']);
    (dated && !title.is_empty()).then_some((time, title))
}
