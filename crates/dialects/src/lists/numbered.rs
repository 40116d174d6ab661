//! Lists whose items begin with a number or id: shared by `spec-kit`, `kiro`, `cc-sdd` and `openspec`.
//!
//! A duplicate id is an error. Depending on the dialect, a box without an id below a task with one is a criterion of
//! that task; a box under a heading such as Definition of Done is a note.

use crate::Plan;
use crate::criteria::{goals, locate, notes};
use crate::lists::below_tasks;
use crate::lists::items::{self, Entry, Ids};
use crate::sections::{Role, Sections};
use markdown::{Extent, Item, Outline};
use std::collections::{HashMap, HashSet};
use wire::plan::{Kind, Note};
use wire::{Task, TaskId};

/// The meaning of a box without an id below a task.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nested {
    /// An ordinary task.
    Task,
    /// A criterion of the task.
    Criterion,
}

/// Reads the list; the dialect adds phases, dependencies and fingerprints.
pub(crate) fn read(outline: &Outline, nested: Nested) -> (Plan, Vec<Entry>) {
    let roles = Sections::new(outline).items();
    let beside = |index: usize| {
        let role = roles.get(index).map_or(Role::Open, |(role, _)| *role);
        match role {
            Role::Criteria | Role::Legend | Role::Examples => true,
            // Where every box counts, only these words make it something else.
            Role::Checks | Role::Prerequisites | Role::Order | Role::Design | Role::Notes => {
                nested == Nested::Criterion
            }
            Role::Tasks | Role::Open => false,
        }
    };
    let takes = |index: usize, item: &Item, inside: Option<&Entry>| {
        let own = items::own_id(outline.str(items::line_of(outline, item))).is_some();
        own || if inside.is_some() { nested == Nested::Task } else { !beside(index) }
    };
    let entries = items::entries(outline, takes);
    let mut plan = Plan { title: markdown::outline::title(outline), ..Plan::default() };
    plan.tasks = items::tasks(outline, &entries, Ids::Strict, &mut plan.diagnostics);
    for (task, entry) in plan.tasks.iter_mut().zip(&entries) {
        inside(outline, entry, task);
    }
    for (index, item) in
        outline.items.iter().enumerate().filter(|(_, item)| item.mark.is_some() && !item.quoted)
    {
        let (role, section) = roles.get(index).copied().unwrap_or_default();
        if beside(index) && role != Role::Legend && !takes(index, item, None) {
            plan.notes.extend(note(outline, item, section));
        }
    }
    below_tasks::read(outline, &entries, &mut plan);
    items::hidden(outline, &mut plan.diagnostics);
    (plan, entries)
}

/// The positions of the ids of all boxed items, and the number of boxed items.
pub(crate) fn own_ids(outline: &Outline) -> (Vec<Extent>, usize) {
    let (mut ids, mut boxed) = (Vec::new(), 0);
    for item in outline.items.iter().filter(|item| item.mark.is_some() && !item.quoted) {
        boxed += 1;
        let text = outline.str(Extent { start: item.text, end: item.at.end });
        if let Some(id) = items::own_id(text) {
            let start = item.text + items::before_id(text);
            ids.push(Extent { start, end: start + id.len() });
        }
    }
    (ids, boxed)
}

/// How many ids of boxed items satisfy `is_such`, and the number of boxed items.
pub(crate) fn count(outline: &Outline, is_such: impl Fn(&str) -> bool) -> (usize, usize) {
    let (ids, boxed) = outline.own_ids(own_ids);
    (ids.iter().filter(|id| is_such(outline.str(**id))).count(), *boxed)
}

/// Whether an id is a number such as `2` or `2.1`.
pub(crate) fn is_number(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_digit()) && id.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// `1.1` belongs to `1` even if the list is flat.
pub(crate) fn adopt(plan: &mut Plan) {
    let place: HashMap<String, usize> =
        plan.tasks.iter().enumerate().map(|(index, task)| (task.id.0.clone(), index)).collect();
    for index in 0..plan.tasks.len() {
        let Some(task) = plan.tasks.get(index).filter(|task| task.parent.is_none()) else { continue };
        let outer = task.id.0.rsplit_once('.').and_then(|(outer, _)| place.get(outer)).copied();
        let Some(outer) = outer.filter(|outer| *outer < index) else { continue };
        let parent = plan.tasks.get_mut(outer).map(|parent| {
            parent.kind = Kind::Container;
            parent.id.clone()
        });
        if let Some(task) = plan.tasks.get_mut(index) {
            task.parent = parent;
        }
    }
}

/// Fields such as `_Requirements: 1.1, 2.3_`, alone on a line, in lowercase with their values.
pub(crate) fn fields(outline: &Outline, at: Extent) -> Vec<(String, String)> {
    let lines = outline.lines_in(at).filter(|line| line.veil.is_none());
    lines.filter_map(|line| field(outline.str(line.at))).collect()
}

fn field(line: &str) -> Option<(String, String)> {
    let text = line.trim().trim_start_matches(['-', '*', '+', ' ']).trim_end_matches('*');
    let inner = text.strip_prefix('_')?.trim_end_matches('.').strip_suffix('_')?;
    let (name, value) = inner.split_once(':')?;
    let short = name.len() <= 24 && !name.contains('_');
    short.then(|| (name.trim().to_lowercase(), value.trim().to_owned()))
}

/// Reads the items below a task: steps, and boxes that are criteria.
fn inside(outline: &Outline, entry: &Entry, task: &mut Task) {
    boxes_below(outline, entry, task);
    for item in entry.below.iter().filter_map(|&index| outline.items.get(index)) {
        let line = items::line_of(outline, item);
        let plain = item.mark.is_none() || item.quoted;
        if plain && field(outline.str(line)).is_none() && line.start < line.end {
            task.steps.push(outline.shown(line));
        }
    }
}

/// Reads the boxes below a task that are no tasks: its criteria.
pub(crate) fn boxes_below(outline: &Outline, entry: &Entry, task: &mut Task) {
    for item in entry.below.iter().filter_map(|&index| outline.items.get(index)) {
        if item.mark.is_some() && !item.quoted {
            locate::add(task, "checklist", locate::boxed(outline, item, entry.at.end, checks::Role::Step));
        }
    }
}

/// A box that is not a task.
pub(crate) fn note(outline: &Outline, item: &Item, section: &str) -> Option<Note> {
    notes::note(outline, item, section, goals::is_announced_by(section))
}

/// Adds dependencies to a task.
pub(crate) fn depend(task: &mut Task, ids: Vec<TaskId>) {
    let mut seen: HashSet<TaskId> = task.depends_on.iter().cloned().chain([task.id.clone()]).collect();
    task.depends_on.extend(ids.into_iter().filter(|id| seen.insert(id.clone())));
}
