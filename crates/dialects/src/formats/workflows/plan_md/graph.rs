//! The Dependency Graph as written: a table, or the renderer's list.

use super::section::Sections;
use crate::deps::ids::Ids;
use crate::deps::requires::{self, cell};
use markdown::{Extent, Outline, Table, code_spans};
use std::collections::HashMap;
use wire::Task;

/// A row of the graph.
pub(crate) struct GraphRow {
    pub(crate) todo: String,
    pub(crate) requires: String,
    produces: String,
    pub(crate) at: usize,
}

/// The rows of all tables and lists that state requirements of tasks.
pub(crate) fn rows(outline: &Outline, sections: &Sections) -> Vec<GraphRow> {
    let mut rows = Vec::new();
    for table in outline.tables.iter().filter(|table| !sections.hold(table.at.start)) {
        let Some((todo, requires, produces)) = columns(outline, table) else { continue };
        rows.extend(table.rows.iter().skip(1).map(|row| GraphRow {
            todo: cell(outline, row.get(todo).copied()),
            requires: cell(outline, row.get(requires).copied()),
            produces: produces.map(|at| cell(outline, row.get(at).copied())).unwrap_or_default(),
            at: row.get(requires).or(row.first()).map_or(table.at.start, |at| outline.trimmed(*at).start),
        }));
    }
    let top = outline.items.iter().filter(|item| item.depth == 0 && !item.quoted);
    for item in top.filter(|item| !sections.hold(item.at.start)) {
        let line =
            outline.str(Extent { start: item.text, end: item.at.end }).lines().next().unwrap_or_default();
        if let Some((todo, rest)) = line.split_once(": requires ") {
            let (requires, produces) = rest.split_once("produces").unwrap_or((rest, ""));
            rows.push(GraphRow {
                todo: todo.to_owned(),
                requires: requires.replace('→', "").replace("->", ""),
                produces: produces.to_owned(),
                at: item.at.start,
            });
        }
    }
    rows
}

fn columns(outline: &Outline, table: &Table) -> Option<(usize, usize, Option<usize>)> {
    let header = requires::header(outline, table);
    let begins = |words: &[&str]| header.iter().position(|title| words.iter().any(|w| title.starts_with(w)));
    let requires = begins(&["requires", "depends on", "blocked by", "필요", "의존", "선행", "依赖", "前置"])?;
    let todo = begins(&["todo"]).or_else(|| {
        header.iter().position(|title| matches!(title.as_str(), "task" | "id" | "#" | "작업" | "任务"))
    })?;
    let produces = begins(&["produces", "생성", "산출", "产出"]);
    Some((todo, requires, produces))
}

/// The producers of each product; `None` is a row that is not a task.
pub(crate) type Things = HashMap<String, Vec<Option<usize>>>;

/// The producers of each product, according to the graph and the tasks' own outputs.
pub(crate) fn things(rows: &[GraphRow], ids: &Ids, tasks: &[Task]) -> Things {
    let mut things: Things = HashMap::new();
    let mut add = |name: &str, producer: Option<usize>| {
        let name = name.trim().trim_matches(['`', '*', '[', ']', ' ']);
        let producers = things.entry(name.to_owned()).or_default();
        if !name.is_empty() && !producers.contains(&producer) && producers.len() < MANY {
            producers.push(producer);
        }
    };
    for row in rows {
        let producer = ids.named(&row.todo).map(|(index, _)| index);
        let spans = code_spans::spans(&row.produces);
        if spans.is_empty() {
            for name in row.produces.split(',') {
                add(name.split('(').next().unwrap_or(name), producer);
            }
        }
        for span in spans {
            add(row.produces.get(span.inner.start..span.inner.end).unwrap_or_default(), producer);
        }
    }
    for (index, task) in tasks.iter().enumerate() {
        for output in &task.outputs {
            add(&output.name, Some(index));
        }
    }
    things
}

/// The number of producers kept for one product.
const MANY: usize = 16;
