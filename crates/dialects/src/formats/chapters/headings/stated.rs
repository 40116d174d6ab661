//! States that stand elsewhere than at the heading: a table `| Phase | Status |`, a list `- ✅ **Phase 1 Complete**: …`.
//!
//! A sign at the heading goes before both.

use crate::Plan;
use crate::deps::requires::cell;
use crate::lists::{items, status_tables};
use crate::read::fingerprint;
use crate::sections::units::{self, Unit};
use crate::sections::{Role, Sections};
use crate::states::legend::Legend;
use crate::states::status_cell;
use markdown::{Extent, Item, Outline, marks};
use wire::{State, Task, TaskId, ids};

/// Takes the states from tables and lists; a unit that only a list names is a task of its own.
pub(crate) fn read(outline: &Outline, sections: &Sections, word: &str, plan: &mut Plan) {
    let legend = Legend::new(outline);
    for table in outline.tables.iter().filter(|table| outline.veil(table.at.start).is_none()) {
        let Some((name, status)) = status_tables::named_status(outline, table) else { continue };
        for cells in table.rows.iter().skip(1) {
            let text = cell(outline, cells.get(name).copied());
            let bare = status_tables::bare(&text);
            let bare = marks::without_signs(&bare);
            let unit = units::unit(bare).filter(|unit| unit.word == word);
            let id = unit.map(|unit| unit.id).or_else(|| number(bare));
            let Some((id, at)) = id.zip(cells.get(status)) else { continue };
            let found = status_cell::read(outline, *at, &legend);
            if let (Some(state), Some(task)) = (found.state, unsigned(plan, &id)) {
                task.state = state;
                task.mark = Some(outline.span(found.mark));
                task.state_from = Some(outline.place(found.mark.start));
            }
        }
    }
    list(outline, sections, word, plan);
    around(outline, sections, plan);
}

/// The number that a name begins with: `1. Foundation`, `2`.
fn number(text: &str) -> Option<String> {
    let end = text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let id = text.get(..end)?.trim_end_matches('.');
    let rest = text.get(end..)?;
    (!id.is_empty() && (rest.is_empty() || rest.starts_with([' ', ':', ')']))).then(|| id.to_owned())
}

/// The task of this id whose heading has no sign.
fn unsigned<'p>(plan: &'p mut Plan, id: &str) -> Option<&'p mut Task> {
    let same = |own: &str| own == id || own.trim_start_matches('0') == id.trim_start_matches('0');
    let task = plan.tasks.iter_mut().find(|task| same(task.id.as_str()))?;
    let bare = task.mark.as_ref().is_none_or(|mark| mark.start == mark.end);
    bare.then_some(task)
}

fn list(outline: &Outline, sections: &Sections, word: &str, plan: &mut Plan) {
    let mut added: Vec<Task> = Vec::new();
    for item in outline.items.iter().filter(|item| item.mark.is_none()) {
        let line = items::line_of(outline, item);
        let text = outline.str(line);
        let bare = marks::without_signs(text);
        let Some(unit) = units::unit(bare).filter(|unit| unit.word == word) else { continue };
        if sections.role_at(line.start) == Role::Criteria {
            continue;
        }
        let signed = text.chars().next().and_then(status_cell::of_sign);
        let top = || (item.depth == 0).then(|| label(outline, item, sections)).flatten();
        let Some(state) = signed.filter(|_| item.depth == 0).or_else(|| told(&unit)).or_else(top) else {
            continue;
        };
        let sign = text.get(..text.len() - bare.len()).unwrap_or_default().trim_end_matches('*');
        let mark = Extent { start: line.start, end: line.start + sign.len() };
        if plan.tasks.iter().any(|task| task.id.as_str() == unit.id) {
            if let Some(task) = unsigned(plan, &unit.id).filter(|task| task.state == State::Pending) {
                task.state = state;
                task.state_from = Some(outline.place(line.start));
                // A list below a label keeps its form; the sign of such a task stands at its heading.
                if signed.is_some() && !item.quoted && item.depth == 0 {
                    task.mark = Some(outline.span(mark));
                }
            }
        } else if signed.is_some()
            && !item.quoted
            && item.depth == 0
            && !added.iter().any(|task| task.id.as_str() == unit.id)
        {
            added.push(task(outline, outline.trimmed(item.at), mark, state, &unit));
        }
    }
    plan.tasks.extend(added);
    plan.tasks.sort_by_key(|task| task.span.start);
}

/// The state in words behind the title of a unit: `T1.1 The parser: completed in abc`.
fn told(unit: &Unit) -> Option<State> {
    let (_, said) = unit.title.rsplit_once(": ")?;
    let first = said.split([' ', '.', ',', ';']).next()?.to_lowercase();
    // `Phase 2: The form: complete it` asks for work.
    let past = first.ends_with("ed") || matches!(first.as_str(), "done" | "pending");
    status_cell::of_label(&first).filter(|_| past)
}

/// The state that the label above a list gives to it, or the heading: `**Completed in this repo:**`.
fn label(outline: &Outline, item: &Item, sections: &Sections) -> Option<State> {
    let before = outline.str(Extent { start: 0, end: item.at.start });
    let mut above = before.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    // The items above it belong to the same list.
    let line = above.find(|line| marks::after_bullet(line).is_none())?;
    let labelled = line.trim_end_matches(['*', '_']).ends_with([':', '：']) || line.starts_with("**");
    if labelled {
        return status_cell::of_label(line);
    }
    sections.at(item.at.start).and_then(|section| status_cell::of_label(section.title))
}

/// A task whose heading has no sign takes the state from the heading of the section around it: `## Completed Phases`.
fn around(outline: &Outline, sections: &Sections, plan: &mut Plan) {
    for task in &mut plan.tasks {
        let bare = task.mark.as_ref().is_none_or(|mark| mark.start == mark.end);
        let start = usize::try_from(task.span.start).unwrap_or(usize::MAX);
        let Some(state) = sections.state_above(start).filter(|_| bare && task.state == State::Pending) else {
            continue;
        };
        task.state = state;
        task.state_from = Some(outline.place(start));
    }
}

fn task(outline: &Outline, at: Extent, mark: Extent, state: State, unit: &Unit) -> Task {
    let (_, title) = unit.title.split_once([':', '：']).unwrap_or(("", unit.title));
    let none = Extent { start: at.end, end: at.end };
    Task {
        id: TaskId(unit.id.clone()),
        key: ids::key_of(&unit.id),
        title: title.trim_matches(['*', ' ']).to_owned(),
        state,
        state_from: Some(outline.place(mark.start)),
        span: outline.span(at),
        mark: Some(outline.span(mark)),
        fingerprint: fingerprint::with_boxes(outline, at, &[mark], none, &[]),
        ..Task::default()
    }
}
