//! Steps that are list items: `- Item 1.2: …`, `- Step 1.2: …`, `- [ ] Cycle 1.2: …`.
//!
//! In a phase each such item is a step, unless a heading describes it. Within another step only a box makes it a
//! step, since an item without a box is usually a mention. An item that names a step found nowhere else and that is
//! not taken gives a diagnostic.

use super::head::{self, StepHead, What};
use super::label;
use super::metadata;
use super::section::{Piece, steps, without_rule};
use crate::lists::items;
use markdown::{Extent, Item, Outline};
use std::collections::HashSet;
use wire::plan::{Diagnostic, Severity};

/// Inserts the items that are steps into the pieces.
pub(crate) fn take(outline: &Outline, pieces: &mut Vec<Piece>, found: &mut Vec<Diagnostic>) {
    let known: HashSet<&str> =
        steps(pieces).flat_map(|(_, head)| head.all.iter().map(String::as_str)).collect();
    let mut taken: Vec<(Piece, Option<usize>)> = Vec::new();
    let mut left: Vec<(String, usize, Why)> = Vec::new();
    let mut at = 0;
    // Where the section of the last phase ends.
    let mut phase = 0;
    // The dependency lists of the enclosing step, computed once per step.
    let mut waits: (Option<usize>, Vec<Extent>) = (None, Vec::new());
    for item in outline.items.iter().filter(|item| !item.quoted) {
        while let Some(piece) = pieces.get(at).filter(|piece| piece.line.start < item.at.start) {
            if matches!(piece.what, What::Phase(_)) {
                phase = piece.at.end;
            }
            at += 1;
        }
        let line = items::line_of(outline, item);
        let What::Step(head) = head::what(outline.str(line)) else { continue };
        if !head.number.is_dotted() || head.all.iter().any(|id| known.contains(id.as_str())) {
            continue;
        }
        let holder =
            at.checked_sub(1).filter(|at| pieces.get(*at).is_some_and(|outer| item.at.start < outer.at.end));
        let outer = holder.and_then(|at| pieces.get(at));
        let within = holder.filter(|_| outer.is_some_and(|outer| matches!(outer.what, What::Step(_))));
        if let Some(outer) = outer.filter(|_| within.is_some() && waits.0 != within) {
            waits = (within, label::lists_of_waits(outline, outer.at));
        }
        if within.is_some() && holds(&waits.1, item.at.start) {
            continue;
        }
        match place(outline, item, &head, outer, item.at.start < phase) {
            ItemRole::Step => {
                let at = without_rule(outline, item.at);
                let piece = Piece { what: What::Step(head), level: 7, line, at, mark: item.mark };
                taken.push((piece, within));
            }
            ItemRole::Left(why) if head.odd.is_none() || item.mark.is_some() => {
                left.push((head.number.text, line.start, why));
            }
            ItemRole::Left(_) | ItemRole::Part => {}
        }
    }
    report(outline, &left, &taken, found);
    insert(outline, pieces, taken, found);
}

/// Whether one of the sorted ranges contains an offset.
fn holds(ranges: &[Extent], offset: usize) -> bool {
    let next = ranges.partition_point(|at| at.end <= offset);
    ranges.get(next).is_some_and(|at| at.start <= offset)
}

/// The role of an item that names a step.
enum ItemRole {
    Step,
    /// Part of the text around it.
    Part,
    Left(Why),
}

/// Why an item is not a step.
#[derive(Clone, Copy)]
enum Why {
    Outside,
    Within,
    Nested,
}

fn place(
    outline: &Outline,
    item: &Item,
    head: &StepHead,
    holder: Option<&Piece>,
    in_phase: bool,
) -> ItemRole {
    if holder.is_some_and(|outer| metadata::is_about_all(outline.str(outer.line))) {
        return ItemRole::Part;
    }
    if let Some(Piece { what: What::Step(outer), .. }) = holder {
        // `3.3.1` within `3.3` is a part of `3.3`.
        let beside = head.number.depth() == outer.number.depth();
        return match item.mark {
            _ if !beside => ItemRole::Part,
            _ if item.depth > 0 => ItemRole::Left(Why::Nested),
            Some(_) => ItemRole::Step,
            None => ItemRole::Left(Why::Within),
        };
    }
    match item.depth {
        0 if in_phase || head.word == "item" => ItemRole::Step,
        0 => ItemRole::Left(Why::Outside),
        _ if item.mark.is_some() => ItemRole::Left(Why::Nested),
        _ => ItemRole::Part,
    }
}

/// Reports each skipped item, unless another item with its number was taken: then it was only a mention.
fn report(
    outline: &Outline,
    left: &[(String, usize, Why)],
    taken: &[(Piece, Option<usize>)],
    found: &mut Vec<Diagnostic>,
) {
    let ids: HashSet<&str> = taken
        .iter()
        .filter_map(|(piece, _)| match &piece.what {
            What::Step(head) => Some(head.number.text.as_str()),
            _ => None,
        })
        .collect();
    for (id, start, why) in left.iter().filter(|(id, _, _)| !ids.contains(id.as_str())) {
        let place = match why {
            Why::Outside => "outside a phase",
            Why::Within => "within another step",
            Why::Nested => "within another item",
        };
        let message = format!("'{id}' is listed {place} and described nowhere; not taken");
        found.push(outline.diagnostic(Severity::Warning, "item-not-taken", message, *start));
    }
}

/// Inserts the taken items in order. An item within a step ends that step's text, and the text after the item belongs
/// to it, up to the next one.
fn insert(
    outline: &Outline,
    pieces: &mut Vec<Piece>,
    taken: Vec<(Piece, Option<usize>)>,
    found: &mut Vec<Diagnostic>,
) {
    // The last step that was split, and the piece with the rest of its text.
    let mut last: Option<(usize, usize)> = None;
    for (mut piece, within) in taken {
        if let (Some(holder), What::Step(head)) = (within, &piece.what) {
            let id = &head.number.text;
            let message = format!("step '{id}' is a box below another step; taken as a step of its own");
            found.push(outline.diagnostic(Severity::Warning, "boxed-step", message, piece.line.start));
            let before = last.filter(|(of, _)| *of == holder).map_or(holder, |(_, at)| at);
            last = Some((holder, pieces.len()));
            if let Some(rest) = pieces.get_mut(before) {
                let start = piece.at.start;
                piece.at = without_rule(outline, Extent { start, end: rest.at.end });
                rest.at = without_rule(outline, Extent { start: rest.at.start, end: start });
            }
        }
        pieces.push(piece);
    }
    pieces.sort_by_key(|piece| piece.line.start);
}
