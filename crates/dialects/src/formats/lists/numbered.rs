//! `numbered`: numbered items below a heading such as Tasks or Implementation Steps, in a plan without boxes, and items below
//! it that begin with an id, `- M1.2 Dig`.
//!
//! A sign before the text or a note after it, `✅`, `⏳`, `(done)`, is the state; no sign means open. What is indented
//! below an item belongs to it.

use crate::criteria::notes;
use crate::deps::{named, strategy};
use crate::dialect::PLAIN;
use crate::lists::items::{self, Entry};
use crate::lists::{below_tasks, boxed};
use crate::read::fingerprint;
use crate::sections::{self, Role, Sections};
use crate::states::{boxes, decoration, signs};
use crate::{Dialect, Plan, Shape};
use markdown::{Extent, Outline, marks};
use wire::plan::Model;
use wire::{Task, TaskId, ids};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "numbered",
    about: "numbered items below a heading such as Tasks, with or without a sign of state",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    signs: true,
    begins: true,
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    let sections = Sections::new(outline);
    let other = boxed::has_work(outline, &sections) || sections::is_instructions(outline);
    if !other && find(outline, &sections.items()).len() > 1 { 12 } else { 0 }
}

/// The numbered items that are tasks, by index.
fn find(outline: &Outline, roles: &[(Role, &str)]) -> Vec<usize> {
    let items = outline.items.iter().zip(roles).enumerate();
    let numbered = items.filter(|(_, (item, (role, title)))| {
        let digit = outline.bytes.get(item.at.start).is_some_and(u8::is_ascii_digit);
        let plain = item.depth == 0 && !item.quoted && item.mark.is_none();
        // What comes after the work, or how far it is, is no list of it.
        let lower = title.to_lowercase();
        let about = ["next steps", "progress", "roadmap"].iter().any(|word| lower.contains(word));
        let named = has_id(outline.str(items::line_of(outline, item)));
        let listed = named || digit && sections::of_title(title) == Some(Role::Tasks);
        listed && plain && *role == Role::Tasks && !about
    });
    numbered.map(|(index, _)| index).collect()
}

/// Whether an item begins with an id that has letters: `M1.2 Dig`, `**T-3**: Level`.
fn has_id(line: &str) -> bool {
    items::own_id(line).is_some_and(|id| id.contains(|c: char| c.is_ascii_uppercase()))
}

fn read(outline: &Outline) -> Plan {
    let roles = Sections::new(outline).items();
    let entries = items::unboxed(outline, &find(outline, &roles), |line| signs::find(outline, line).at);
    let mut plan = Plan { title: markdown::outline::title(outline), ..Plan::default() };
    plan.strategy = Some(strategy::unstated(Model::Sequential));
    let own: Vec<Option<&str>> = entries.iter().map(|entry| number(outline, entry)).collect();
    for (entry, id) in entries.iter().zip(named::ids(&own)) {
        let text = items::without_id(&outline.shown(entry.line), &id);
        let title = decoration::without(marks::without_signs(&text)).into_owned();
        let title =
            if text.starts_with('*') && title.contains("**") { text.trim_start().to_owned() } else { title };
        plan.tasks.push(Task {
            key: ids::key_of(&id),
            id: TaskId(id),
            title,
            state: signs::find(outline, entry.line).state.unwrap_or_default(),
            state_from: Some(outline.place(entry.at.start)),
            span: outline.span(outline.trimmed(entry.at)),
            mark: Some(outline.span(entry.mark)),
            ..Task::default()
        });
    }
    below_tasks::read(outline, &entries, &mut plan);
    for (task, entry) in plan.tasks.iter_mut().zip(&entries) {
        let at = outline.trimmed(entry.at);
        let mark = task.mark.as_ref().map(|mark| boxes::extent(mark, outline.bytes.len()));
        let mut cuts: Vec<Extent> = mark.into_iter().collect();
        cuts.extend(outline.items_in(at).iter().filter_map(|item| item.mark));
        cuts.sort_unstable_by_key(|at| at.start);
        let none = Extent { start: at.end, end: at.end };
        task.fingerprint = fingerprint::with_boxes(outline, at, &cuts, none, &task.depends_on);
    }
    let held = |at: usize| {
        let next = entries.partition_point(|entry| entry.at.start <= at);
        next.checked_sub(1).and_then(|last| entries.get(last)).is_some_and(|entry| at < entry.at.end)
    };
    notes::outside(outline, held, &mut plan);
    items::hidden(outline, &mut plan.diagnostics);
    plan
}

/// The number or the id of an item as written.
fn number<'o>(outline: &'o Outline, entry: &Entry) -> Option<&'o str> {
    let line = outline.str(entry.line);
    if has_id(line) {
        return items::own_id(line);
    }
    let text = outline.str(entry.at);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..digits).filter(|digits| !digits.is_empty())
}
