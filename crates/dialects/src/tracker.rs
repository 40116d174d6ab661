//! `tracker`: Markdown tables with one task a row, `| ID | Task | Status | Depends on |`.
//!
//! The status cell is the box: a word, a sign such as `✅`, or brackets with a mark. An id that stands in several tables
//! is no name; such rows are known by their place. Where there are neither tables nor boxes, items that begin with a sign are tasks. Boxes in lists are about the whole: a plan whose work is a list of
//! boxes is a `checklist`, whatever tables stand beside it.

mod columns;
mod signs;
pub(crate) mod status;

use crate::expected::Said;
use crate::needs::Needs;
use crate::plan_md::requires::cell;
use crate::plan_md::{commit, input, item, notes, result};
use crate::workflow::Legend;
use crate::{Dialect, Extent, Outline, Plan, Shape, Table, boxes, checklist, expect, fingerprint};
use crate::{link, list, named, numbered, phase, strategy};
use columns::Columns;
use std::collections::HashMap;
use wire::plan::{Criterion, FileUse, Model, Severity};
use wire::{Task, TaskId, ids};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "tracker",
    about: "tables of tasks with a status column, lists with signs of state",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    own: |_| Vec::new(),
};

/// A table of tasks and how to read it.
struct Sheet<'o> {
    table: &'o Table,
    columns: Columns,
}

/// A row that is a task.
struct Row<'o> {
    sheet: &'o Sheet<'o>,
    cells: &'o [Extent],
    /// The id as written; empty where there is none.
    id: String,
}

fn detect(outline: &Outline) -> u32 {
    let sheets = sheets(outline);
    let rows = rows(outline, &sheets);
    if rows.is_empty() {
        return if signs::are_tasks(outline) { 15 } else { 0 };
    }
    let asides = numbered::aside(outline, &[numbered::ASIDE, CHECKS].concat());
    let aside = |at: usize| {
        let next = asides.partition_point(|(section, _)| section.end <= at);
        asides.get(next).is_some_and(|(section, _)| section.start <= at)
    };
    let boxes = outline.items.iter().filter(|item| item.mark.is_some() && !item.quoted);
    let own = boxes.filter(|item| !aside(item.at.start)).count();
    // Where both are there, the larger one is the plan; a list beside an equal table is what is ticked.
    let named = rows.iter().all(|row| !row.id.is_empty());
    if own == 0 || named && rows.len() > own { 15 } else { 0 }
}

/// Headings above boxes that check the whole.
const CHECKS: &[&str] =
    &["verification", "validation", "final checklist", "testing", "quality", "gate", "legend"];

/// Says of every table of tasks in a plan whose tasks are boxes that its rows are none.
pub(crate) fn unread(outline: &Outline, plan: &mut Plan) {
    for sheet in sheets(outline) {
        let message =
            "a table with a status column is not read: the tasks of this plan are its boxes".to_owned();
        let found = outline.diagnostic(Severity::Hint, "table-not-read", message, sheet.table.at.start);
        plan.diagnostics.push(found);
    }
}

fn sheets<'o>(outline: &'o Outline) -> Vec<Sheet<'o>> {
    let seen = outline.tables.iter().filter(|table| outline.veil(table.at.start).is_none());
    let mut sheets: Vec<Sheet> =
        seen.filter_map(|table| Some(Sheet { table, columns: Columns::new(outline, table)? })).collect();
    // Where some tables say that their rows are tasks, the others are about phases, modules, people.
    if sheets.iter().any(|sheet| sheet.columns.strict) {
        sheets.retain(|sheet| sheet.columns.strict);
    }
    sheets
}

fn rows<'o>(outline: &Outline, sheets: &'o [Sheet<'o>]) -> Vec<Row<'o>> {
    let mut rows = Vec::new();
    for sheet in sheets {
        for cells in sheet.table.rows.iter().skip(1) {
            let text = |column: usize| cell(outline, cells.get(column).copied());
            // A row that names no task is a heading within the table.
            if text(sheet.columns.task).is_empty() {
                continue;
            }
            let id = sheet.columns.id.map(text).unwrap_or_default();
            rows.push(Row { sheet, cells, id: columns::bare(&id) });
        }
    }
    rows
}

fn read(outline: &Outline) -> Plan {
    let sheets = sheets(outline);
    let rows = rows(outline, &sheets);
    let legend = Legend::new(outline);
    let mut plan = Plan { title: checklist::title(outline), ..Plan::default() };
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
        signs::read(outline, &mut plan);
    }
    depend(outline, &rows, &mut plan);
    for (task, row) in plan.tasks.iter_mut().zip(&rows) {
        let at = line(outline, row.cells);
        let mark = task.mark.as_ref().map(|mark| boxes::extent(mark, outline.bytes.len()));
        let boxes: Vec<Extent> = mark.into_iter().collect();
        let none = Extent { start: at.end, end: at.end };
        task.fingerprint = fingerprint::with_boxes(outline, at, &boxes, none, &task.depends_on);
    }
    phase::read(outline, &mut plan, |text| {
        phase::after_word(text, &["phase", "milestone", "stage", "sprint", "wave", "epic"])
    });
    notes::outside(outline, |_| false, &mut plan);
    list::hidden(outline, &mut plan.diagnostics);
    plan
}

/// Tells each row what it waits for; a number that begins anew in each table means the one of its own table.
fn depend(outline: &Outline, rows: &[Row], plan: &mut Plan) {
    let needs = Needs::new(&plan.tasks);
    let place = |row: &Row| row.sheet.table.at.start;
    let own: HashMap<(usize, &str), TaskId> = rows
        .iter()
        .zip(&plan.tasks)
        .map(|(row, task)| ((place(row), row.id.as_str()), task.id.clone()))
        .collect();
    for (index, row) in rows.iter().enumerate() {
        let column = row.sheet.columns.depends.and_then(|column| row.cells.get(column).copied());
        let (Some(at), Some(task)) = (column, plan.tasks.get_mut(index)) else { continue };
        let found = needs.of(index, &cell(outline, Some(at)), |id| own.get(&(place(row), id)).cloned());
        numbered::depend(task, found.tasks);
        for other in found.others {
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
    let mut task = Task {
        id: TaskId::from(name),
        key: ids::key_of(name),
        title,
        span: outline.span(line(outline, row.cells)),
        ..Task::default()
    };
    task.references.extend(target);
    if let Some(at) = row.cells.get(columns.status) {
        let found = status::read(outline, *at, legend);
        task.mark = Some(outline.span(found.mark));
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
        let paths = commit::paths(&text(column)).into_iter().filter(|path| input::is_path(path));
        task.files.extend(paths.map(|path| FileUse { path, action: "write".to_owned() }));
    }
    let mut fields = serde_json::Map::new();
    for column in &columns.others {
        let (Some(title), said) = (columns.titles.get(*column), text(*column)) else { continue };
        if !item::is_none(&said) {
            fields.insert(title.clone(), said.into());
        }
    }
    if !fields.is_empty() {
        task.extra.insert("fields".to_owned(), fields.into());
    }
    task
}

/// What must hold when the task of a row is done; a column `Expected` says what the commands give.
fn checks(outline: &Outline, row: &Row, task: &mut Task) {
    let columns = &row.sheet.columns;
    let text = |column: usize| cell(outline, row.cells.get(column).copied());
    let title = |column: usize| columns.titles.get(column).map_or("", String::as_str);
    let gives = columns.others.iter().find(|column| title(**column).starts_with("expect"));
    let gives = gives.map(|column| text(*column)).filter(|said| !item::is_none(said));
    // `Test` may say what is to be written; only a command is what is to be run.
    let tests =
        columns.others.iter().filter(|column| matches!(title(**column), "test" | "tests" | "command"));
    let tests = tests.filter(|column| expect::told(&text(**column)).command.is_some());
    for column in columns.checks.iter().chain(tests) {
        let said = text(*column);
        if item::is_none(&said) {
            continue;
        }
        let at = row.cells.get(*column).copied().unwrap_or_default();
        let mut criterion = Criterion {
            id: format!("{}:{}", task.id, task.criteria.len() + 1),
            category: title(*column).to_owned(),
            span: outline.span(outline.trimmed(at)),
            ..expect::told(&said)
        };
        if let Some(gives) = &gives {
            result::settle(&mut criterion, &[Said::Words(gives.clone())], "");
        }
        task.criteria.push(Criterion { text: said, ..criterion });
    }
}

/// The title, and where it leads if it is a link.
fn titled(text: &str) -> (String, Option<String>) {
    match link::links(text).as_slice() {
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
