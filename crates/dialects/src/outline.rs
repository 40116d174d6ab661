//! What the Markdown of a plan is made of: headings, items, fences, tables, and what hides a line.
//!
//! One pass of pulldown-cmark over the text, in parts. It wants valid UTF-8 and takes a byte order mark for text, so it gets
//! a copy of the same length with such bytes replaced; all ranges count in the bytes as they are on disk.

use crate::lines::{self, LineIndex};
use crate::parts::Parts;
use crate::{Text, frontmatter, numbered};
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
    /// Whether it stands in a block quote or in a list item.
    pub inner: bool,
    /// What stands between the brackets of its box.
    pub mark: Option<Extent>,
}

/// A list item.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// From the bullet to the end, nested lists included.
    pub at: Extent,
    /// The first byte after bullet, box and blanks.
    pub text: usize,
    /// What stands between the brackets of its box.
    pub mark: Option<Extent>,
    /// How many items it stands in.
    pub depth: usize,
    /// The index of the item it stands in.
    pub parent: Option<usize>,
    /// Whether it stands in a block quote.
    pub quoted: bool,
}

/// A fenced code block.
#[derive(Debug, Clone)]
pub struct Fence {
    /// From the opening to the closing fence.
    pub at: Extent,
    /// The first word of the info string, lowercase.
    pub language: String,
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
    /// What hides it.
    pub veil: Veil,
}

/// A line of a range, without its line end.
#[derive(Debug, Clone, Copy)]
pub struct Line {
    /// The range.
    pub at: Extent,
    /// What hides it.
    pub veil: Option<Veil>,
}

/// The structure of one text. All lists are in the order of the document.
pub struct Outline<'a> {
    /// The file as seen from the root.
    pub path: &'a str,
    /// The file as it is on disk.
    pub bytes: &'a [u8],
    /// The headings.
    pub headings: Vec<Heading>,
    /// The list items.
    pub items: Vec<Item>,
    /// The fenced code blocks outside block quotes.
    pub fences: Vec<Fence>,
    /// The tables.
    pub tables: Vec<Table>,
    /// Everything that hides lines, outermost only.
    pub hidden: Vec<Hidden>,
    seen: Seen,
    text: Cow<'a, str>,
    lines: LineIndex,
    own_ids: OnceLock<(Vec<Extent>, usize)>,
}

impl<'a> Outline<'a> {
    /// Reads the structure of `text`.
    pub fn new(text: &Text<'a>) -> Self {
        let seen = Seen::from(text.path);
        let (path, bytes, text) = (text.path, text.bytes, readable(text.bytes));
        let mark = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        // Lists of the front matter are data: its boxes are named, and no task.
        let base = mark + frontmatter::length(text.get(mark..).unwrap_or_default());
        let matter =
            (base > mark).then_some(Hidden { at: Extent { start: mark, end: base }, veil: Veil::Fence });
        let Parts { headings, items, fences, tables, hidden } = Parts::of(&text, base);
        let hidden = if let Some(matter) = matter { [vec![matter], hidden].concat() } else { hidden };
        let (lines, own_ids) = (LineIndex::new(), OnceLock::new());
        Self { path, bytes, headings, items, fences, tables, hidden, seen, text, lines, own_ids }
    }

    /// The text of a range, with bytes that are no UTF-8 replaced; empty where the range is none.
    pub fn str(&self, at: Extent) -> &str {
        self.text.get(at.start..at.end).unwrap_or_default()
    }

    /// The text of a range as it is shown to people.
    pub fn shown(&self, at: Extent) -> String {
        self.view(at).into_owned()
    }

    /// The same without a copy where none is needed.
    pub(crate) fn view(&self, at: Extent) -> Cow<'_, str> {
        if let Cow::Borrowed(text) = &self.text {
            return Cow::Borrowed(text.get(at.start..at.end).unwrap_or_default());
        }
        String::from_utf8_lossy(self.bytes.get(at.start..at.end).unwrap_or_default())
    }

    /// The ids that boxed items begin with, and how many boxed items there are; several dialects ask.
    pub(crate) fn own_ids(&self) -> &(Vec<Extent>, usize) {
        self.own_ids.get_or_init(|| numbered::own_ids(self))
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

    /// The range as the contract has it.
    pub fn span(&self, at: Extent) -> Span {
        self.span_on(self.line(at.start), at)
    }

    /// The same where the line is known.
    pub(crate) fn span_on(&self, line: u64, at: Extent) -> Span {
        Span { path: self.seen.clone(), line, start: at.start as u64, end: at.end as u64 }
    }

    /// The line of an offset as the contract has it.
    pub fn place(&self, offset: usize) -> Place {
        self.place_on(self.line(offset))
    }

    /// The same where it is known.
    pub(crate) fn place_on(&self, line: u64) -> Place {
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
        Diagnostic {
            severity,
            code: code.to_owned(),
            message,
            path: self.seen.clone(),
            line: self.line(offset),
            column: Some(lines::column(self.bytes, offset)),
            task: None,
        }
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

    /// What hides an offset.
    pub fn veil(&self, offset: usize) -> Option<Veil> {
        let next = self.hidden.partition_point(|hidden| hidden.at.end <= offset);
        self.hidden.get(next).filter(|hidden| hidden.at.start <= offset).map(|hidden| hidden.veil)
    }

    /// The lines of a range, each with what hides it.
    pub fn lines_in(&self, at: Extent) -> impl Iterator<Item = Line> + '_ {
        let mut veil = self.hidden.partition_point(|hidden| hidden.at.end <= at.start);
        let mut from = at.start;
        std::iter::from_fn(move || {
            if from >= at.end {
                return None;
            }
            let next = lines::next_line(&self.text, from, at.end);
            let text = self.str(Extent { start: from, end: next });
            let line = Extent { start: from, end: from + text.trim_end_matches(['\n', '\r']).len() };
            while self.hidden.get(veil).is_some_and(|hidden| hidden.at.end <= from) {
                veil += 1;
            }
            let hides = self.hidden.get(veil).filter(|hidden| hidden.at.start < next);
            // A line may continue the paragraph of a quote without a mark of its own: it stands for itself.
            let hides =
                hides.filter(|hidden| hidden.veil != Veil::Quote || text.trim_start().starts_with('>'));
            from = next;
            Some(Line { at: line, veil: hides.map(|hidden| hidden.veil) })
        })
    }
}

/// The byte order mark of UTF-8.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// The same number of bytes, all of them UTF-8, the byte order mark blanked.
pub(crate) fn readable(bytes: &[u8]) -> Cow<'_, str> {
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
    // Most ranges hold little, so that the end is looked for nearby first.
    let near = rest.iter().take(16).position(|entry| start(entry) >= at.end);
    let to = near.unwrap_or_else(|| rest.partition_point(|entry| start(entry) < at.end));
    rest.get(..to).unwrap_or_default()
}
