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
use markdown::{Extent, Outline, marks};
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
    for item in outline.items.iter().filter(|item| item.mark.is_none() && !item.quoted && item.depth == 0) {
        let line = items::line_of(outline, item);
        let text = outline.str(line);
        let Some(state) = text.chars().next().and_then(status_cell::of_sign) else { continue };
        let bare = marks::without_signs(text);
        let Some(unit) = units::unit(bare).filter(|unit| unit.word == word) else { continue };
        if sections.role_at(line.start) == Role::Criteria {
            continue;
        }
        let sign = text.get(..text.len() - bare.len()).unwrap_or_default().trim_end_matches('*');
        let mark = Extent { start: line.start, end: line.start + sign.len() };
        if plan.tasks.iter().any(|task| task.id.as_str() == unit.id) {
            if let Some(task) = unsigned(plan, &unit.id) {
                (task.state, task.mark) = (state, Some(outline.span(mark)));
                task.state_from = Some(outline.place(mark.start));
            }
        } else if !added.iter().any(|task| task.id.as_str() == unit.id) {
            added.push(task(outline, outline.trimmed(item.at), mark, state, &unit));
        }
    }
    plan.tasks.extend(added);
    plan.tasks.sort_by_key(|task| task.span.start);
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
