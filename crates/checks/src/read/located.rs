//! Everything that belongs to one criterion, as a format found it: texts, cells and blocks with their bytes, in the
//! order of the document.
//!
//! A format only locates. It hands over every byte of the criterion except the decoration that it has consumed itself
//! (list mark, box, id); [`crate::read`] then consumes the rest or calls the criterion unclear.

use crate::grammar::{titles, tokens::tokens};
use crate::labels::{self, Label};
use markdown::{Extent, Fence, Item, Outline, Table};
use std::borrow::Cow;

/// One criterion with everything that belongs to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Located<'t> {
    /// What the criterion is to its task.
    pub role: Role,
    /// Its parts, in the order of the document.
    pub parts: Vec<Part<'t>>,
}

/// What a criterion is to its task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// It must be true when the task is done: acceptance criteria, `Verify:`, definition of done.
    #[default]
    Criterion,
    /// It is a step of the work, which may state a check: `Run:` with `Expected:`, a sentence that asks for a command. A
    /// command without a stated result that nothing asks to verify is work and no check.
    Step,
}

/// One part of a criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<'t> {
    /// What it is.
    pub kind: Kind<'t>,
    /// Its text in Markdown, lines of one paragraph joined by blanks; of a block, its content moved to the left.
    pub text: Cow<'t, str>,
    /// Its bytes in the file. A rewrite replaces exactly these.
    pub at: Extent,
}

/// What a part is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind<'t> {
    /// The criterion's own text, or a paragraph or line below it.
    Text,
    /// A list item below it, without its mark.
    Item,
    /// A cell of its table row, with the heading of the column. The text is as in the file; `\|` is unescaped here.
    Cell {
        /// The heading of the column.
        heading: Cow<'t, str>,
    },
    /// A fenced or indented block.
    Fence {
        /// The info string.
        info: Cow<'t, str>,
    },
}

impl<'t> Located<'t> {
    /// A criterion that is one text and nothing else.
    pub fn text(text: &'t str, at: Extent) -> Self {
        Self { role: Role::Criterion, parts: vec![Part { kind: Kind::Text, text: Cow::Borrowed(text), at }] }
    }

    /// The same as a step of the work.
    #[must_use]
    pub fn as_step(self) -> Self {
        Self { role: Role::Step, ..self }
    }

    /// A list item with everything indented below it up to `end`; items for which `own` says that they are criteria
    /// themselves (a box, for example) are left out with everything below them.
    pub fn item(outline: &'t Outline, item: &Item, end: usize, own: impl Fn(&Item) -> bool) -> Self {
        let end = item.at.end.min(end).max(item.text);
        let at = Extent { start: item.text, end };
        let inner = outline.items_in(Extent { start: item.at.start + 1, end });
        let mut skipped: Vec<Extent> = Vec::new();
        for below in inner {
            let is_inside = skipped.last().is_some_and(|last| below.at.start < last.end);
            if !is_inside && own(below) {
                skipped.push(below.at);
            }
        }
        Self::range(outline, at, &skipped)
    }

    /// Everything in a range of Markdown except for the ranges in `without`: paragraphs, items, fences, cells of tables.
    pub fn range(outline: &'t Outline, at: Extent, without: &[Extent]) -> Self {
        let mut parts = Parts { outline, parts: Vec::new() };
        let left_out = |start: usize| without.iter().any(|out| out.start <= start && start < out.end);
        let fences = outline.fences_in(at);
        let tables = outline.tables_in(at);
        for line in outline.lines_in(at) {
            let start = line.at.start;
            if left_out(start) {
                parts.parts.push(None);
                continue;
            }
            if let Some(fence) =
                fences.iter().find(|fence| fence.at.start < line.at.end && start < fence.at.end)
            {
                parts.fence(fence);
                continue;
            }
            if let Some(table) =
                tables.iter().find(|table| table.at.start < line.at.end && start < table.at.end)
            {
                parts.table(table, line.at);
                continue;
            }
            parts.line(line.at, at);
        }
        Self { role: Role::Criterion, parts: parts.parts.into_iter().flatten().collect() }
    }

    /// A row of a table, counted from 1 below its headings.
    pub fn row(outline: &'t Outline, table: &Table, row: usize) -> Self {
        let mut parts = Vec::new();
        let headings = table.rows.first().map(Vec::as_slice).unwrap_or_default();
        for (column, at) in table.rows.get(row).into_iter().flatten().enumerate() {
            let at = outline.trimmed(*at);
            let heading = headings.get(column).map_or("", |at| outline.str(outline.trimmed(*at)));
            let kind = Kind::Cell { heading: Cow::Borrowed(heading) };
            parts.push(Part { kind, text: outline.view(at), at });
        }
        Self { role: Role::Criterion, parts }
    }
}

/// Whether a text is a remark.
fn is_note(text: &str) -> bool {
    matches!(labels::label(text), Some((Label::Note, _)))
}

/// Whether a line below a remark may be more than the rest of its sentence: only its first line is surely a remark.
fn states_something(line: &str) -> bool {
    tokens(line).iter().any(|token| token.literal().is_some() || titles::reserved(token).is_some())
}

/// The parts so far; `None` ends the paragraph before it.
struct Parts<'t, 'o> {
    outline: &'t Outline<'o>,
    parts: Vec<Option<Part<'t>>>,
}

impl<'t> Parts<'t, '_> {
    /// A line outside of fences and tables: it begins an item, begins a paragraph, or continues the one before it.
    fn line(&mut self, line: Extent, range: Extent) {
        let outline = self.outline;
        let item = outline.items_in(line).first().filter(|item| item.at.start > range.start);
        let at = match item {
            Some(item) => Extent { start: item.text.min(line.end), end: line.end },
            None => line,
        };
        let mut at = outline.trimmed(at);
        // The mark of a quotation is no text.
        let text = outline.str(at);
        at.start += text.len() - text.trim_start_matches(['>', ' ', '\t']).len();
        if at.start >= at.end {
            self.parts.push(None);
            return;
        }
        if item.is_none()
            && let Some(Some(open)) = self.parts.last_mut()
            && matches!(open.kind, Kind::Text | Kind::Item)
            && !labels::begins_part(outline.str(at))
            && !(is_note(&open.text) && states_something(outline.str(at)))
        {
            let more = outline.view(at);
            let text = open.text.to_mut();
            text.push(' ');
            text.push_str(&more);
            open.at.end = at.end;
            return;
        }
        let kind = if item.is_some() { Kind::Item } else { Kind::Text };
        self.parts.push(Some(Part { kind, text: outline.view(at), at }));
    }

    fn fence(&mut self, fence: &'t Fence) {
        let seen = self.parts.iter().flatten().any(|part| part.at == fence.at);
        if !seen {
            let text = Cow::Owned(crate::fenced::text(self.outline, fence));
            let kind = Kind::Fence { info: Cow::Borrowed(&fence.info) };
            self.parts.push(Some(Part { kind, text, at: fence.at }));
        }
    }

    fn table(&mut self, table: &'t Table, line: Extent) {
        let row = table.rows.iter().position(|row| {
            row.first().is_some_and(|first| line.start <= first.start && first.start < line.end)
        });
        if let Some(row) = row.filter(|row| *row > 0) {
            self.parts.extend(Located::row(self.outline, table, row).parts.into_iter().map(Some));
        }
    }
}
