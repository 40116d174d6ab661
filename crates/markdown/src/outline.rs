//! The structure of a plan's Markdown: headings, items, fences, tables, and the ranges that hide lines.
//!
//! One pass of pulldown-cmark over the text, in parts. The parser needs valid UTF-8 and treats a byte order mark as
//! text, so it gets a copy of the same length with such bytes replaced; all ranges are in the bytes on disk.

mod inline;
mod parts;
mod walk;

use crate::line_index::{self, LineIndex};
use crate::outline::parts::Parts;
use crate::{Text, front_matter};
use std::borrow::Cow;
use std::sync::OnceLock;
use wire::Seen;
use wire::plan::{Diagnostic, Place, Severity, Span};

/// A range of bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A heading.
#[derive(Debug, Clone, Copy)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// From the first `#` to the end of the text, without the line end.
    pub at: Extent,
    /// Whether it is written with `#`; a line underlined with dashes is often a paragraph before a rule.
    pub atx: bool,
    /// Whether it is inside a block quote or a list item.
    pub inner: bool,
    /// The range between the brackets of its box.
    pub mark: Option<Extent>,
}

/// A list item.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// From the bullet to the end, nested lists included.
    pub at: Extent,
    /// The first byte after bullet, box and blanks.
    pub text: usize,
    /// The range between the brackets of its box, which stands before the text or at the end of its first line.
    pub mark: Option<Extent>,
    /// How many items enclose it.
    pub depth: usize,
    /// The index of the item that encloses it.
    pub parent: Option<usize>,
    /// Whether it is inside a block quote.
    pub quoted: bool,
}

/// A fenced code block.
#[derive(Debug, Clone)]
pub struct Fence {
    /// From the opening to the closing fence.
    pub at: Extent,
    /// The first word of the info string, lowercase.
    pub language: String,
    /// The whole info string.
    pub info: String,
    /// The lines between the fences.
    pub content: Extent,
}

/// A table, as the ranges of its cells; the first row is the header.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// The whole table.
    pub at: Extent,
    /// Rows of cells.
    pub rows: Vec<Vec<Extent>>,
}

/// Why the lines of a range are not the plan's own structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Veil {
    /// A fenced code block.
    Fence,
    /// An indented code block.
    Indented,
    /// An HTML block or comment.
    Html,
    /// A block quote.
    Quote,
}

/// A range whose lines are not the plan's own structure.
#[derive(Debug, Clone, Copy)]
pub struct Hidden {
    /// The range.
    pub at: Extent,
    /// The reason why it is hidden.
    pub veil: Veil,
}

/// A line of a range, without its line end.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// The range.
    pub at: Extent,
    /// The reason why it is hidden, if it is.
    pub veil: Option<Veil>,
}

/// The structure of one text. All lists are in document order.
pub struct Outline<'a> {
    /// The file, relative to the root.
    pub path: &'a str,
    /// The bytes of the file on disk.
    pub bytes: &'a [u8],
    /// The headings.
    pub headings: Vec<Heading>,
    /// The list items.
    pub items: Vec<Item>,
    /// The fenced code blocks outside block quotes.
    pub fences: Vec<Fence>,
    /// The tables.
    pub tables: Vec<Table>,
    /// All ranges that hide lines, outermost only.
    pub hidden: Vec<Hidden>,
    seen: Seen,
    text: Cow<'a, str>,
    lines: LineIndex,
    own_ids: OnceLock<(Vec<Extent>, usize)>,
    decided: OnceLock<u8>,
}

impl<'a> Outline<'a> {
    /// Parses the structure of `text`.
    pub fn new(text: &Text<'a>) -> Self {
        let seen = Seen::from(text.path);
        let (path, bytes, text) = (text.path, text.bytes, readable(text.bytes));
        let mark = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        // Lists in the front matter are data: their boxes are not tasks.
        let base = mark + front_matter::length(text.get(mark..).unwrap_or_default());
        let matter =
            (base > mark).then_some(Hidden { at: Extent { start: mark, end: base }, veil: Veil::Fence });
        let Parts { headings, items, fences, tables, hidden } = Parts::of(&text, base);
        let hidden = if let Some(matter) = matter { [vec![matter], hidden].concat() } else { hidden };
        let (lines, own_ids, decided) = (LineIndex::new(), OnceLock::new(), OnceLock::new());
        Self { path, bytes, headings, items, fences, tables, hidden, seen, text, lines, own_ids, decided }
    }

    /// The text of a range, with invalid UTF-8 replaced; empty if the range is invalid.
    pub fn str(&self, at: Extent) -> &str {
        self.text.get(at.start..at.end).unwrap_or_default()
    }

    /// The text of a range for display.
    pub fn shown(&self, at: Extent) -> String {
        self.view(at).into_owned()
    }

    /// The same, without a copy if possible.
    pub fn view(&self, at: Extent) -> Cow<'_, str> {
        if let Cow::Borrowed(text) = &self.text {
            return Cow::Borrowed(text.get(at.start..at.end).unwrap_or_default());
        }
        String::from_utf8_lossy(self.bytes.get(at.start..at.end).unwrap_or_default())
    }

    /// The ids at the beginning of boxed items, and the number of boxed items; cached because several dialects need
    /// them.
    pub fn own_ids(&self, count: impl FnOnce(&Self) -> (Vec<Extent>, usize)) -> &(Vec<Extent>, usize) {
        self.own_ids.get_or_init(|| count(self))
    }

    /// A decision about the whole text, as a number; cached because several dialects need it.
    pub fn decided(&self, decide: impl FnOnce(&Self) -> u8) -> u8 {
        *self.decided.get_or_init(|| decide(self))
    }

    /// The range without blanks at its ends.
    pub fn trimmed(&self, at: Extent) -> Extent {
        let text = self.str(at);
        let ends = text.as_bytes().first().zip(text.as_bytes().last());
        if ends.is_some_and(|(first, last)| first.is_ascii_graphic() && last.is_ascii_graphic()) {
            return at;
        }
        let start = at.start + (text.len() - text.trim_start().len());
        Extent { start, end: start + text.trim().len() }
    }

    /// The line of an offset, counted from 1.
    pub fn line(&self, offset: usize) -> u64 {
        self.lines.line(self.bytes, offset)
    }

    /// The range in the form of the contract.
    pub fn span(&self, at: Extent) -> Span {
        self.span_on(self.line(at.start), at)
    }

    /// The same for a known line.
    pub fn span_on(&self, line: u64, at: Extent) -> Span {
        Span { path: self.seen.clone(), line, start: at.start as u64, end: at.end as u64 }
    }

    /// The line of an offset in the form of the contract.
    pub fn place(&self, offset: usize) -> Place {
        self.place_on(self.line(offset))
    }

    /// The same for a known line.
    pub fn place_on(&self, line: u64) -> Place {
        Place { path: self.seen.clone(), line }
    }

    /// A diagnostic at an offset.
    pub fn diagnostic(
        &self,
        severity: Severity,
        code: &'static str,
        message: String,
        offset: usize,
    ) -> Diagnostic {
        self.lines.diagnostic((&self.seen, self.bytes), severity, code, message, offset)
    }

    /// The headings that begin in a range.
    pub fn headings_in(&self, at: Extent) -> &[Heading] {
        within(&self.headings, at, |heading| heading.at.start)
    }

    /// The items that begin in a range.
    pub fn items_in(&self, at: Extent) -> &[Item] {
        within(&self.items, at, |item| item.at.start)
    }

    /// The fences that begin in a range.
    pub fn fences_in(&self, at: Extent) -> &[Fence] {
        within(&self.fences, at, |fence| fence.at.start)
    }

    /// The tables that begin in a range.
    pub fn tables_in(&self, at: Extent) -> &[Table] {
        within(&self.tables, at, |table| table.at.start)
    }

    /// The reason why an offset is hidden.
    pub fn veil(&self, offset: usize) -> Option<Veil> {
        let next = self.hidden.partition_point(|hidden| hidden.at.end <= offset);
        self.hidden.get(next).filter(|hidden| hidden.at.start <= offset).map(|hidden| hidden.veil)
    }

    /// The lines of a range, each with the reason why it is hidden.
    pub fn lines_in(&self, at: Extent) -> impl Iterator<Item = Line> + '_ {
        let mut veil = self.hidden.partition_point(|hidden| hidden.at.end <= at.start);
        let mut from = at.start;
        std::iter::from_fn(move || {
            if from >= at.end {
                return None;
            }
            let next = line_index::next_line(&self.text, from, at.end);
            let text = self.str(Extent { start: from, end: next });
            let line = Extent { start: from, end: from + text.trim_end_matches(['\n', '\r']).len() };
            while self.hidden.get(veil).is_some_and(|hidden| hidden.at.end <= from) {
                veil += 1;
            }
            let hides = self.hidden.get(veil).filter(|hidden| hidden.at.start < next);
            // A line may continue the paragraph of a quote without a `>` of its own: it does not count as quoted.
            let hides =
                hides.filter(|hidden| hidden.veil != Veil::Quote || text.trim_start().starts_with('>'));
            from = next;
            Some(Line { at: line, veil: hides.map(|hidden| hidden.veil) })
        })
    }
}

/// The byte order mark of UTF-8.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// The same number of bytes as valid UTF-8, with the byte order mark blanked.
pub fn readable(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !bytes.starts_with(BOM) => Cow::Borrowed(text),
        Ok(text) => Cow::Owned(format!("   {}", text.get(BOM.len()..).unwrap_or_default())),
        Err(_) => {
            let mut text = String::with_capacity(bytes.len());
            for chunk in bytes.utf8_chunks() {
                text.push_str(chunk.valid());
                text.extend(chunk.invalid().iter().map(|_| '?'));
            }
            if bytes.starts_with(BOM) {
                text.replace_range(..BOM.len(), "   ");
            }
            Cow::Owned(text)
        }
    }
}

fn within<T>(list: &[T], at: Extent, start: impl Fn(&T) -> usize) -> &[T] {
    let from = list.partition_point(|entry| start(entry) < at.start);
    let rest = list.get(from..).unwrap_or_default();
    // Most ranges are short, so look for the end nearby first.
    let near = rest.iter().take(16).position(|entry| start(entry) >= at.end);
    let to = near.unwrap_or_else(|| rest.partition_point(|entry| start(entry) < at.end));
    rest.get(..to).unwrap_or_default()
}
/// The text of the first heading of level 1.
pub fn title(outline: &Outline) -> String {
    let first = outline.headings.iter().find(|heading| heading.level == 1 && !heading.inner);
    first.map_or_else(String::new, |heading| {
        let text = outline.shown(heading.at);
        let line = text.lines().next().unwrap_or_default();
        line.trim_matches(['#', ' ', '\t']).to_owned()
    })
}
