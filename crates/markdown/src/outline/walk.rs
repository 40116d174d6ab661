//! The pass over the events of pulldown-cmark that fills the parts of an outline.
//!
//! Inline events are ignored: boxes, ids and commands are read from the text itself.

use crate::outline::parts::Parts;
use crate::outline::{Extent, Fence, Heading, Hidden, Item, Table, Veil};
use crate::{line_index, marks};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Tag, TagEnd};

/// The pass itself: the open items, and how many quotes.
pub(crate) struct Walk<'p, 't> {
    parts: &'p mut Parts,
    text: &'t str,
    base: usize,
    open: Vec<usize>,
    quotes: usize,
}

impl<'p, 't> Walk<'p, 't> {
    /// A pass over `text`, the part of the file after `base`.
    pub(crate) fn new(parts: &'p mut Parts, text: &'t str, base: usize) -> Self {
        Self { parts, text, base, open: Vec::new(), quotes: 0 }
    }

    /// Handles the next event; its range is in the bytes of the file.
    pub(crate) fn take(&mut self, event: &Event, at: Extent) {
        match event {
            Event::Start(tag) => self.start(tag, at),
            Event::End(TagEnd::Item) => {
                self.open.pop();
            }
            Event::End(TagEnd::BlockQuote(_)) => self.quotes = self.quotes.saturating_sub(1),
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag, at: Extent) {
        match tag {
            Tag::Heading { level, .. } => self.heading(*level, at),
            Tag::Item => self.item(at),
            Tag::Paragraph if self.quotes == 0 && self.open.is_empty() => self.tight(at),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                self.fence(info, at);
                self.hide(Veil::Fence, at);
            }
            Tag::CodeBlock(CodeBlockKind::Indented) => self.hide(Veil::Indented, at),
            Tag::HtmlBlock => self.hide(Veil::Html, at),
            Tag::BlockQuote(_) => {
                self.hide(Veil::Quote, at);
                self.quotes += 1;
            }
            Tag::Table(_) => self.parts.tables.push(Table { at, rows: Vec::new() }),
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = self.parts.tables.last_mut() {
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => {
                let row = self.parts.tables.last_mut().and_then(|table| table.rows.last_mut());
                if let Some(row) = row {
                    row.push(at);
                }
            }
            _ => {}
        }
    }

    fn hide(&mut self, veil: Veil, at: Extent) {
        if self.quotes == 0 {
            self.parts.hidden.push(Hidden { at, veil });
        }
    }

    fn heading(&mut self, level: HeadingLevel, at: Extent) {
        let text = self.text.get(at.start..at.end).unwrap_or_default();
        let start = at.start + (text.len() - text.trim_start().len());
        let at = Extent { start, end: start + text.trim().len() };
        let atx = text.trim_start().starts_with('#') && !text.trim().contains('\n');
        let inner = self.quotes > 0 || !self.open.is_empty();
        let mark = marks::in_heading(self.text.get(at.start..at.end).unwrap_or_default())
            .map(|mark| Extent { start: start + mark.start, end: start + mark.end });
        self.parts.headings.push(Heading { level: level as u8, at, atx, inner, mark });
    }

    fn item(&mut self, at: Extent) {
        let text = self.text.get(at.start..at.end).unwrap_or_default();
        let start = at.start + (text.len() - text.trim_start().len());
        let bullet = self.text.get(start..at.end).unwrap_or_default();
        let digits = bullet.bytes().take_while(u8::is_ascii_digit).count();
        let after = bullet.get(digits + 1..).unwrap_or_default();
        let blanks = after.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let content = (start + digits + 1 + blanks).min(at.end);
        let boxed = marks::find(self.text.get(content..at.end).unwrap_or_default());
        let (mark, text) = match boxed {
            Some((mark, text)) => {
                (Some(Extent { start: content + mark.start, end: content + mark.end }), content + text)
            }
            None => (self.mark_at_end(content, at.end), content),
        };
        let item = Item {
            at: Extent { start, end: at.end },
            text,
            mark,
            depth: self.open.len(),
            parent: self.open.last().copied(),
            quoted: self.quotes > 0,
        };
        self.open.push(self.parts.items.len());
        self.parts.items.push(item);
    }

    /// The items of a paragraph whose lines lack the blank between bullet and box: `-[ ] Dig`.
    fn tight(&mut self, at: Extent) {
        let text = self.text.get(at.start..at.end).unwrap_or_default();
        // Nearly every paragraph ends here.
        if !["-[", "*[", "+["].iter().any(|sign| text.contains(sign)) {
            return;
        }
        let first = self.parts.items.len();
        let mut indents: Vec<usize> = Vec::new();
        let mut start = at.start;
        for line in text.split_inclusive('\n') {
            let bare = line.trim_start_matches([' ', '\t']);
            let bullet = start + line.len() - bare.len();
            // The blanks before the first line of a paragraph are no part of it.
            let before = self.text.get(..bullet).unwrap_or_default();
            let indent = bullet - before.rfind('\n').map_or(0, |end| end + 1);
            start += line.len();
            let found = bare.strip_prefix(['-', '*', '+']).and_then(marks::find);
            let Some((mark, after)) =
                found.filter(|(_, after)| bare.get(1 + after..).is_some_and(|rest| !rest.trim().is_empty()))
            else {
                continue;
            };
            let outer = indents.iter().rposition(|other| *other < indent);
            let depth =
                outer.map_or(0, |outer| self.parts.items.get(first + outer).map_or(0, |item| item.depth + 1));
            // An item ends where the next one that is not inside it begins.
            for (item, other) in self.parts.items.iter_mut().skip(first).zip(&indents) {
                if *other >= indent && item.at.end == at.end {
                    item.at.end = bullet;
                }
            }
            indents.push(indent);
            self.parts.items.push(Item {
                at: Extent { start: bullet, end: at.end },
                text: bullet + 1 + after,
                mark: Some(Extent { start: bullet + 1 + mark.start, end: bullet + 1 + mark.end }),
                depth,
                parent: outer.map(|outer| first + outer),
                quoted: false,
            });
        }
    }

    /// The mark at the end of the first line of an item without a box.
    fn mark_at_end(&self, start: usize, end: usize) -> Option<Extent> {
        let text = self.text.get(start..end)?;
        let line = text.get(..memchr::memchr2(b'\n', b'\r', text.as_bytes()).unwrap_or(text.len()))?;
        let mark = marks::at_end(line)?;
        Some(Extent { start: start + mark.start, end: start + mark.end })
    }

    fn fence(&mut self, info: &str, at: Extent) {
        if self.quotes > 0 {
            return;
        }
        let text = self.text.get(at.start..at.end).unwrap_or_default();
        let content = line_index::next_line(self.text, at.start.max(self.base), at.end);
        let closed = text.trim_end().len();
        let last = text.get(..closed).and_then(|text| text.rfind(['\n', '\r'])).map_or(0, |end| end + 1);
        let closing = text.get(last..closed).unwrap_or_default().trim_start();
        let is_fence = closing.len() >= 3
            && (closing.bytes().all(|byte| byte == b'`') || closing.bytes().all(|byte| byte == b'~'));
        let end = if is_fence && last > 0 { at.start + last } else { at.end };
        let language = info.split([' ', '\t', ',', '{']).next().unwrap_or_default().to_ascii_lowercase();
        let content = Extent { start: content, end: end.max(content) };
        self.parts.fences.push(Fence { at, language, info: info.trim().to_owned(), content });
    }
}
