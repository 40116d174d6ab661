//! The slices of a one-stage item: a numbered list below `Slices:`, executed one after the other.
//!
//! The item is then the container of its slices, `1.2/1`, `1.2/2`.

use super::label::Label;
use crate::formats::workflows::runbook::deps::number::Number;
use crate::formats::workflows::runbook::deps::refs::Ref;
use crate::formats::workflows::runbook::draft::{Draft, Edge, Of, Step};
use markdown::{Extent, Item, Outline};
use wire::plan::Kind;
use wire::{Task, TaskId, ids};

/// Adds the item and its slices to the draft; false if it has none. The item's own edges begin at `edges`.
pub(crate) fn read(
    outline: &Outline,
    labels: &[Label],
    step: &mut Step,
    edges: usize,
    draft: &mut Draft,
) -> bool {
    let Some(at) = labels.iter().position(|label| label.name == "slices") else { return false };
    let Some(start) = labels.get(at).map(|label| label.start) else { return false };
    let next = labels.get(at + 1).map_or(step.at.end, |label| label.start);
    let end = interfaces(outline, Extent { start, end: next }).unwrap_or(next);
    let items = outline.items_in(Extent { start, end });
    let top = items.iter().map(|item| item.depth).min();
    let slices: Vec<&Item> =
        items.iter().filter(|item| Some(item.depth) == top && is_numbered(outline, item)).collect();
    if slices.is_empty() {
        return false;
    }
    step.task.kind = Kind::Container;
    // The first slice inherits the dependencies of the item.
    let own = draft.steps.len();
    let inherited: Vec<Edge> = draft
        .edges
        .iter()
        .skip(edges)
        .filter(|edge| matches!(edge.of, Of::Step(index) if index == own))
        .map(|edge| Edge { of: Of::Step(own + 1), on: edge.on.clone(), place: edge.place.clone() })
        .collect();
    draft.edges.extend(inherited);
    let parent = step.clone();
    draft.steps.push(parent.clone());
    for (index, item) in slices.iter().enumerate() {
        let slice = slice(outline, &parent, item, index + 1);
        if index > 0 {
            let before = Number::of(&format!("{}/{index}", parent.task.id));
            let on = before.map(|before| Ref::Task(before.clone(), before)).into_iter().collect();
            let place = outline.place(item.at.start);
            draft.edges.push(Edge { of: Of::Step(draft.steps.len()), on, place });
        }
        draft.steps.push(slice);
    }
    true
}

fn slice(outline: &Outline, parent: &Step, item: &Item, number: usize) -> Step {
    let id = format!("{}/{number}", parent.task.id);
    let at = outline.trimmed(item.at);
    let text = outline.shown(Extent { start: item.text, end: at.end });
    let line = Extent { start: item.text, end: item.text + text.lines().next().map_or(0, str::len) };
    let title = text.split([':', '\n']).next().unwrap_or_default().trim().to_owned();
    let mut task = Task {
        key: ids::key_of(&id),
        id: TaskId(id.clone()),
        title,
        phase: parent.task.phase.clone(),
        parent: Some(parent.task.id.clone()),
        span: outline.span(at),
        ..Task::default()
    };
    task.extra.insert("form".to_owned(), "slice".into());
    let named = parent.named.clone();
    Step {
        task,
        number: Number::of(&id),
        sheet: parent.sheet,
        at,
        line: clip(line, at),
        named,
        headed: false,
    }
}

fn clip(line: Extent, at: Extent) -> Extent {
    Extent { start: line.start.min(at.end), end: line.end.min(at.end) }
}

/// Where `Interfaces:` or a similar line ends the list.
fn interfaces(outline: &Outline, at: Extent) -> Option<usize> {
    let line = outline.lines_in(at).skip(1).find(|line| {
        let text = outline.str(line.at).trim();
        text.ends_with(':') && text.len() < 40 && text.starts_with(|c: char| c.is_ascii_uppercase())
    })?;
    Some(line.at.start)
}

fn is_numbered(outline: &Outline, item: &Item) -> bool {
    outline.str(item.at).starts_with(|c: char| c.is_ascii_digit())
}
