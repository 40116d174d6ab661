//! A range of Markdown as a sequence of blocks: list items with everything below them, paragraphs, fences, tables,
//! headings.

use crate::criteria::categories;
use crate::fields::item_text;
use checks::labels;
use markdown::outline::Line;
use markdown::{Extent, Item, Outline, Veil};

/// One block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    /// What it is.
    pub(crate) what: What,
    /// Its bytes.
    pub(crate) at: Extent,
    /// Whether it directly follows the block before it, without a blank line.
    pub(crate) follows: bool,
}

/// What a block is; the numbers are indices into the lists of the outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// A list item with everything below it.
    Item(usize),
    /// A paragraph, or a line of one that begins with a label or an arrow.
    Text,
    /// A fenced block.
    Fence(usize),
    /// A table.
    Table(usize),
    /// A heading.
    Heading(usize),
}

/// The blocks of a range, without those that begin in `without`, which is in order and does not overlap.
pub(crate) fn of(outline: &Outline, at: Extent, without: &[Extent]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut skip = at.start;
    // Whether the last block is a paragraph that may go on.
    let mut open = false;
    for line in outline.lines_in(at) {
        if line.at.start < skip {
            continue;
        }
        let next = without.partition_point(|out| out.end <= line.at.start);
        if let Some(out) = without.get(next).filter(|out| overlap(**out, line.at)) {
            skip = out.end.max(line.at.end);
            open = false;
            continue;
        }
        if let Some((what, found)) = structure(outline, line.at) {
            let found = Extent { start: found.start, end: found.end.min(at.end) };
            push(outline, &mut blocks, what, found);
            skip = found.end;
            open = false;
            continue;
        }
        let text = unquoted(outline, outline.trimmed(line.at));
        let hidden = matches!(line.veil, Some(Veil::Html | Veil::Fence));
        if text.start >= text.end || hidden || is_rule(outline.str(text)) {
            open = false;
            continue;
        }
        match blocks.last_mut() {
            Some(last) if open && !begins(outline.str(text)) && !is_next_command(outline, last.at, text) => {
                last.at.end = text.end;
            }
            _ => push(outline, &mut blocks, What::Text, text),
        }
        open = true;
    }
    blocks
}

/// The item, fence, table or heading that begins in a line.
fn structure(outline: &Outline, line: Extent) -> Option<(What, Extent)> {
    let line = Extent { start: line.start, end: line.end.max(line.start + 1) };
    if let Some(item) = outline.items_in(line).first() {
        let index = outline.items.partition_point(|other| other.at.start < item.at.start);
        return Some((What::Item(index), Extent { start: item.at.start, end: end_of(outline, item) }));
    }
    if let Some(fence) = outline.fences_in(line).first() {
        let index = outline.fences.partition_point(|other| other.at.start < fence.at.start);
        return Some((What::Fence(index), fence.at));
    }
    if let Some(table) = outline.tables_in(line).first() {
        let index = outline.tables.partition_point(|other| other.at.start < table.at.start);
        return Some((What::Table(index), table.at));
    }
    let heading = outline.headings_in(line).first().filter(|heading| heading.atx)?;
    let index = outline.headings.partition_point(|other| other.at.start < heading.at.start);
    Some((What::Heading(index), heading.at))
}

/// A label or a category that is not indented ends an item even without the blank line that Markdown requires.
fn end_of(outline: &Outline, item: &Item) -> usize {
    let below = outline.lines_in(item.at).skip(1).filter(|line| line.veil.is_none());
    let ends = |line: &Line| {
        let text = outline.str(line.at);
        text.starts_with(['*', '_', '#'])
            && item_text::is_structure(text)
            && outline.items_in(line.at).is_empty()
    };
    below.into_iter().find(ends).map_or(item.at.end, |line| line.at.start)
}

fn push(outline: &Outline, blocks: &mut Vec<Block>, what: What, at: Extent) {
    let follows = blocks.last().is_some_and(|last| {
        let gap = Extent { start: outline.trimmed(last.at).end.min(at.start), end: at.start };
        outline.str(gap).bytes().filter(|byte| *byte == b'\n').count() <= 1
    });
    blocks.push(Block { what, at, follows });
}

fn overlap(out: Extent, line: Extent) -> bool {
    out.start < line.end.max(line.start + 1) && line.start < out.end
}

/// A range without the marks of a quotation before it.
fn unquoted(outline: &Outline, at: Extent) -> Extent {
    let text = outline.str(at);
    let start = at.start + text.len() - text.trim_start_matches(['>', ' ', '\t']).len();
    Extent { start: start.min(at.end), end: at.end }
}

/// Whether a line within a paragraph begins a block of its own.
fn begins(text: &str) -> bool {
    labels::begins_part(text) || categories::line(text).is_some()
}

/// A line that begins with code below a line that does: one command a line.
fn is_next_command(outline: &Outline, above: Extent, line: Extent) -> bool {
    let above = outline.str(above);
    let above = labels::label(above).map_or(above, |(_, rest)| rest);
    above.starts_with('`') && outline.str(line).starts_with('`')
}

/// A line across the page.
fn is_rule(text: &str) -> bool {
    let mut signs = text.chars().filter(|c| !c.is_whitespace());
    let first = signs.next().filter(|sign| matches!(sign, '-' | '*' | '_'));
    text.len() >= 3 && first.is_some_and(|first| signs.all(|sign| sign == first))
}
