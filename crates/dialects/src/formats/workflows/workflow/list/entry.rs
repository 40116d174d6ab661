//! The positions of a list's tasks: a box with an id, a heading with an id, or a `▸` line that contains others.
//!
//! The id must be the first word. A heading whose id also has a box only describes that task. The position of a box
//! does not depend on its content.

use super::id;
use markdown::{Extent, Item, Outline, Veil, line_index, marks};
use std::collections::HashSet;

/// The form of a task in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `- [ ] **IMPL-1**: title`
    Box,
    /// `### IMPL-1: title`
    Heading,
    /// `▸ **IMPL-1**: title`
    Container,
}

/// One task of the list, or another line about it.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) form: Form,
    pub(crate) id: String,
    /// The whole entry.
    pub(crate) at: Extent,
    /// The line with its name, after box and bullet.
    pub(crate) line: Extent,
    /// Its name after the id.
    pub(crate) name: Extent,
    /// The bytes between the brackets.
    pub(crate) mark: Option<Extent>,
    /// The enclosing entry.
    pub(crate) parent: Option<usize>,
    /// The index of the heading above it.
    pub(crate) heading: Option<usize>,
    /// The index of the nearest heading above it that is not a task.
    pub(crate) phase: Option<usize>,
    /// Whether it contains other entries.
    pub(crate) holds: bool,
    /// Whether the id is bold or the line links to a file of its own.
    pub(crate) strong: bool,
}

/// All entries, in list order. `prefixes` are the prefixes of the task file names.
pub(crate) fn find(outline: &Outline, prefixes: &[String]) -> Vec<Entry> {
    let mut found = boxes(outline, prefixes);
    found.extend(containers(outline, prefixes));
    let named: HashSet<String> = found.iter().map(|entry| entry.id.clone()).collect();
    found.extend(headings(outline, prefixes).into_iter().filter(|entry| !named.contains(&entry.id)));
    found.sort_by_key(|entry| entry.at.start);
    end_containers(outline, &mut found);
    nest(outline, &mut found);
    phases(outline, &mut found);
    found
}

/// The box of an item: its mark and where its text begins. Unlike elsewhere, an id may follow without a blank.
pub(crate) fn box_of(outline: &Outline, item: &Item) -> Option<(Extent, usize)> {
    if let Some(mark) = item.mark {
        return Some((mark, item.text));
    }
    let text = outline.str(Extent { start: item.text, end: item.at.end });
    let inner = text.strip_prefix('[')?;
    let c = inner.chars().next().filter(|c| !matches!(c, ']' | '\n' | '\r' | '[') && !c.is_ascii_digit())?;
    let rest = inner.get(c.len_utf8()..)?.strip_prefix(']')?;
    id::leading(rest.trim_start_matches(['*', '`']))?;
    let start = item.text + 1;
    let end = start + c.len_utf8();
    Some((Extent { start, end }, end + 1))
}

/// The lines that would be tasks if they were not hidden in code, a comment or a quote.
pub(crate) fn hidden(outline: &Outline, prefixes: &[String]) -> Vec<(Extent, Veil)> {
    let all = Extent { start: 0, end: outline.bytes.len() };
    let veiled = outline.lines_in(all).filter_map(|line| Some((line.at, line.veil?)));
    let tasks = veiled.filter(|(at, _)| {
        let text = outline.str(*at).trim_start_matches(['>', ' ', '\t']);
        let text = text.strip_prefix(['-', '*', '+']).unwrap_or_default().trim_start();
        marks::find(text).and_then(|(_, after)| id::of_task(text.get(after..)?, prefixes)).is_some()
    });
    tasks.collect()
}

fn boxes(outline: &Outline, prefixes: &[String]) -> Vec<Entry> {
    let items = outline.items.iter().filter(|item| !item.quoted);
    let entries = items.filter_map(|item| {
        let (mark, text) = box_of(outline, item)?;
        let line = first_line(outline, text, item.at.end);
        let mut entry = entry(outline, Form::Box, item.at, line, prefixes)?;
        entry.mark = Some(mark);
        Some(entry)
    });
    entries.collect()
}

fn containers(outline: &Outline, prefixes: &[String]) -> Vec<Entry> {
    let all = Extent { start: 0, end: outline.bytes.len() };
    let lines = outline.lines_in(all).filter(|line| line.veil.is_none());
    let entries = lines.filter_map(|line| {
        let text = outline.str(line.at).trim_start();
        let text = text.strip_prefix("- ").unwrap_or(text).trim_start().strip_prefix('▸')?;
        let line = outline.trimmed(Extent { start: line.at.end - text.len(), end: line.at.end });
        let start = line.start.saturating_sub('▸'.len_utf8() + 1);
        entry(outline, Form::Container, Extent { start, end: line.end }, line, prefixes)
    });
    entries.collect()
}

fn headings(outline: &Outline, prefixes: &[String]) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    for (number, heading) in outline.headings.iter().enumerate().filter(|(_, h)| h.atx && !h.inner) {
        let text = outline.str(heading.at);
        let bare = text.trim_start_matches(['#', ' ', '\t', '✅', '🔄', '⏳', '☑', '✔', '\u{fe0f}']);
        let line = Extent { start: heading.at.end - bare.len(), end: heading.at.end };
        let mut next = outline.headings.iter().skip(number + 1).filter(|h| h.atx && !h.inner);
        let end = next.find(|next| next.level <= heading.level).map_or(outline.bytes.len(), |h| h.at.start);
        let at = outline.trimmed(Extent { start: heading.at.start, end });
        found.extend(entry(outline, Form::Heading, at, line, prefixes).or_else(|| ending(outline, at, line)));
    }
    found
}

/// `### Phase 1: Core - IMPL-001`: the id may also be the last word.
fn ending(outline: &Outline, at: Extent, line: Extent) -> Option<Entry> {
    let text = outline.str(line);
    let (name, id) = text.rsplit_once(" - ")?;
    let whole = id::leading(id).filter(|found| found.len() == id.trim_end().len())?;
    Some(Entry {
        form: Form::Heading,
        id: whole.to_owned(),
        at,
        line,
        name: Extent { start: line.start, end: line.start + name.len() },
        mark: None,
        parent: None,
        heading: heading_above(outline, at.start),
        phase: None,
        holds: false,
        strong: false,
    })
}

fn entry(outline: &Outline, form: Form, at: Extent, line: Extent, prefixes: &[String]) -> Option<Entry> {
    let text = outline.str(line);
    let (id, rest) = id::of_task(text, prefixes)?;
    Some(Entry {
        form,
        id: id.to_owned(),
        at,
        line,
        name: Extent { start: line.end - rest.len(), end: line.end },
        mark: None,
        parent: None,
        heading: None,
        phase: None,
        holds: false,
        strong: text.starts_with("**") || text.contains("]("),
    })
}

/// A `▸` line contains the indented items below it, up to the first line that is not indented.
fn end_containers(outline: &Outline, found: &mut [Entry]) {
    for number in 0..found.len() {
        let Some(at) = found.get(number).filter(|entry| entry.form == Form::Container).map(|entry| entry.at)
        else {
            continue;
        };
        let mut end = at.end;
        for line in outline.lines_in(Extent { start: at.end, end: outline.bytes.len() }) {
            let text = outline.str(line.at);
            if text.starts_with([' ', '\t']) && !text.trim().is_empty() {
                end = line.at.end;
            } else if line.at.start > at.end && !text.trim().is_empty() {
                break;
            }
        }
        if let Some(entry) = found.get_mut(number) {
            entry.at.end = end;
        }
    }
}

/// Finds the innermost enclosing entry of each entry. A box at the margin is not inside the `▸` line above it.
fn nest(outline: &Outline, found: &mut [Entry]) {
    let mut open: Vec<(usize, Extent, Form)> = Vec::new();
    for (number, entry) in found.iter_mut().enumerate() {
        open.retain(|(_, outer, _)| entry.at.start < outer.end);
        let indented = line_index::column(outline.bytes, entry.at.start) > 1;
        let holds = |form: Form| form != Form::Container || indented;
        let outer = open.iter().rev().find(|(_, _, form)| holds(*form));
        entry.parent = outer.map(|(number, _, _)| *number);
        entry.heading = heading_above(outline, entry.at.start);
        open.push((number, entry.at, entry.form));
    }
}

/// Finds the phase of each entry: the nearest heading that is not a task and not below one.
fn phases(outline: &Outline, found: &mut [Entry]) {
    let tasks = found.iter().filter(|entry| entry.form == Form::Heading).map(|entry| entry.at.start);
    let tasks: HashSet<usize> = tasks.collect();
    // For each heading, the phase of the entries below it.
    let mut open: Vec<(u8, Option<usize>)> = Vec::new();
    let mut below = Vec::with_capacity(outline.headings.len());
    for (number, heading) in outline.headings.iter().enumerate() {
        if heading.atx && !heading.inner {
            open.retain(|(level, _)| *level < heading.level);
            let outer = open.last().and_then(|(_, phase)| *phase);
            let is_task = tasks.contains(&heading.at.start);
            open.push((heading.level, if is_task { outer } else { Some(number) }));
        }
        below.push(open.last().and_then(|(_, phase)| *phase));
    }
    for entry in found.iter_mut() {
        // A heading that is a task has an element of its own, which holds the enclosing phase.
        let at = outline.headings.partition_point(|heading| heading.at.start <= entry.at.start);
        entry.phase = at.checked_sub(1).and_then(|at| below.get(at).copied().flatten());
    }
}

fn heading_above(outline: &Outline, offset: usize) -> Option<usize> {
    let next = outline.headings.partition_point(|heading| heading.at.start < offset);
    (0..next).rev().find(|at| outline.headings.get(*at).is_some_and(|heading| heading.atx && !heading.inner))
}

fn first_line(outline: &Outline, start: usize, end: usize) -> Extent {
    let text = outline.str(Extent { start, end });
    let len = text.find(['\n', '\r']).unwrap_or(text.len());
    outline.trimmed(Extent { start, end: start + len })
}
