//! The text of list items: as one line, or whole including nested items.

use crate::criteria::categories;
use crate::fields::labels;
use markdown::{Extent, Item, Outline};
use memchr::memchr2;

/// The outermost items that begin in a range.
pub(crate) fn top<'o>(outline: &'o Outline, at: Extent) -> impl Iterator<Item = &'o Item> {
    let items = outline.items_in(at);
    let depth = items.iter().map(|item| item.depth).min().unwrap_or(0);
    items.iter().filter(move |item| item.depth == depth && !item.quoted)
}

/// The range of an item's first paragraph: it ends before a nested item, a blank line, code or a label.
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

/// The lines of a range, joined into one line.
pub(crate) fn joined(outline: &Outline, at: Extent) -> String {
    let text = outline.shown(at);
    if memchr2(b'\n', b'\r', text.as_bytes()).is_none() {
        return text;
    }
    let lines: Vec<_> = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}

/// The whole text of an item, with nested lines kept and outdented.
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

/// Whether a text means "nothing": `(none)`, `_None_`, `-`.
pub(crate) fn is_none(text: &str) -> bool {
    // Fast path: the first letter rules out nearly every text.
    let first = text.trim_start_matches(|c: char| c.is_whitespace() || NOISE.contains(&c)).chars().next();
    if first.is_some_and(|first| !matches!(first, 'n' | 'N' | '-' | '—' | '–' | '없' | '해')) {
        return false;
    }
    let plain = text.trim().trim_matches(NOISE).trim().to_lowercase();
    // `None - a pure refactoring`; a sentence such as `Nothing is leaked` says something.
    let word = plain.split([' ', '-', '—', '–', ',', ':', '(']).next().unwrap_or_default();
    let behind = plain.get(word.len()..).unwrap_or_default().trim_start();
    let ends = behind.is_empty() || behind.starts_with(['-', '—', '–', ',', ':', '(']);
    matches!(plain.as_str(), "" | "-" | "—" | "–" | "n/a" | "없음" | "해당 없음")
        || matches!(word, "none" | "nothing") && ends && !text.contains('`')
}

/// Characters around a word that carry no meaning.
const NOISE: [char; 8] = ['(', ')', '_', '*', '`', '.', '[', ']'];

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// A label or category at the beginning of a line ends an item even without the blank line that Markdown requires.
pub(crate) fn is_structure(line: &str) -> bool {
    labels::label(line).is_some() || categories::line(line).is_some()
}
