//! The todo list: lines with boxes, `[x] done`, `[-] begun`, `[ ] open`, with or without bullets or fences.
//!
//! Agents rewrite the whole list at every change, so a text may contain it many times: the last list with the lines
//! of the first one counts. Other lists are reported and left out.

use super::{own_name, settle};
use crate::Plan;
use crate::lists::items;
use crate::read::fingerprint;
use crate::states::decoration;
use markdown::{Extent, Outline, marks};
use memchr::memchr_iter;
use std::collections::HashSet;
use wire::plan::Severity;
use wire::{Task, TaskId, ids};

/// A line with a box.
struct Line {
    /// From the bullet or box to the end.
    at: Extent,
    mark: Extent,
    text: Extent,
    bare: bool,
}

/// Whether the text has a list without bullets that has more boxes than ordinary Markdown lists in it.
pub(crate) fn is_bare(outline: &Outline) -> bool {
    if !may_be_bare(outline.bytes) {
        return false;
    }
    let bare = |lines: &Vec<Line>| lines.iter().filter(|line| line.bare).count();
    let most = lists(outline).iter().map(bare).max().unwrap_or(0);
    let items = outline.items.iter().filter(|item| item.mark.is_some() && !item.quoted).count();
    most > 1 && most > items
}

/// Whether at least two lines begin with a bracket.
fn may_be_bare(bytes: &[u8]) -> bool {
    let begins = |at: &usize| {
        let before = bytes.get(..*at).unwrap_or_default();
        let blank = |byte: &&u8| !matches!(byte, b' ' | b'\t');
        before.iter().rev().find(blank).is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
    };
    memchr_iter(b'[', bytes).filter(begins).nth(1).is_some()
}

/// Reads the list that counts.
pub(crate) fn read(outline: &Outline, plan: &mut Plan) {
    let lists = lists(outline);
    let texts = |list: &[Line]| -> HashSet<String> {
        list.iter().map(|line| decoration::without(outline.str(line.text)).trim().to_owned()).collect()
    };
    let Some(first) = lists.first().map(|list| texts(list)) else { return };
    let same = |list: &[Line]| texts(list).intersection(&first).count() * 2 >= first.len().max(1);
    let chosen = lists.iter().rposition(|list| same(list)).unwrap_or(0);
    for (index, list) in lists.iter().enumerate() {
        let Some(line) = list.first().filter(|_| index != chosen) else { continue };
        let (code, message) = if same(list) {
            ("earlier-list", format!("an earlier state of the list, {} lines", list.len()))
        } else {
            ("other-list", format!("another todo list, {} lines, is not taken", list.len()))
        };
        plan.diagnostics.push(outline.diagnostic(Severity::Hint, code, message, line.at.start));
    }
    let chosen = lists.get(chosen).map(Vec::as_slice).unwrap_or_default();
    for (line, id) in chosen.iter().zip(names(outline, chosen)) {
        let task = task(outline, line, id, plan);
        plan.tasks.push(task);
    }
}

fn task(outline: &Outline, line: &Line, id: String, plan: &mut Plan) -> Task {
    let title = decoration::without(outline.view(line.text).trim()).into_owned();
    let mut task = Task {
        key: ids::key_of(&id),
        id: TaskId(id),
        title,
        state: items::state(outline, line.mark, line.text, &mut plan.diagnostics),
        state_from: Some(outline.place(line.mark.start)),
        span: outline.span(line.at),
        mark: Some(outline.span(line.mark)),
        fingerprint: fingerprint::with_boxes(outline, line.at, &[line.mark], line.text, &[]),
        ..Task::default()
    };
    settle(&mut task);
    task
}

/// The id of each line: its own if it is unique, otherwise its position.
fn names(outline: &Outline, lines: &[Line]) -> Vec<String> {
    let own: Vec<Option<String>> =
        lines.iter().map(|line| own_name(&decoration::without(outline.str(line.text)))).collect();
    let mut seen: HashSet<&String> = HashSet::new();
    let mut twice: HashSet<&String> = HashSet::new();
    for name in own.iter().flatten() {
        if !seen.insert(name) {
            twice.insert(name);
        }
    }
    let place = |index: usize| {
        let place = (index + 1).to_string();
        if seen.contains(&place) { format!("i{place}") } else { place }
    };
    own.iter()
        .enumerate()
        .map(|(index, name)| match name {
            Some(name) if !twice.contains(name) => name.clone(),
            _ => place(index),
        })
        .collect()
}

/// All runs of lines with boxes.
fn lists(outline: &Outline) -> Vec<Vec<Line>> {
    let mut lists: Vec<Vec<Line>> = Vec::new();
    let mut open = false;
    for line in outline.lines_in(Extent { start: 0, end: outline.bytes.len() }) {
        match boxed(outline, line.at) {
            Some(line) if open => {
                if let Some(list) = lists.last_mut() {
                    list.push(line);
                }
            }
            Some(line) => {
                lists.push(vec![line]);
                open = true;
            }
            None => open = false,
        }
    }
    joined(outline, lists)
}

/// Lists with nothing but headings between them are the parts of one, unless they are states of the same list.
fn joined(outline: &Outline, lists: Vec<Vec<Line>>) -> Vec<Vec<Line>> {
    let mut parts: Vec<Vec<Line>> = Vec::new();
    for list in lists {
        let (Some(last), Some(first)) = (parts.last_mut(), list.first()) else {
            parts.push(list);
            continue;
        };
        let from = last.last().map_or(0, |line| line.at.end);
        let between = outline.str(Extent { start: from, end: first.at.start });
        let heads = between.lines().map(str::trim).filter(|line| !line.is_empty());
        let headed = between.contains('#') && heads.into_iter().all(|line| line.starts_with('#'));
        let said = |line: &Line| decoration::without(outline.str(line.text)).trim().to_owned();
        let known: HashSet<String> = last.iter().map(said).collect();
        if headed && !list.iter().any(|line| known.contains(&said(line))) {
            last.extend(list);
        } else {
            parts.push(list);
        }
    }
    parts
}

fn boxed(outline: &Outline, at: Extent) -> Option<Line> {
    let at = outline.trimmed(at);
    let text = outline.str(at);
    let rest =
        marks::after_bullet(text).or_else(|| text.strip_prefix('-').filter(|rest| rest.starts_with('[')));
    let rest = rest.unwrap_or(text);
    let start = at.end - rest.len();
    let (mark, after) = marks::find(rest)?;
    let said = Extent { start: (start + after).min(at.end), end: at.end };
    let mark = Extent { start: start + mark.start, end: start + mark.end };
    (said.start < said.end).then_some(Line { at, mark, text: said, bare: text.starts_with('[') })
}
