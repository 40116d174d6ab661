//! Steps that are items of a list: `- Item 1.2: …`, `- Step 1.2: …`, `- [ ] Cycle 1.2: …`.
//!
//! In a phase each is a step, unless a heading describes it. Within another step only a box makes it one, as an item
//! without a box is mostly a mention; whatever names a step that is nowhere else and is not taken is a diagnostic.

use super::head::{self, StepHead, What};
use super::label;
use super::metadata;
use super::section::{Piece, steps, without_rule};
use crate::{Extent, Item, Outline, list};
use std::collections::HashSet;
use wire::plan::{Diagnostic, Severity};

/// Takes the items that are steps in among the pieces.
pub(crate) fn take(outline: &Outline, pieces: &mut Vec<Piece>, found: &mut Vec<Diagnostic>) {
    let known: HashSet<&str> =
        steps(pieces).flat_map(|(_, head)| head.all.iter().map(String::as_str)).collect();
    let mut taken: Vec<(Piece, Option<usize>)> = Vec::new();
    let mut left: Vec<(String, usize, Why)> = Vec::new();
    let mut at = 0;
    // Where the section of the phase ends that was begun last.
    let mut phase = 0;
    // What the step around the item says it waits for, as lists; looked for once a step.
    let mut waits: (Option<usize>, Vec<Extent>) = (None, Vec::new());
    for item in outline.items.iter().filter(|item| !item.quoted) {
        while let Some(piece) = pieces.get(at).filter(|piece| piece.line.start < item.at.start) {
            if matches!(piece.what, What::Phase(_)) {
                phase = piece.at.end;
            }
            at += 1;
        }
        let line = list::line_of(outline, item);
        let What::Step(head) = head::what(outline.str(line)) else { continue };
        if !head.number.is_dotted() || head.all.iter().any(|id| known.contains(id.as_str())) {
            continue;
        }
        let holder =
            at.checked_sub(1).filter(|at| pieces.get(*at).is_some_and(|held| item.at.start < held.at.end));
        let around = holder.and_then(|at| pieces.get(at));
        if let Some(piece) = around.filter(|_| waits.0 != holder) {
            waits = (holder, label::lists_of_waits(outline, piece.at));
        }
        let is_awaited =
            waits.0 == holder && waits.1.iter().any(|at| (at.start..at.end).contains(&item.at.start));
        if is_awaited {
            continue;
        }
        match place(outline, item, &head, around, item.at.start < phase) {
            Place::Step => {
                let at = without_rule(outline, item.at);
                let piece = Piece { what: What::Step(head), level: 7, line, at, mark: item.mark };
                let within = holder
                    .filter(|at| pieces.get(*at).is_some_and(|held| matches!(held.what, What::Step(_))));
                taken.push((piece, within));
            }
            Place::Left(why) if head.odd.is_none() || item.mark.is_some() => {
                left.push((head.number.text, line.start, why));
            }
            Place::Left(_) | Place::Part => {}
        }
    }
    report(outline, &left, &taken, found);
    insert(outline, pieces, taken, found);
}

/// What an item that names a step is where it stands.
enum Place {
    Step,
    /// Part of the text around it.
    Part,
    Left(Why),
}

/// Why an item is no step.
#[derive(Clone, Copy)]
enum Why {
    Outside,
    Within,
    Nested,
}

fn place(outline: &Outline, item: &Item, head: &StepHead, holder: Option<&Piece>, in_phase: bool) -> Place {
    if holder.is_some_and(|held| metadata::is_about_all(outline.str(held.line))) {
        return Place::Part;
    }
    if let Some(Piece { what: What::Step(outer), .. }) = holder {
        // `3.3.1` within `3.3` is a part of it.
        let beside = head.number.depth() == outer.number.depth();
        return match item.mark {
            _ if !beside => Place::Part,
            _ if item.depth > 0 => Place::Left(Why::Nested),
            Some(_) => Place::Step,
            None => Place::Left(Why::Within),
        };
    }
    match item.depth {
        0 if in_phase || head.word == "item" => Place::Step,
        0 => Place::Left(Why::Outside),
        _ if item.mark.is_some() => Place::Left(Why::Nested),
        _ => Place::Part,
    }
}

/// Says of each that was left what it is; once it is taken elsewhere it was only a mention.
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

/// Puts the taken items in their places. One within a step ends that step's text, and what follows it is its own up to
/// the next.
fn insert(
    outline: &Outline,
    pieces: &mut Vec<Piece>,
    taken: Vec<(Piece, Option<usize>)>,
    found: &mut Vec<Diagnostic>,
) {
    // The step that was cut last, and the piece that holds the rest of its text.
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
