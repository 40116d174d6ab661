//! `numbered`: items without boxes: numbered ones below a heading such as Tasks or Implementation Steps, those that begin with
//! an id, `- M1.2 Dig`, the order of the work and the bullets of a list of things to do where a plan has nothing else.
//!
//! A line `Status: …` below the item is the state, a sign before the text or a note after it, `✅`, `⏳`, `(done)`, or a
//! heading such as Done; no sign means open. What is indented below an item belongs to it.

use crate::criteria::notes;
use crate::deps::{named, strategy};
use crate::dialect::PLAIN;
use crate::lists::items::{self, Entry};
use crate::lists::work::{self, Work};
use crate::lists::{below_tasks, chapters, listed};
use crate::read::fingerprint;
use crate::sections::Sections;
use crate::states::{boxes, decoration, signs, status_cell};
use crate::{Dialect, Plan, Shape};
use markdown::{Extent, Outline, marks};
use wire::plan::Model;
use wire::{State, Task, TaskId, ids};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "numbered",
    about: "numbered items below a heading such as Tasks, bullets of a list of things to do",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    signs: true,
    begins: true,
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    u32::from(work::of(outline) == Some(Work::Items)) * work::SURE
}

fn read(outline: &Outline) -> Plan {
    let sections = Sections::new(outline);
    let roles = sections.items();
    let entries =
        items::unboxed(outline, &listed::find(outline, &roles), |line| signs::find(outline, line).at);
    let mut plan = Plan { title: markdown::outline::title(outline), ..Plan::default() };
    plan.strategy = Some(strategy::unstated(Model::Sequential));
    let own: Vec<Option<&str>> = entries.iter().map(|entry| number(outline, entry)).collect();
    for (entry, id) in entries.iter().zip(named::ids(&own)) {
        let text = items::without_id(&outline.shown(entry.line), &id);
        let title = decoration::without(marks::without_signs(&text)).into_owned();
        let title =
            if text.starts_with('*') && title.contains("**") { text.trim_start().to_owned() } else { title };
        let mut task = Task {
            key: ids::key_of(&id),
            id: TaskId(id),
            title,
            state: state(outline, &sections, entry),
            state_from: Some(outline.place(entry.at.start)),
            span: outline.span(outline.trimmed(entry.at)),
            mark: Some(outline.span(entry.mark)),
            ..Task::default()
        };
        if let Some(at) = chapters::own_status(outline, entry.line, entry.at) {
            chapters::said(outline, at, true, &mut task, &mut plan);
        }
        plan.tasks.push(task);
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

/// The state that a sign gives, beside the text or in the bold name that it begins with, or the heading above.
fn state(outline: &Outline, sections: &Sections, entry: &Entry) -> State {
    let named = || {
        let (name, _) = outline.str(entry.line).strip_prefix("**")?.split_once("**")?;
        name.chars().find_map(status_cell::of_sign)
    };
    let signed = signs::find(outline, entry.line).state.filter(|state| *state != State::Pending);
    signed.or_else(named).or_else(|| sections.state_above(entry.at.start)).unwrap_or_default()
}

/// The number or the id of an item as written.
fn number<'o>(outline: &'o Outline, entry: &Entry) -> Option<&'o str> {
    let line = outline.str(entry.line);
    if listed::names_itself(line) {
        return items::own_id(line);
    }
    let text = outline.str(entry.at);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    text.get(..digits).filter(|digits| !digits.is_empty())
}
