//! The sections of the tasks: from a heading to just before the next heading of the same or a higher level.
//!
//! A rule and blank lines at the end are excluded, so a task inserted after the section does not change it.

use super::heading::Head;
use markdown::{Extent, Outline};
use memchr::memrchr2;
use std::mem::take;
use wire::{Task, TaskId};

/// The section of one task.
pub(crate) struct Section {
    /// Its heading.
    pub(crate) head: Head,
    /// The id from the heading, or a generated one.
    pub(crate) id: String,
    /// Whether the heading has an id.
    pub(crate) is_named: bool,
    /// From the heading to the last line that belongs to it.
    pub(crate) at: Extent,
    /// The text below the heading, up to the first task inside.
    pub(crate) text: Extent,
}

/// All sections, in document order.
pub(crate) struct Sections {
    pub(crate) list: Vec<Section>,
    /// The ranges of the outermost sections.
    cover: Vec<Extent>,
    /// Boxes of headings inside a section that are not tasks of their own.
    pub(crate) inner: Vec<Extent>,
}

impl Sections {
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Section> {
        self.list.iter()
    }

    fn push(&mut self, mut head: Head, at: Extent, text: Extent) {
        let named = head.id.take();
        let is_named = named.is_some();
        let id = named.unwrap_or_else(|| format!("h{}", self.list.len() + 1));
        self.list.push(Section { head, id, is_named, at, text });
    }

    /// The tasks, with only id and title set.
    pub(crate) fn tasks(&mut self) -> Vec<Task> {
        let named = |section: &mut Section| Task {
            id: TaskId(take(&mut section.id)),
            title: take(&mut section.head.title),
            ..Task::default()
        };
        self.list.iter_mut().map(named).collect()
    }

    /// Whether an offset lies in a task's section.
    pub(crate) fn hold(&self, offset: usize) -> bool {
        let next = self.cover.partition_point(|at| at.end <= offset);
        self.cover.get(next).is_some_and(|at| at.start <= offset)
    }
}

/// Splits the document into sections.
pub(crate) fn cut(outline: &Outline, heads: Vec<Head>) -> Sections {
    let mut sections = Sections { list: Vec::new(), cover: Vec::new(), inner: Vec::new() };
    let mut open: Vec<usize> = Vec::new();
    for head in heads {
        close(outline, &mut sections, &mut open, head.level, head.at.start);
        let Some(mark) = head.mark else { continue };
        if head.id.is_none() && !open.is_empty() {
            sections.inner.push(mark);
            continue;
        }
        for outer in &open {
            if let Some(outer) = sections.list.get_mut(*outer) {
                outer.text.end = outer.text.end.min(head.at.start);
            }
        }
        if open.is_empty() {
            sections.cover.push(Extent { start: head.at.start, end: usize::MAX });
        }
        open.push(sections.list.len());
        let at = Extent { start: head.at.start, end: usize::MAX };
        let text = Extent { start: head.at.end, end: usize::MAX };
        sections.push(head, at, text);
    }
    close(outline, &mut sections, &mut open, 0, outline.bytes.len());
    sections
}

/// The sections of items: each covers its whole item.
pub(crate) fn of_items(outline: &Outline, heads: Vec<(Head, Extent)>) -> Sections {
    let mut sections = Sections { list: Vec::new(), cover: Vec::new(), inner: Vec::new() };
    for (head, item) in heads {
        let at = outline.trimmed(item);
        let text = Extent { start: head.at.end.min(at.end), end: at.end };
        sections.cover.push(at);
        sections.push(head, at, text);
    }
    sections
}

/// Closes the open sections of this level or a lower one.
fn close(outline: &Outline, sections: &mut Sections, open: &mut Vec<usize>, level: u8, end: usize) {
    while let Some(section) = open.last().and_then(|last| sections.list.get_mut(*last)) {
        if section.head.level < level {
            return;
        }
        section.at.end = trimmed(outline, section.at.start, end);
        section.text.end = section.text.end.min(section.at.end).max(section.text.start);
        open.pop();
        if let Some(cover) = sections.cover.last_mut().filter(|_| open.is_empty()) {
            cover.end = end;
        }
    }
}

/// The end without blank lines and rules.
fn trimmed(outline: &Outline, start: usize, end: usize) -> usize {
    let mut text = outline.str(Extent { start, end });
    loop {
        text = text.trim_end();
        let last = memrchr2(b'\n', b'\r', text.as_bytes()).map_or(0, |at| at + 1);
        let line = text.get(last..).unwrap_or_default().trim();
        let rule = line.len() >= 3 && ['-', '*', '_'].iter().any(|mark| line.chars().all(|c| c == *mark));
        if !rule || last == 0 {
            return start + text.len();
        }
        text = text.get(..last).unwrap_or_default();
    }
}
