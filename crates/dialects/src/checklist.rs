//! `checklist`: any Markdown with task-list items, nested or not.
//!
//! An item that begins with an id of its own (`1.2`, `T001`, `TASK-3`) is known by it as long as no other item has the
//! same; any other is known by its place, `2` or `2.1`. An item with boxed items below it is a container.

use crate::{Dialect, Extent, Item, Outline, Plan, Shape, decoration, fingerprint, mark};
use std::collections::HashMap;
use wire::plan::{Kind, Model, Severity, Strategy};
use wire::{State, Task, TaskId, ids};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "checklist",
    about: "any Markdown with task-list items",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    own: |_| Vec::new(),
};

fn detect(outline: &Outline) -> u32 {
    if outline.items.iter().any(|item| item.mark.is_some() && !item.quoted) { 10 } else { 0 }
}

pub(crate) fn read(outline: &Outline) -> Plan {
    let nodes = nodes(outline);
    let ids = names(outline, &nodes);
    let mut plan = Plan { title: title(outline), tasks: Vec::with_capacity(nodes.len()), ..Plan::default() };
    let reason = "the dialect's default".to_owned();
    plan.strategy = Some(Strategy {
        model: Model::Sequential,
        stated: false,
        reason,
        parallel: Vec::new(),
        serial: Vec::new(),
        critical_path: Vec::new(),
    });
    for (node, id) in nodes.iter().zip(&ids) {
        let task = task(outline, node, id, node.parent.and_then(|parent| ids.get(parent)), &mut plan);
        plan.tasks.push(task);
    }
    for item in outline.items.iter().filter(|item| item.quoted && item.mark.is_some()) {
        let message = "a box in a block quote is not a task".to_owned();
        plan.diagnostics.push(outline.diagnostic(Severity::Hint, "task-in-quote", message, item.at.start));
    }
    plan
}

/// The text of the first heading of level 1.
pub(crate) fn title(outline: &Outline) -> String {
    let first = outline.headings.iter().find(|heading| heading.level == 1 && !heading.inner);
    first.map_or_else(String::new, |heading| {
        let text = outline.shown(heading.at);
        let line = text.lines().next().unwrap_or_default();
        line.trim_matches(['#', ' ', '\t']).to_owned()
    })
}

/// A boxed item among the boxed items.
struct Node {
    item: Item,
    /// The index of the boxed item it stands in.
    parent: Option<usize>,
    /// Its number among the boxed items there.
    number: usize,
    children: usize,
    /// Where the first boxed item below it begins.
    own_end: usize,
    /// The first line of its text.
    line: Extent,
}

fn nodes(outline: &Outline) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    // For each item the boxed item that it is or stands in.
    let mut holder: Vec<Option<usize>> = Vec::with_capacity(outline.items.len());
    let mut top = 0;
    for item in &outline.items {
        let outer = item.parent.and_then(|parent| holder.get(parent).copied().flatten());
        if item.mark.is_none() || item.quoted {
            holder.push(outer);
            continue;
        }
        let number = if let Some(parent) = outer.and_then(|outer| nodes.get_mut(outer)) {
            parent.children += 1;
            parent.own_end = parent.own_end.min(item.at.start);
            parent.children
        } else {
            top += 1;
            top
        };
        holder.push(Some(nodes.len()));
        nodes.push(Node {
            item: *item,
            parent: outer,
            number,
            children: 0,
            own_end: item.at.end,
            line: line_of(outline, item),
        });
    }
    nodes
}

/// The id of each node: its own where it is unique, else its place.
fn names(outline: &Outline, nodes: &[Node]) -> Vec<String> {
    let own: Vec<Option<&str>> = nodes.iter().map(|node| own_id(outline.str(node.line))).collect();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for id in own.iter().flatten() {
        *uses.entry(id).or_default() += 1;
    }
    let mut places: Vec<String> = Vec::with_capacity(nodes.len());
    let mut names = Vec::with_capacity(nodes.len());
    for (node, own) in nodes.iter().zip(&own) {
        let place = match node.parent.and_then(|parent| places.get(parent)) {
            // A hostile depth must not make ids of hostile length.
            Some(parent) if parent.len() < 200 => format!("{parent}.{}", node.number),
            Some(_) => format!("~{}", places.len() + 1),
            None => node.number.to_string(),
        };
        names.push(match own {
            Some(id) if uses.get(id) == Some(&1) => (*id).to_owned(),
            _ if uses.contains_key(place.as_str()) => format!("i{place}"),
            _ => place.clone(),
        });
        places.push(place);
    }
    names
}

fn task(outline: &Outline, node: &Node, id: &str, parent: Option<&String>, plan: &mut Plan) -> Task {
    let at = outline.trimmed(node.item.at);
    let own = outline.trimmed(Extent { start: node.item.at.start, end: node.own_end });
    let line = node.line;
    let title = without_id(&decoration::without(outline.shown(line).trim()), id);
    let mark = node.item.mark.unwrap_or_default();
    let state = state(outline, mark, line, plan);
    Task {
        id: TaskId(id.to_owned()),
        key: ids::key_of(id),
        title,
        kind: if node.children > 0 { Kind::Container } else { Kind::Work },
        state,
        state_from: Some(outline.place(mark.start)),
        parent: parent.map(|parent| TaskId(parent.clone())),
        span: outline.span(at),
        mark: Some(outline.span(mark)),
        // Boxed items below are tasks of their own, so that its own box is the only one here.
        fingerprint: fingerprint::with_boxes(outline, own, &[mark], line, &[]),
        ..Task::default()
    }
}

fn state(outline: &Outline, mark: Extent, line: Extent, plan: &mut Plan) -> State {
    match mark::meaning(outline.str(mark)) {
        mark::Meaning::Is(state) => state,
        mark::Meaning::Dropped if decoration::says_dropped(outline.str(line)) => State::Skipped,
        mark::Meaning::Dropped => State::Blocked,
        mark::Meaning::Unknown => {
            let message = format!("unknown mark '{}' is taken as not done", outline.shown(mark));
            plan.diagnostics.push(outline.diagnostic(Severity::Warning, "unknown-mark", message, mark.start));
            State::Pending
        }
    }
}

/// The first line of an item's text.
fn line_of(outline: &Outline, item: &Item) -> Extent {
    let text = outline.str(Extent { start: item.text, end: item.at.end });
    let end = text.bytes().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(text.len());
    outline.trimmed(Extent { start: item.text, end: item.text + end })
}

/// The id that a text begins with.
fn own_id(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(['*', '`', '_', '~']);
    let end =
        text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))).unwrap_or(text.len());
    let word = text.get(..end)?;
    let rest = text.get(end..)?;
    let id = word.trim_end_matches(['.', '-']);
    let closed = id.len() < word.len() || rest.starts_with([':', ')']);
    if id.len() > 24 || !(closed || rest.starts_with([' ', '\t', '*', '`'])) {
        return None;
    }
    let letters = id.bytes().take_while(u8::is_ascii_uppercase).count();
    let tail = id.get(letters..)?.trim_start_matches('-');
    let numbered = tail.starts_with(|c: char| c.is_ascii_digit())
        && tail.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
    let is_id = numbered && (letters > 0 || closed || id.contains('.'));
    is_id.then_some(id)
}

fn without_id(title: &str, id: &str) -> String {
    let bare = title.trim_start_matches(['*', '`', '_']);
    match bare.strip_prefix(id) {
        Some(rest) if own_id(title) == Some(id) => {
            let rest = rest.trim_start_matches(['.', ':', ')', ' ', '*', '`', '_', '\t', '-', '—']);
            if rest.is_empty() { title.to_owned() } else { rest.to_owned() }
        }
        _ => title.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_ids_are_recognised() {
        for (text, id) in [
            ("1.2 Do it", Some("1.2")),
            ("T001 Do it", Some("T001")),
            ("TASK-3: Do it", Some("TASK-3")),
            ("1. Do it", Some("1")),
            ("**IMPL-1.2** Do it", Some("IMPL-1.2")),
            ("3 apples", None),
            ("Do it", None),
            ("v2 of it", None),
            ("", None),
        ] {
            assert_eq!(own_id(text), id, "{text}");
        }
    }
}
