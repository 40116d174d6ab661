//! Boxes that are not tasks: success criteria, quality gates, the phases inside a task.
//!
//! A task heading without a box of its own takes the only box in its section as its mark; several boxes together
//! decide its state.

use super::entry::{self, Entry, Form};
use crate::Plan;
use crate::criteria::{goals, notes};
use crate::formats::workflows::workflow::list;
use markdown::{Extent, Item, Outline, marks};
use std::collections::{BTreeMap, HashMap};
use wire::plan::{Note, Severity};
use wire::{State, Task};

/// Adds every box that is not a task's mark.
pub(crate) fn read(outline: &Outline, entries: &[Entry], again: &[Entry], plan: &mut Plan) {
    let mut marks: Vec<usize> =
        entries.iter().filter_map(|entry| entry.mark).map(|mark| mark.start).collect();
    for number in 0..entries.len() {
        marks.extend(heading_mark(outline, entries, number, plan));
    }
    marks.sort_unstable();
    let repeated = again.iter().filter_map(|entry| Some((entry.mark?.start, entry)));
    let repeated: HashMap<usize, &Entry> = repeated.collect();
    let mut loose: BTreeMap<usize, usize> = BTreeMap::new();
    for item in outline.items.iter().filter(|item| !item.quoted) {
        let Some((mark, text)) = entry::box_of(outline, item) else { continue };
        if marks.binary_search(&mark.start).is_ok() {
            continue;
        }
        let inside = repeated.get(&mark.start).copied().or_else(|| holder(entries, item.at.start));
        if inside.is_none() {
            *loose.entry(heading(outline, item)).or_default() += 1;
        }
        let section = inside.map_or_else(|| section(outline, item), |entry| entry.id.clone());
        plan.notes.push(note(outline, item, mark, text, section));
    }
    for (offset, count) in loose {
        let boxes = if count == 1 { "1 box has" } else { &format!("{count} boxes have") };
        let message = format!("{boxes} no task id here and are notes");
        plan.diagnostics.push(outline.diagnostic(Severity::Hint, "box-without-id", message, offset));
    }
}

/// Adds every box of `IMPL_PLAN.md`, such as success criteria. The state of tasks comes only from the list.
pub(crate) fn of_plan(outline: &Outline, plan: &mut Plan) {
    for item in outline.items.iter().filter(|item| !item.quoted) {
        let Some((mark, text)) = entry::box_of(outline, item) else { continue };
        plan.notes.push(note(outline, item, mark, text, section(outline, item)));
    }
}

fn note(outline: &Outline, item: &Item, mark: Extent, text: usize, section: String) -> Note {
    let goal = goals::is_announced_by(&section);
    let read = if goal && item.mark.is_some() { notes::note(outline, item, &section, goal) } else { None };
    Note {
        goal,
        checks: read.map(|note| note.checks).unwrap_or_default(),
        section,
        text: first_line(outline, text, item.at.end),
        checked: marks::is_ticked(outline.str(mark)),
        span: outline.span(mark),
    }
}

/// Finds the mark or the state of a task heading; returns the mark's offset.
fn heading_mark(outline: &Outline, entries: &[Entry], number: usize, plan: &mut Plan) -> Option<usize> {
    let entry = entries.get(number).filter(|entry| entry.form == Form::Heading)?;
    let own = list::own(entries, number);
    let boxes: Vec<Extent> =
        outline.items_in(own).iter().filter(|item| !item.quoted).filter_map(|item| item.mark).collect();
    let task = plan.tasks.get_mut(number)?;
    if let ([mark], false) = (boxes.as_slice(), entry.holds) {
        task.mark = Some(outline.span(*mark));
        task.state_from = Some(outline.place(mark.start));
        let done = marks::is_ticked(outline.str(*mark));
        task.state = if done { State::Completed } else { State::Pending };
        return Some(mark.start);
    }
    if !entry.holds {
        task.state = by_words(outline, entry, &boxes, task);
    }
    None
}

fn by_words(outline: &Outline, entry: &Entry, boxes: &[Extent], task: &Task) -> State {
    let ticked = boxes.iter().filter(|mark| marks::is_ticked(outline.str(**mark))).count();
    if !boxes.is_empty() {
        return match ticked {
            0 => State::Pending,
            all if all == boxes.len() => State::Completed,
            _ => State::InProgress,
        };
    }
    let status = task.extra.get("status").and_then(|status| status.as_str());
    let words = outline.str(Extent { start: entry.at.start, end: entry.line.end });
    let lower = words.to_lowercase();
    let done = status.and_then(super::field::is_done);
    if done
        .unwrap_or_else(|| words.contains('✅') || lower.contains("[completed]") || lower.contains("[done]"))
    {
        State::Completed
    } else {
        State::Pending
    }
}

/// The innermost task around an offset.
fn holder(entries: &[Entry], offset: usize) -> Option<&Entry> {
    let next = entries.partition_point(|entry| entry.at.start <= offset);
    let mut at = next.checked_sub(1);
    while let Some(entry) = at.and_then(|at| entries.get(at)) {
        if offset < entry.at.end {
            return Some(entry);
        }
        at = entry.parent;
    }
    None
}

fn heading(outline: &Outline, item: &Item) -> usize {
    above(outline, item).map_or(item.at.start, |at| outline.headings.get(at).map_or(0, |h| h.at.start))
}

fn section(outline: &Outline, item: &Item) -> String {
    let heading = above(outline, item).and_then(|at| outline.headings.get(at));
    heading.map(|h| outline.shown(h.at).trim_matches(['#', ' ', '\t']).to_owned()).unwrap_or_default()
}

fn above(outline: &Outline, item: &Item) -> Option<usize> {
    outline.headings.partition_point(|heading| heading.at.start < item.at.start).checked_sub(1)
}

fn first_line(outline: &Outline, start: usize, end: usize) -> String {
    let shown = outline.shown(Extent { start, end });
    shown.lines().next().unwrap_or_default().trim().to_owned()
}
