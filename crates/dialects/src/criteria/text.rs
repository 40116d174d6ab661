//! Markdown that stands inside something else: the content of an element, a string of data.
//!
//! It is parsed by itself, moved to the left, and what is found in it gets its place in the file back.

use crate::criteria::locate::{self, Purpose};
use crate::criteria::unclear::without_rewrite;
use checks::{Kind, Located, Part, labels};
use markdown::{Extent, Outline, Text, marks};
use std::borrow::Cow;
use wire::plan::{Criterion, Span};

/// The criteria in a range whose lines the outline hides, such as the content of an element.
pub(crate) fn element(outline: &Outline, at: Extent, purpose: Purpose) -> Vec<Criterion> {
    let lines: Vec<Extent> = outline.lines_in(at).map(|line| line.at).collect();
    let shown: Vec<&str> = lines.iter().map(|line| outline.str(*line)).collect();
    // The range may begin behind the indent of its first line, or behind the opening tag.
    let before = outline.str(Extent { start: 0, end: at.start });
    let before = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    let left = before.trim().is_empty().then_some(before.len());
    let indents = shown.iter().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let indents = indents.filter_map(|(number, line)| match number {
        0 => left.map(|left| left + indent(line)),
        _ => Some(indent(line)),
    });
    let common = indents.min().unwrap_or(0);
    let mut copy = String::new();
    // Where each line begins in the copy and in the file.
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (number, (line, text)) in lines.iter().zip(&shown).enumerate() {
        let gone = if number == 0 { left.unwrap_or(common) } else { 0 };
        let cut = common.saturating_sub(gone).min(indent(text));
        places.push((copy.len(), line.start + cut));
        copy.push_str(text.get(cut..).unwrap_or_default());
        copy.push('\n');
    }
    let moved = |offset: u64| {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let next = places.partition_point(|(copy, _)| *copy <= offset);
        let (copy, file) = next.checked_sub(1).and_then(|last| places.get(last)).copied().unwrap_or_default();
        (file + offset.saturating_sub(copy)).min(at.end)
    };
    let back = |span: &Span| {
        let (start, end) = (moved(span.start), moved(span.end));
        outline.span(Extent { start, end: end.max(start) })
    };
    let inner = Outline::new(&Text { path: outline.path, bytes: copy.as_bytes() });
    placed(locate::find(&inner, Extent { start: 0, end: copy.len() }, purpose, &[]), back)
}

/// The criteria in a range without backquotes whose lines are commands, each perhaps with its result; a line that is
/// indented further, or that states a result, belongs to the line above it, and the lines of `beside` to each.
pub(crate) fn bare_commands(outline: &Outline, at: Extent, beside: &[Extent]) -> Vec<Criterion> {
    let lines = outline.lines_in(at).map(|line| line.at).filter(|line| !outline.str(*line).trim().is_empty());
    let mut groups: Vec<(usize, Vec<Extent>)> = Vec::new();
    for line in lines {
        let (text, own) = (outline.str(line), indent(outline.str(line)));
        let trimmed = outline.trimmed(line);
        // The first line stands behind the opening tag.
        let deeper = groups.len() > 1 && groups.last().is_some_and(|(above, _)| own > *above);
        match groups.last_mut() {
            Some((_, lines)) if deeper || labels::begins_part(text.trim_start()) => lines.push(trimmed),
            _ => groups.push((own, vec![trimmed])),
        }
    }
    let all = groups.into_iter().map(|(_, lines)| [lines.as_slice(), beside].concat());
    all.flat_map(|lines| bare_command(outline, &lines)).collect()
}

fn bare_command(outline: &Outline, lines: &[Extent]) -> Vec<Criterion> {
    let Some(first) = lines.first().copied() else { return Vec::new() };
    let shown = outline.str(first);
    let shown = marks::after_bullet(shown).unwrap_or(shown);
    let part = |at: Extent, text: String| Part { kind: Kind::Text, text: Cow::Owned(text), at };
    // The element is the label.
    let head = if labels::label(shown).is_some() { shown.to_owned() } else { format!("Verify: {shown}") };
    let more = lines.iter().skip(1).map(|at| part(*at, outline.shown(*at)));
    let parts = std::iter::once(part(first, head)).chain(more).collect();
    let base = Criterion { text: shown.to_owned(), span: outline.span(first), ..Criterion::default() };
    locate::read(outline, &Located { parts, ..Located::default() }, &base)
}

/// The criteria in a string, which is one line or several; each of them stands where the string does.
pub(crate) fn string(path: &str, text: &str, span: &Span, purpose: Purpose) -> Vec<Criterion> {
    let inner = Outline::new(&Text { path, bytes: text.as_bytes() });
    let found = locate::find(&inner, Extent { start: 0, end: text.len() }, purpose, &[]);
    // A box inside a string is no box that can be ticked.
    let unboxed = found.into_iter().map(|criterion| Criterion { boxed: false, ..criterion });
    without_rewrite(placed(unboxed.collect(), |_| span.clone()))
}

fn placed(found: Vec<Criterion>, back: impl Fn(&Span) -> Span) -> Vec<Criterion> {
    let place = |mut criterion: Criterion| {
        criterion.span = back(&criterion.span);
        if let Some(unclear) = &mut criterion.unclear {
            unclear.span = back(&unclear.span);
        }
        criterion
    };
    found.into_iter().map(place).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}
