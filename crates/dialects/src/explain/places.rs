//! The positions of everything that the plan took from one text.

use super::look;
use crate::Plan;
use crate::lists::described;
use crate::sections::{Role, Sections};
use markdown::{Extent, Outline};
use std::collections::{HashMap, HashSet};
use wire::Task;
use wire::plan::Span;

/// The content of the plan, by position.
pub(crate) struct Places {
    /// Where each thing begins, and what it is; in order.
    known: Vec<(usize, String)>,
    /// The sections of the tasks, ordered by start, with the task's index.
    sections: Vec<(Extent, usize)>,
    /// The sections open at the current offset, and the index of the next one.
    open: Vec<(Extent, usize)>,
    next: usize,
    /// Where boxes explain marks.
    legends: Vec<usize>,
    /// The diagnostics of each line.
    said: HashMap<u64, String>,
    /// The words and numbers at the beginning of the task lines, and all ids.
    names: HashSet<(&'static str, String)>,
    words: HashSet<&'static str>,
    ids: HashSet<String>,
    /// Whether this plan has task headings without a box.
    pub(crate) bare_headings: bool,
    /// Whether this plan has task headings with a box.
    pub(crate) boxed_headings: bool,
}

impl Places {
    pub(crate) fn new(outline: &Outline, plan: &Plan) -> Self {
        let own = |span: &Span| span.path == outline.path;
        let mut known: Vec<(usize, String)> = Vec::new();
        let mut sections = Vec::new();
        for (index, task) in plan.tasks.iter().enumerate() {
            let name = || format!("task '{}', {}", task.id, task.state.word());
            if let Some(mark) = task.mark.as_ref().filter(|mark| own(mark)) {
                known.push((offset(mark.start), name()));
            }
            if own(&task.span) {
                known.push((offset(task.span.start), name()));
                let at = Extent { start: offset(task.span.start), end: offset(task.span.end) };
                sections.push((at, index));
            }
            // A prepared step has a file of its own, but the runbook describes it too; a box may stand apart from its text.
            if let Some(span) = described::span(task).filter(own) {
                let at = Extent { start: offset(span.start), end: offset(span.end) };
                let place = if task.span.path == span.path {
                    format!("described, with its box on line {}", task.span.line)
                } else {
                    format!("prepared in {}", task.span.path)
                };
                known.push((at.start, format!("{}, {place}", name())));
                sections.push((at, index));
            }
            for criterion in task.criteria.iter().filter(|criterion| own(&criterion.span)) {
                let name = format!("criterion '{}'", criterion.id);
                known.push((offset(criterion.span.start), name));
            }
        }
        for gate in plan.gates.iter().filter(|gate| own(&gate.span)) {
            known.push((offset(gate.span.start), format!("gate '{}'", gate.id)));
        }
        let roles = roles(outline);
        for note in plan.notes.iter().filter(|note| own(&note.span)) {
            let below =
                if note.section.is_empty() { String::new() } else { format!(" below '{}'", note.section) };
            let what = roles.get(&offset(note.span.start)).map_or("note", |role| role.of_plan());
            known.push((offset(note.span.start), format!("{what}{below}")));
        }
        let mut legends: Vec<usize> =
            roles.iter().filter(|(_, role)| **role == Role::Legend).map(|(at, _)| *at).collect();
        legends.sort_unstable();
        known.sort_by_key(|(at, _)| *at);
        sections.sort_by_key(|(at, _)| (at.start, std::cmp::Reverse(at.end)));
        let said = plan.diagnostics.iter().filter(|found| found.path == outline.path);
        let said = said.map(|found| (found.line, format!("{} [{}]", found.message, found.code))).collect();
        let mut headings = plan.tasks.iter().filter(|task| starts_with_heading(outline, &task.span));
        // A status further down is not the heading's box.
        let boxed = |task: &Task| task.mark.as_ref().is_some_and(|mark| mark.line == task.span.line);
        let boxed_headings = headings.clone().any(boxed);
        let bare_headings = headings.any(|task| !boxed(task));
        let names: HashSet<_> = sections
            .iter()
            .filter_map(|(at, _)| look::names(outline.str(*at).lines().next()?))
            .map(|(word, id)| (word, id.to_owned()))
            .collect();
        Self {
            known,
            sections,
            open: Vec::new(),
            next: 0,
            legends,
            said,
            words: names.iter().map(|(word, _)| *word).collect(),
            names,
            ids: plan.tasks.iter().map(|task| task.id.0.clone()).collect(),
            bare_headings,
            boxed_headings,
        }
    }

    /// Whether a line within a task names a task in the style of this plan that does not exist: then the line is not
    /// part of the surrounding task but a lost task. A longer number, `1.2.3` within `1.2`, is a part.
    pub(crate) fn names_lost(&self, line: &str, holder: &str) -> bool {
        let Some((word, id)) = look::names(line).filter(|(word, _)| self.words.contains(word)) else {
            return false;
        };
        let part = id.strip_prefix(holder).is_some_and(|rest| rest.starts_with(['.', '-']));
        !part && !self.ids.contains(id) && !self.names.contains(&(word, id.to_owned()))
    }

    /// Whether a line has the number and the name of a task, as a summary does.
    pub(crate) fn repeats(&self, line: &str, plan: &Plan) -> bool {
        let Some((word, id)) = look::names(line) else { return false };
        let named = |task: &Task| !task.title.is_empty() && line.contains(task.title.as_str());
        self.names.contains(&(word, id.to_owned())) && plan.tasks.iter().any(named)
    }

    /// The part of the plan that begins in a line.
    pub(crate) fn known(&self, line: Extent) -> Option<String> {
        let first = self.known.partition_point(|(at, _)| *at < line.start);
        self.known.get(first).filter(|(at, _)| *at < line.end).map(|(_, name)| name.clone())
    }

    /// Whether a line has a box that explains a mark.
    pub(crate) fn is_legend(&self, line: Extent) -> bool {
        let first = self.legends.partition_point(|at| *at < line.start);
        self.legends.get(first).is_some_and(|at| *at < line.end)
    }

    /// The diagnostic of a line.
    pub(crate) fn said(&self, line: u64) -> Option<String> {
        self.said.get(&line).cloned()
    }

    /// The innermost task whose section contains an offset. Calls must come in ascending order.
    pub(crate) fn task_at(&mut self, offset: usize) -> Option<usize> {
        while let Some(section) = self.sections.get(self.next).filter(|(at, _)| at.start <= offset) {
            self.open.push(*section);
            self.next += 1;
        }
        while self.open.last().is_some_and(|(at, _)| at.end <= offset) {
            self.open.pop();
        }
        self.open.last().map(|(_, task)| *task)
    }
}

/// The role of each box, by the offset of its mark.
fn roles(outline: &Outline) -> HashMap<usize, Role> {
    let roles = Sections::new(outline).items();
    let boxed = outline.items.iter().zip(roles);
    boxed.filter_map(|(item, (role, _))| Some((item.mark?.start, role))).collect()
}

fn starts_with_heading(outline: &Outline, span: &Span) -> bool {
    span.path == outline.path && outline.bytes.get(offset(span.start)) == Some(&b'#')
}

fn offset(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}
