//! The Parallelization table: groups that may run together. It is only a hint.

use super::section::Sections;
use crate::Plan;
use crate::deps::ids::Ids;
use crate::deps::requires::{self, cell};
use markdown::{Outline, Table};
use wire::TaskId;

/// A named group of tasks.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) members: Vec<usize>,
}

/// Reads the groups into the plan's strategy and its tasks.
pub(crate) fn read(outline: &Outline, sections: &Sections, ids: &Ids, plan: &mut Plan) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut left = BUDGET;
    let tables = outline.tables.iter().filter(|table| !sections.hold(table.at.start));
    for table in tables {
        let Some((name, todos)) = columns(outline, table) else { continue };
        for row in table.rows.iter().skip(1) {
            let text = cell(outline, row.get(todos).copied());
            let members = requires::tasks(&text, ids);
            let Some(rest) = left.checked_sub(members.len()) else { return groups };
            left = rest;
            let chain = text.contains('→') || text.contains("->");
            let listed: Vec<TaskId> = members
                .iter()
                .filter_map(|index| plan.tasks.get(*index))
                .map(|task| task.id.clone())
                .collect();
            let Some(strategy) = plan.strategy.as_mut().filter(|_| listed.len() > 1) else { continue };
            if chain {
                strategy.serial.push(listed);
                continue;
            }
            strategy.parallel.push(listed);
            let name = cell(outline, row.get(name).copied());
            let name = name.split('(').next().unwrap_or_default().trim().to_owned();
            for index in &members {
                if let Some(task) =
                    plan.tasks.get_mut(*index).filter(|_| name.contains(char::is_alphanumeric))
                {
                    task.group = Some(name.clone());
                }
            }
            groups.push(Group { name, members });
        }
    }
    groups
}

/// The number of tasks that all groups together may name; no real plan has more.
const BUDGET: usize = 200_000;

/// The group with this name.
pub(crate) fn find<'g>(groups: &'g [Group], name: &str) -> Option<&'g Group> {
    let name = name.trim();
    groups.iter().find(|group| !name.is_empty() && group.name.eq_ignore_ascii_case(name))
}

fn columns(outline: &Outline, table: &Table) -> Option<(usize, usize)> {
    let header = requires::header(outline, table);
    let name = header.iter().position(|title| title == "group")?;
    let todos = header.iter().position(|title| title.starts_with("todo") || title.starts_with("task"))?;
    Some((name, todos))
}
