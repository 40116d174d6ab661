//! `tracker`: Markdown tables with one task per row, `| ID | Task | Status | Depends on |`.
//!
//! The status cell is the box: a word, a sign such as `✅`, or brackets with a mark. In a table of ids and tasks without such
//! a column a sign beside the task is the state. An id that occurs in several
//! tables is not unique; such rows are known by their position. In a plan with neither tables nor boxes, items that
//! begin with a sign are tasks. Boxes in lists apply to the whole plan: a plan whose work is a list of boxes is a
//! `checklist`, whatever tables it also has.

use crate::criteria::locate;
use crate::criteria::notes;
use crate::deps::needs::Needs;
use crate::deps::requires::cell;
use crate::deps::{named, phases, strategy};
use crate::dialect::PLAIN;
use crate::fields::{inputs, item_text, paths};
use crate::lists::status_tables::{self, Row};
use crate::lists::work::{self, Work};
use crate::lists::{items, numbered, signed};
use crate::read::fingerprint;
use crate::sections::units;
use crate::states::boxes;
use crate::states::decoration;
use crate::states::legend::Legend;
use crate::states::signs as signs_of_names;
use crate::states::status_cell;
use crate::write::Form;
use crate::{Dialect, Plan, Shape};
use checks::labels::{self, Label};
use checks::{Located, Part};
use markdown::links;
use markdown::{Extent, Outline, marks};
use std::borrow::Cow;
use std::collections::HashMap;
use wire::plan::{Criterion, FileUse, Model, Severity};
use wire::{Task, TaskId, ids};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "tracker",
    about: "tables of tasks, lists with signs of state",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    begins: true,
    table_cells: true,
    checks: &[Form::Column("Verification"), Form::Lines],
    ..PLAIN
};

fn detect(outline: &Outline) -> u32 {
    u32::from(matches!(work::of(outline), Some(Work::Rows | Work::Signs))) * work::SURE
}

fn read(outline: &Outline) -> Plan {
    let sheets = status_tables::of_plan(outline);
    let rows = status_tables::rows(outline, &sheets);
    let legend = Legend::new(outline);
    let mut plan = Plan { title: markdown::outline::title(outline), ..Plan::default() };
    let depends = sheets.iter().any(|sheet| sheet.columns.depends.is_some());
    let model = if depends { Model::Parallel } else { Model::Sequential };
    plan.strategy = Some(strategy::unstated(model));
    let own: Vec<Option<&str>> =
        rows.iter().map(|row| Some(row.id.as_str()).filter(|id| !id.is_empty())).collect();
    let names = named::ids(&own);
    for (row, name) in rows.iter().zip(&names) {
        let task = task(outline, row, name, &legend, &mut plan);
        plan.tasks.push(task);
    }
    if rows.is_empty() {
        signed::read(outline, &mut plan);
    }
    phases::read(outline, &mut plan, |text| phases::after_word(text, PHASES));
    depend(outline, &rows, &mut plan);
    for (task, row) in plan.tasks.iter_mut().zip(&rows) {
        let at = line(outline, row.cells);
        let mark = task.mark.as_ref().map(|mark| boxes::extent(mark, outline.bytes.len()));
        let boxes: Vec<Extent> = mark.into_iter().collect();
        let none = Extent { start: at.end, end: at.end };
        task.fingerprint = fingerprint::with_boxes(outline, at, &boxes, none, &task.depends_on);
    }
    notes::outside(outline, |_| false, &mut plan);
    items::hidden(outline, &mut plan.diagnostics);
    plan
}

/// The words of headings that a part of the work has.
const PHASES: &[&str] = &["phase", "milestone", "stage", "sprint", "wave", "epic"];

/// Sets the dependencies of each row; if the numbers restart in each table, a number means the row in its own table.
fn depend(outline: &Outline, rows: &[Row], plan: &mut Plan) {
    let needs = Needs::new(&plan.tasks);
    let place = |row: &Row| row.sheet.table.at.start;
    let own: HashMap<(usize, &str), TaskId> = rows
        .iter()
        .zip(&plan.tasks)
        .map(|(row, task)| ((place(row), row.id.as_str()), task.id.clone()))
        .collect();
    let mut parts: HashMap<String, Vec<TaskId>> = HashMap::new();
    for task in &plan.tasks {
        let phase = task.phase.iter().cloned();
        phase.for_each(|phase| parts.entry(phase).or_default().push(task.id.clone()));
    }
    for (index, row) in rows.iter().enumerate() {
        let column = row.sheet.columns.depends.and_then(|column| row.cells.get(column).copied());
        let (Some(at), Some(task)) = (column, plan.tasks.get_mut(index)) else { continue };
        let found = needs.of(index, &cell(outline, Some(at)), |id| own.get(&(place(row), id)).cloned());
        numbered::depend(task, found.tasks);
        for other in found.others {
            // `Phase 1`: every task of an earlier part.
            let phase = phases::after_word(&other, PHASES).map(|(id, _)| id);
            let own = task.phase == phase;
            if let Some(tasks) = phase.and_then(|phase| parts.get(&phase)).filter(|_| !own) {
                numbered::depend(task, tasks.clone());
                continue;
            }
            let message =
                format!("task '{}' waits for '{other}', which is no task of this plan: left out", task.id);
            let at = outline.trimmed(at).start;
            let mut warning = outline.diagnostic(Severity::Warning, "unresolved-requirement", message, at);
            warning.task = Some(task.id.clone());
            plan.diagnostics.push(warning);
        }
    }
}

fn task(outline: &Outline, row: &Row, name: &str, legend: &Legend, plan: &mut Plan) -> Task {
    let columns = &row.sheet.columns;
    let text = |column: usize| cell(outline, row.cells.get(column).copied());
    let (title, target) = titled(&text(columns.task));
    let bare = status_tables::bare(&title);
    let unit = units::unit(marks::without_signs(&bare))
        .filter(|unit| columns.id.is_none() && !unit.title.is_empty());
    let title = unit.map(|unit| unit.title.to_owned()).unwrap_or(title);
    let mut task = Task {
        id: TaskId::from(name),
        key: ids::key_of(name),
        title,
        span: outline.span(line(outline, row.cells)),
        ..Task::default()
    };
    task.references.extend(target);
    if let Some(at) = columns.status.is_none().then(|| row.cells.get(columns.task)).flatten() {
        let sign = signs_of_names::find(outline, *at);
        task.mark = Some(outline.span(sign.at));
        task.state_from = Some(outline.place(sign.at.start));
        task.state = sign.state.unwrap_or_default();
        let title = decoration::without(marks::without_signs(&task.title)).into_owned();
        title.trim().clone_into(&mut task.title);
    }
    if let Some(at) = columns.status.and_then(|status| row.cells.get(status)) {
        let found = status_cell::read(outline, *at, legend);
        // A sentence in place of a state is never written over.
        let is_word = found.state.is_some() || status_cell::is_short(outline.str(found.mark));
        task.mark = is_word.then(|| outline.span(found.mark));
        task.state_from = Some(outline.place(found.mark.start));
        task.state = found.state.unwrap_or_else(|| {
            let said = outline.shown(found.mark);
            let message = format!("unknown status '{said}' is taken as not done");
            let mut warning =
                outline.diagnostic(Severity::Warning, "unknown-status", message, found.mark.start);
            warning.task = Some(task.id.clone());
            plan.diagnostics.push(warning);
            wire::State::Pending
        });
    }
    checks(outline, row, &mut task);
    if let Some(column) = columns.files {
        let paths = paths::listed(&text(column)).into_iter().filter(|path| inputs::is_path(path));
        task.files.extend(paths.map(|path| FileUse { path, action: "write".to_owned() }));
    }
    let mut fields = serde_json::Map::new();
    for column in &columns.others {
        let (Some(title), said) = (columns.titles.get(*column), text(*column)) else { continue };
        if !item_text::is_none(&said) {
            fields.insert(title.clone(), said.into());
        }
    }
    if !fields.is_empty() {
        task.extra.insert("fields".to_owned(), fields.into());
    }
    task
}

/// The criteria of a row's task: each column of checks or commands, with the columns that say more about them.
fn checks(outline: &Outline, row: &Row, task: &mut Task) {
    let columns = &row.sheet.columns;
    let title = |column: usize| columns.titles.get(column).map_or("", String::as_str);
    let part = |column: usize| {
        let at = outline.trimmed(row.cells.get(column).copied()?);
        let text = outline.view(at);
        let heading = Cow::Borrowed(title(column));
        (!item_text::is_none(&text)).then_some(Part { kind: checks::Kind::Cell { heading }, text, at })
    };
    let is_command = |column: &&usize| {
        let label = labels::label(&format!("{}:", title(**column))).map(|(label, _)| label);
        matches!(label, Some(Label::Run | Label::Verify))
            && part(**column).is_some_and(|cell| cell.text.contains('`'))
    };
    let (commands, more): (Vec<usize>, Vec<usize>) = columns.others.iter().partition(is_command);
    let more: Vec<Part> =
        more.into_iter().filter(|column| !ABOUT.contains(&title(*column))).filter_map(part).collect();
    for column in columns.checks.iter().copied().chain(commands) {
        let Some(cell) = part(column) else { continue };
        let base = Criterion {
            category: title(column).to_owned(),
            text: cell.text.replace("\\|", "|"),
            span: outline.span(cell.at),
            ..Criterion::default()
        };
        // What other columns say is about a command; a criterion in words stands for itself.
        let has_command = cell.text.contains('`');
        let more = more.iter().filter(|_| has_command).cloned();
        let located = Located { parts: std::iter::once(cell).chain(more).collect(), ..Located::default() };
        locate::add(task, "", locate::read(outline, &located, &base));
    }
}

/// Columns about a task that say nothing about its checks.
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "owner", "assignee", "assigned", "assigned to", "agent", "who", "priority", "prio", "effort", "estimate", "est", "size",
    "points", "complexity", "phase", "milestone", "sprint", "epic", "area", "module", "component", "type", "category", "label",
    "labels", "tags", "notes", "note", "comment", "comments", "remarks", "description", "details", "summary", "title", "name",
    "link", "links", "pr", "issue", "branch", "date", "due", "started", "completed", "updated", "progress", "risk", "scope",
    "reference", "references", "commit", "version", "evidence", "담당", "우선순위", "비고", "负责人", "优先级", "备注",
];

/// The title, and the target if it is a link.
fn titled(text: &str) -> (String, Option<String>) {
    match links::links(text).as_slice() {
        [only] if only.at.start == 0 && only.at.end == text.len() => {
            let (name, _) = text.trim_start_matches('[').split_once("](").unwrap_or((text, ""));
            (name.to_owned(), text.get(only.target.start..only.target.end).map(str::to_owned))
        }
        _ => (text.to_owned(), None),
    }
}

/// The whole line of a row.
fn line(outline: &Outline, cells: &[Extent]) -> Extent {
    let first = cells.first().map_or(0, |cell| cell.start).min(outline.bytes.len());
    let ends = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let (before, after) = outline.bytes.split_at(first);
    let start = before.iter().rposition(ends).map_or(0, |at| at + 1);
    let end = first + after.iter().position(ends).unwrap_or(after.len());
    outline.trimmed(Extent { start, end })
}
