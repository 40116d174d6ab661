//! The text of list items: as one line, or whole with what is nested in it.

use super::{criteria, field};
use crate::{Extent, Item, Outline};
use memchr::memchr2;

/// The outermost items that begin in a range.
pub(crate) fn top<'o>(outline: &'o Outline, at: Extent) -> impl Iterator<Item = &'o Item> {
    let items = outline.items_in(at);
    let depth = items.iter().map(|item| item.depth).min().unwrap_or(0);
    items.iter().filter(move |item| item.depth == depth && !item.quoted)
}

/// Where the first paragraph of an item lies: it ends before a nested item, a blank line, code or a label.
pub(crate) fn first(outline: &Outline, item: &Item, end: usize) -> Extent {
    let end = item.at.end.min(end);
    let next = outline.items.partition_point(|next| next.at.start <= item.at.start);
    let end = outline.items.get(next).map_or(end, |next| next.at.start.min(end)).max(item.text);
    let mut at = Extent { start: item.text, end: item.text };
    for (number, line) in outline.lines_in(Extent { start: item.text, end }).enumerate() {
        let text = outline.str(line.at);
        if number > 0 && (text.trim().is_empty() || line.veil.is_some() || is_structure(text)) {
            break;
        }
        at.end = line.at.end;
    }
    outline.trimmed(at)
}

/// The lines of a range as one line.
pub(crate) fn joined(outline: &Outline, at: Extent) -> String {
    let text = outline.shown(at);
    if memchr2(b'\n', b'\r', text.as_bytes()).is_none() {
        return text;
    }
    let lines: Vec<_> = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// The whole text of an item, nested lines kept and moved to the left.
pub(crate) fn whole(outline: &Outline, item: &Item, end: usize) -> String {
    let end = item.at.end.min(end).max(item.text);
    let shown = outline.shown(Extent { start: item.text, end });
    let mut lines = shown.lines();
    let mut text = lines.next().unwrap_or_default().trim_end().to_owned();
    let indent = lines.clone().filter(|line| !line.trim().is_empty()).map(indent_of).min().unwrap_or(0);
    for line in lines {
        text.push('\n');
        text.push_str(line.get(indent.min(indent_of(line))..).unwrap_or_default().trim_end());
    }
    text.trim_end().to_owned()
}

/// Whether a text stands for nothing: `(none)`, `_None_`, `-`.
pub(crate) fn is_none(text: &str) -> bool {
    // Nearly every text says something, and its first letter is enough to see that.
    let first = text.trim_start_matches(|c: char| c.is_whitespace() || NOISE.contains(&c)).chars().next();
    if first.is_some_and(|first| !matches!(first, 'n' | 'N' | '-' | '—' | '–' | '없' | '해')) {
        return false;
    }
    let plain = text.trim().trim_matches(NOISE).trim().to_lowercase();
    let word = plain.split([' ', '-', '—', '–', ',', ':']).next().unwrap_or_default();
    matches!(plain.as_str(), "" | "-" | "—" | "–" | "n/a" | "없음" | "해당 없음")
        || matches!(word, "none" | "nothing")
}

/// What stands around a word without meaning anything.
const NOISE: [char; 8] = ['(', ')', '_', '*', '`', '.', '[', ']'];

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// A label or a category at the beginning of a line ends an item even without the blank line that Markdown wants.
fn is_structure(line: &str) -> bool {
    field::label(line).is_some() || criteria::category_line(line).is_some()
}
