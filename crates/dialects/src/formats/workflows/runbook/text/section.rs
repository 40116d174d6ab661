//! Splits a runbook into its phases, steps and checkpoints.
//!
//! Headings of any level count. A step hidden by a misplaced closing fence is taken if it fills a gap in the numbers;
//! every other line that looks like a step and is not taken gives a diagnostic.

use super::head::{self, StepHead, What};
use crate::formats::workflows::runbook::deps::number::Number;
use crate::formats::workflows::runbook::text::listed_steps;
use markdown::{Extent, Outline};
use std::collections::HashSet;
use wire::plan::{Diagnostic, Severity};

/// A heading or item with its range.
pub(crate) struct Piece {
    pub(crate) what: What,
    /// 1 to 6 for a heading, 7 for an item.
    pub(crate) level: u8,
    /// The heading's line.
    pub(crate) line: Extent,
    /// The section.
    pub(crate) at: Extent,
    /// The content of its box; only an item has one.
    pub(crate) mark: Option<Extent>,
}

/// The pieces in document order.
pub(crate) fn cut(outline: &Outline, found: &mut Vec<Diagnostic>) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = outline
        .headings
        .iter()
        .filter(|heading| heading.atx && !heading.inner)
        .map(|heading| piece(outline, heading.level, heading.at))
        .collect();
    hidden(outline, &mut pieces, found);
    nested(outline, &mut pieces, found);
    bound(outline, &mut pieces);
    listed_steps::take(outline, &mut pieces, found);
    pieces
}

fn piece(outline: &Outline, level: u8, line: Extent) -> Piece {
    Piece { what: head::what(outline.str(line)), level, line, at: line, mark: None }
}

/// Steps in fences: taken if they fill a gap, otherwise reported.
fn hidden(outline: &Outline, pieces: &mut Vec<Piece>, found: &mut Vec<Diagnostic>) {
    let known: HashSet<&str> =
        steps(pieces).flat_map(|(_, head)| head.all.iter().map(String::as_str)).collect();
    let hidden = fenced(outline, &known);
    // All steps in order, the hidden ones marked.
    let mut all: Vec<(usize, Number, bool)> = steps(pieces)
        .map(|(piece, head)| (piece.line.start, head.number.clone(), false))
        .chain(steps(&hidden).map(|(piece, head)| (piece.line.start, head.number.clone(), true)))
        .collect();
    all.sort_by_key(|(start, _, _)| *start);
    let fits = fitting(outline, &all);
    for piece in hidden {
        let What::Step(head) = &piece.what else { continue };
        let id = &head.number.text;
        let (code, message) = if fits.contains(&piece.line.start) {
            let why = "stands in a code fence that was closed in the wrong place; taken, as it fills a gap";
            ("fenced-step", format!("step '{id}' {why}"))
        } else {
            ("step-in-fence", format!("step '{id}' stands in a code fence; not taken"))
        };
        found.push(outline.diagnostic(Severity::Warning, code, message, piece.line.start));
        if code == "fenced-step" {
            pieces.push(piece);
        }
    }
    pieces.sort_by_key(|piece| piece.line.start);
}

/// The offsets of the hidden steps whose number continues the step before and is continued by the step after.
fn fitting(outline: &Outline, all: &[(usize, Number, bool)]) -> HashSet<usize> {
    // Backwards: steps that are continued, through other hidden steps or up to the end of an unclosed fence.
    let mut leading: HashSet<usize> = HashSet::new();
    let mut behind: Vec<&Number> = Vec::new();
    let mut end = true;
    for (start, number, hidden) in all.iter().rev() {
        if !hidden {
            (behind, end) = (vec![number], false);
        } else if behind.iter().rev().take(NEAR).any(|next| next.follows(number))
            || end && unclosed(outline, *start)
        {
            leading.insert(*start);
            behind.push(number);
        }
    }
    let mut before: Option<&Number> = None;
    let mut fits = HashSet::new();
    for (start, number, hidden) in all {
        if !hidden {
            before = Some(number);
        } else if leading.contains(start) && before.is_some_and(|before| number.follows(before)) {
            fits.insert(*start);
            before = Some(number);
        }
    }
    fits
}

/// The maximum number of hidden steps between one step and the next.
const NEAR: usize = 64;

/// The lines in fences that look like a step found nowhere else.
fn fenced(outline: &Outline, known: &HashSet<&str>) -> Vec<Piece> {
    let mut hidden = Vec::new();
    for fence in &outline.fences {
        for line in outline.lines_in(fence.content) {
            let text = outline.str(line.at);
            let level = text.bytes().take_while(|byte| *byte == b'#').count();
            if !(2..=4).contains(&level) {
                continue;
            }
            let piece = piece(outline, u8::try_from(level).unwrap_or(6), line.at);
            if matches!(&piece.what, What::Step(head) if !known.contains(head.number.text.as_str())) {
                hidden.push(piece);
            }
        }
    }
    hidden
}

/// Whether the fence around an offset runs to the end of the file.
fn unclosed(outline: &Outline, offset: usize) -> bool {
    let next = outline.fences.partition_point(|fence| fence.at.end <= offset);
    let fence = outline.fences.get(next);
    fence.is_some_and(|fence| fence.content.end >= outline.bytes.trim_ascii_end().len())
}

pub(crate) fn steps(pieces: &[Piece]) -> impl Iterator<Item = (&Piece, &StepHead)> {
    pieces.iter().filter_map(|piece| match &piece.what {
        What::Step(head) => Some((piece, head)),
        _ => None,
    })
}

/// A step heading within a step is part of its text, unless it continues the numbers at the wrong level.
fn nested(outline: &Outline, pieces: &mut [Piece], found: &mut Vec<Diagnostic>) {
    let mut open: Option<(u8, Number)> = None;
    for piece in pieces {
        match &piece.what {
            What::Step(head) => {
                let within = open.as_ref().filter(|(level, _)| *level < piece.level);
                match within.filter(|(_, outer)| !head.number.follows(outer)) {
                    None => {
                        open = Some((within.map_or(piece.level, |(level, _)| *level), head.number.clone()));
                    }
                    Some((_, outer)) => {
                        let message = format!(
                            "'{}' stands within step '{}' and is part of its text",
                            head.number.text, outer.text
                        );
                        let alike = head.number.is_dotted() && head.number.depth() == outer.depth();
                        let severity = if alike { Severity::Warning } else { Severity::Hint };
                        found.push(outline.diagnostic(severity, "substep", message, piece.line.start));
                        piece.what = What::Other;
                    }
                }
            }
            What::Phase(_) | What::Boundary(_) | What::Midway => open = None,
            What::Unnumbered | What::Other => {
                if matches!(piece.what, What::Unnumbered) {
                    let message = "looks like a step but has no number; not taken".to_owned();
                    found.push(outline.diagnostic(
                        Severity::Warning,
                        "unnumbered-step",
                        message,
                        piece.line.start,
                    ));
                }
                if open.as_ref().is_some_and(|(level, _)| piece.level <= *level) {
                    open = None;
                }
            }
        }
    }
}

/// Ends each section where the next piece begins that is not part of its text.
fn bound(outline: &Outline, pieces: &mut [Piece]) {
    let whole = outline.bytes.len();
    let mut ends = Vec::with_capacity(pieces.len());
    for (index, piece) in pieces.iter().enumerate() {
        let rest = pieces.get(index + 1..).unwrap_or_default();
        let closes = |next: &&Piece| match (&piece.what, &next.what) {
            (What::Phase(_), What::Step(_)) => false,
            (_, What::Phase(_) | What::Step(_) | What::Boundary(_) | What::Midway) => true,
            (_, What::Other | What::Unnumbered) => next.level <= piece.level,
        };
        ends.push(rest.iter().find(closes).map_or(whole, |next| next.line.start));
    }
    for (piece, end) in pieces.iter_mut().zip(ends) {
        piece.at = without_rule(outline, Extent { start: piece.line.start, end });
    }
}

/// A section without trailing blank lines and the separating `---`.
pub(crate) fn without_rule(outline: &Outline, at: Extent) -> Extent {
    let mut at = outline.trimmed(at);
    while let Some(before) = outline.str(at).strip_suffix("---").filter(|text| text.ends_with(['\n', '\r'])) {
        at = outline.trimmed(Extent { start: at.start, end: at.start + before.len() });
    }
    at
}
