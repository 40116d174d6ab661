//! The edges between tasks: from the Dependency Graph, and from references in the inputs.
//!
//! A row may require a product by its name; this means the task that produces it, according to the graph or to its
//! outputs. `all` means every other task that does not itself wait for this one.

use super::graph::{Things, rows, things};
use super::parallel::{self, Group};
use super::section::Sections;
use super::task::Link;
use crate::Plan;
use crate::deps::ids::{self, Ids};
use crate::deps::requires::{self, Need};
use crate::formats::workflows::plan_md::graph::GraphRow;
use markdown::Outline;
use std::collections::{HashMap, HashSet};
use wire::Task;
use wire::plan::{Diagnostic, Kind, Severity};

/// Reads the dependencies of all tasks.
pub(crate) fn read(
    outline: &Outline,
    sections: &Sections,
    ids: &Ids,
    groups: &[Group],
    links: &[Option<Box<Link>>],
    plan: &mut Plan,
) {
    let rows = rows(outline, sections);
    let mut edges = Edges {
        outline,
        ids,
        groups,
        tasks: &plan.tasks,
        things: things(&rows, ids, &plan.tasks),
        to: HashMap::new(),
        all: Vec::new(),
        left: BUDGET,
        found: Vec::new(),
    };
    for row in &rows {
        let named = match ids.named(&row.todo) {
            Some((index, _)) => vec![index],
            // `1-3`: one row for several tasks.
            None => requires::tasks(&row.todo, ids),
        };
        if named.is_empty() {
            edges.unknown_row(row);
        }
        for index in named {
            edges.require(index, &row.requires, row.at);
        }
    }
    let links = || links.iter().enumerate().filter_map(|(index, link)| Some((index, link.as_deref()?)));
    for (index, link) in links() {
        for (text, at) in &link.depends {
            edges.require(index, text, *at);
        }
    }
    edges.expand_all();
    edges.inputs(links());
    let Edges { to, found, .. } = edges;
    plan.diagnostics.extend(found);
    for (index, to) in to {
        let mut to: Vec<_> = to.into_iter().collect();
        to.sort_unstable();
        let ids = to.into_iter().filter_map(|index| plan.tasks.get(index)).map(|task| task.id.clone());
        let ids = ids.collect();
        if let Some(task) = plan.tasks.get_mut(index) {
            task.depends_on = ids;
        }
    }
}

/// For how many `all` tasks to compute the tasks that wait for them.
const MANY: usize = 16;

/// The number of edges that ranges, groups and `all` may add; no real plan has more.
const BUDGET: usize = 1_000_000;

struct Edges<'e, 'o> {
    outline: &'e Outline<'o>,
    ids: &'e Ids,
    groups: &'e [Group],
    tasks: &'e [Task],
    things: Things,
    /// The dependencies of each task; most have none.
    to: HashMap<usize, HashSet<usize>>,
    /// Tasks that need all others, whether only work tasks, and where they say so.
    all: Vec<(usize, bool, usize)>,
    /// How many more edges rows that name many tasks at once may add.
    left: usize,
    found: Vec<Diagnostic>,
}

impl Edges<'_, '_> {
    fn require(&mut self, task: usize, text: &str, at: usize) {
        for need in requires::needs(text, self.ids) {
            match need {
                Need::Task(index) => {
                    self.add(task, index);
                }
                Need::Range(first, last) => self.add_all(task, first..=last, at),
                Need::All { work } => self.all.push((task, work, at)),
                Need::Unknown(id) => {
                    let message = format!("requires task '{id}', which does not exist");
                    self.report(Severity::Error, "unknown-dependency", &message, task, at);
                }
                Need::Group(name) => self.group(task, &name, at),
                Need::Thing(name) => self.thing(task, &name, at),
            }
        }
    }

    fn group(&mut self, task: usize, name: &str, at: usize) {
        let Some(group) = parallel::find(self.groups, name) else {
            let message = format!("requires group '{name}', which is not known");
            return self.report(Severity::Warning, "unresolved-requirement", &message, task, at);
        };
        let members: Vec<_> = group.members.iter().copied().filter(|index| *index != task).collect();
        self.add_all(task, members, at);
    }

    fn thing(&mut self, task: usize, name: &str, at: usize) {
        let producers = match self.things.get(name) {
            Some(producers) => producers.clone(),
            None => self.begins_with(name),
        };
        let others: Vec<_> = producers.iter().flatten().copied().filter(|index| *index != task).collect();
        if producers.is_empty() {
            let message =
                format!("requires '{name}', which no task produces: no dependency is taken from it");
            return self.report(Severity::Warning, "unresolved-requirement", &message, task, at);
        }
        if others.len() > 1 {
            let message =
                format!("requires '{name}', which several tasks produce: all of them are waited for");
            self.report(Severity::Warning, "ambiguous-requirement", &message, task, at);
        }
        for index in others {
            self.add(task, index);
        }
    }

    /// A product of a row that is not a task, named here by a shorter name.
    fn begins_with(&self, name: &str) -> Vec<Option<usize>> {
        let known = self.things.iter().take(4096).any(|(thing, producers)| {
            producers.contains(&None)
                && (thing.starts_with(name) || name.starts_with(thing.as_str()))
                && !thing.is_empty()
        });
        if known { vec![None] } else { Vec::new() }
    }

    /// Adds an edge; returns whether it is new.
    fn add(&mut self, task: usize, on: usize) -> bool {
        self.to.entry(task).or_default().insert(on)
    }

    /// Adds the edges of a row that names many tasks at once, within the budget.
    fn add_all(&mut self, task: usize, on: impl IntoIterator<Item = usize>, at: usize) {
        for index in on {
            if self.left <= 1 {
                if std::mem::take(&mut self.left) == 1 {
                    let message = "is one too many that requires a great number of others";
                    self.report(Severity::Error, "too-many-edges", message, task, at);
                }
                return;
            }
            self.left -= 1;
            self.add(task, index);
        }
    }

    fn expand_all(&mut self) {
        let mut all = std::mem::take(&mut self.all);
        all.sort_unstable();
        all.dedup_by_key(|(task, ..)| *task);
        let takers: HashSet<usize> = all.iter().map(|(task, ..)| *task).collect();
        for (number, (task, work, at)) in all.iter().copied().enumerate() {
            // Computing the waiting tasks is limited to the first `MANY`; after that, `all` means all tasks before
            // this one.
            let end = if number < MANY { self.tasks.len() } else { task };
            let waiting = if number < MANY { self.waiting_for(task) } else { HashSet::new() };
            let tasks = self.tasks;
            let wanted = (0..end).filter(|index| {
                let later_taker = takers.contains(index) && *index > task;
                let fits = !work || tasks.get(*index).is_some_and(|other| other.kind == Kind::Work);
                *index != task && !later_taker && fits && !waiting.contains(index)
            });
            self.add_all(task, wanted, at);
            if self.left == 0 {
                return;
            }
        }
    }

    /// The tasks that wait for `task`, directly or through others.
    fn waiting_for(&self, task: usize) -> HashSet<usize> {
        let mut by: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, to) in &self.to {
            for on in to {
                by.entry(*on).or_default().push(*index);
            }
        }
        let mut waiting = HashSet::new();
        let mut open = vec![task];
        while let Some(node) = open.pop() {
            for next in by.get(&node).into_iter().flatten() {
                if *next != task && waiting.insert(*next) {
                    open.push(*next);
                }
            }
        }
        waiting
    }

    fn inputs<'l>(&mut self, links: impl Iterator<Item = (usize, &'l Link)>) {
        for (task, link) in links {
            let is_task =
                |id: &str| self.ids.get(id).is_some() || id.starts_with(|c: char| c.is_ascii_digit());
            let products: Vec<_> = link.products.iter().filter(|(id, _)| is_task(id)).collect();
            for (producer, at) in link.inputs.iter().chain(products) {
                let Some(on) = self.ids.get(producer) else {
                    let message = format!("takes an input from task '{producer}', which does not exist");
                    self.report(Severity::Error, "unknown-dependency", &message, task, *at);
                    continue;
                };
                if self.add(task, on) {
                    let message =
                        format!("waits for task '{producer}' because of an input; the graph does not say so");
                    self.report(Severity::Hint, "edge-from-inputs", &message, task, *at);
                }
            }
        }
    }

    fn unknown_row(&mut self, row: &GraphRow) {
        let todo = row.todo.trim_matches(['*', '`', ' ']);
        if ids::word(todo).is_empty() {
            return;
        }
        let message = format!("the dependency graph has a row for '{todo}', which is no task: left out");
        let found = self.outline.diagnostic(Severity::Warning, "unknown-row", message, row.at);
        self.found.push(found);
    }

    fn report(&mut self, severity: Severity, code: &'static str, message: &str, task: usize, at: usize) {
        let id = self.tasks.get(task).map(|task| task.id.clone());
        let name = id.as_ref().map_or("", |id| id.as_str());
        let mut found = self.outline.diagnostic(severity, code, format!("task '{name}' {message}"), at);
        found.task = id;
        self.found.push(found);
    }
}
