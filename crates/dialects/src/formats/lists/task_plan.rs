//! `task-plan`: a `task_plan.md` of phases, each with boxes and a line `- **Status:** in_progress`.
//!
//! The boxes are the tasks. A phase without boxes is a task itself, and its status is the box.

use crate::deps::phases;
use crate::dialect::PLAIN;
use crate::lists::chapters::{self, Decides};
use crate::lists::work::{self, Work};
use crate::lists::{boxed, unit_headings};
use crate::sections::Sections;
use crate::sections::units::{self, Rank};
use crate::states::boxes;
use crate::{Dialect, Plan, Shape};
use markdown::{Outline, marks};
use wire::plan::Model;
use wire::{TaskId, ids};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "task-plan",
    about: "task_plan.md: phases with boxes and a status",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    words: ["pending", "in_progress", "complete", "blocked", "pending", "skipped"],
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let sections = Sections::new(outline);
    let found = unit_headings::find(outline, &sections);
    let phases = found.tasks.iter().filter(|unit| unit.unit.rank == Rank::Phase).count();
    // A status below a numbered item is the item's.
    if phases == 0 || work::of(outline) == Some(Work::Items) {
        return 0;
    }
    let chapters = unit_headings::chapters(outline, &found);
    let told =
        chapters.iter().filter(|chapter| chapters::has_own_status(outline, chapter.head, chapter.at)).count();
    if told > 0 && told * 3 >= phases && boxed::has_work(outline, &sections) { 41 } else { 0 }
}

fn read(outline: &Outline) -> Plan {
    let mut plan = boxed::read(outline);
    let sections = Sections::new(outline);
    let found = unit_headings::find(outline, &sections);
    let mut bare = unit_headings::chapters(outline, &found);
    bare.retain(|chapter| {
        let boxed = outline.items_in(chapter.at).iter().any(|item| item.mark.is_some() && !item.quoted);
        !boxed && chapters::has_own_status(outline, chapter.head, chapter.at)
    });
    for mut task in chapters::read_with(outline, &bare, Decides::Heading).tasks {
        let id = format!("phase-{}", task.id);
        (task.key, task.id) = (ids::key_of(&id), TaskId(id));
        plan.tasks.push(task);
    }
    plan.tasks.sort_by_key(|task| boxes::extent(&task.span, outline.bytes.len()).start);
    phases::read(outline, &mut plan, |text| {
        let unit = units::unit(marks::without_signs(text)).filter(|unit| unit.rank == Rank::Phase)?;
        Some((unit.id, unit.title.to_owned()))
    });
    plan
}
