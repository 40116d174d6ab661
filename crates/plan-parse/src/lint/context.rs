//! The input of the rules: the plan, its text, and the dependencies.

use super::Rule;
use crate::sources::{self, Sources};
use graph::Graph;
use markdown::{Extent, Outline, Text};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use wire::plan::{Diagnostic, Offer, Severity};
use wire::{Plan, Task, TaskId};

/// The input of the rules.
pub(crate) struct LintContext<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) sources: &'a Sources,
    pub(crate) outlines: Vec<Outline<'a>>,
    graph: Option<Graph>,
    ids: HashMap<String, usize>,
    /// The dependents of each task, for the tasks queried so far.
    waiting: RefCell<HashMap<usize, Vec<u32>>>,
    /// The remaining budget of visited tasks: a hostile plan must not take forever.
    left: Cell<usize>,
}

impl<'a> LintContext<'a> {
    /// The plan, which has no errors, with its text.
    pub(crate) fn new(plan: &'a Plan, sources: &'a Sources) -> Self {
        let files = plan.source.files.iter().filter(|file| sources::is_text(&file.path));
        let texts =
            files.filter_map(|file| Some(Text { path: &file.path, bytes: sources.bytes(&file.path)? }));
        let outlines = texts.map(|text| Outline::new(&text)).collect();
        let ids = plan.tasks.iter().enumerate();
        let ids = ids.map(|(index, task)| (task.id.as_str().to_lowercase(), index)).collect();
        Self {
            plan,
            sources,
            outlines,
            graph: Graph::of(plan).ok(),
            ids,
            waiting: RefCell::default(),
            left: Cell::new(BUDGET),
        }
    }

    /// The task with that id, ignoring case.
    pub(crate) fn task(&self, id: &str) -> Option<usize> {
        self.ids.get(&id.to_lowercase()).copied()
    }

    /// Whether plans of its dialect follow the template that some rules are about.
    pub(crate) fn has_template(&self) -> bool {
        dialects::row(&self.plan.source.dialect).has_template
    }

    /// Whether one task waits for another, directly or not; `None` counts as no.
    pub(crate) fn waits(&self, task: usize, other: usize) -> Option<bool> {
        let graph = self.graph.as_ref()?;
        let (task, from) = (u32::try_from(task).ok()?, u32::try_from(other).ok()?);
        if let Some(known) = self.waiting.borrow().get(&other) {
            return Some(known.binary_search(&task).is_ok());
        }
        // Charge the budget before the search: one task may have every other as a dependent.
        let left = self.left.get().checked_sub(self.plan.tasks.len().min(MOST))?;
        let reached = graph.reachable_from(from);
        self.left.set(left.saturating_sub(reached.len()));
        let answer = reached.binary_search(&task).is_ok();
        self.waiting.borrow_mut().insert(other, reached);
        Some(answer)
    }

    /// The text of a task's section.
    pub(crate) fn body(&self, task: &Task) -> Option<Body<'_, 'a>> {
        let outline = self.outlines.iter().find(|outline| task.span.path == outline.path)?;
        let at = Extent { start: offset(task.span.start), end: offset(task.span.end) };
        Some(Body { outline, start: at.start, text: outline.str(at) })
    }
}

/// The maximum number of tasks visited in all searches together.
const BUDGET: usize = 50_000_000;

/// The maximum charge for a search in advance.
const MOST: usize = 1000;

/// The text of a section.
pub(crate) struct Body<'g, 'a> {
    outline: &'g Outline<'a>,
    start: usize,
    pub(crate) text: &'g str,
}

impl Body<'_, '_> {
    /// A finding at an offset in the text.
    pub(crate) fn finding(&self, task: &Task, at: usize, message: String) -> Finding {
        let place = self.outline.diagnostic(Severity::Warning, "", message, self.start + at);
        Finding { place: Diagnostic { task: Some(task.id.clone()), ..place } }
    }
}

/// A place where a rule is broken.
pub(crate) struct Finding {
    place: Diagnostic,
}

impl Finding {
    /// A finding about a task as a whole.
    pub(crate) fn of(task: &Task, message: String) -> Self {
        let at = task.mark.as_ref().unwrap_or(&task.span);
        Self::at(&at.path, at.line, Some(task), message)
    }

    /// A finding about the plan as a whole.
    pub(crate) fn whole(plan: &Plan, message: String) -> Self {
        let path = plan.source.files.first().map_or(&plan.source.path, |file| &file.path);
        Self::at(path, 1, None, message)
    }

    /// A finding of a rule at an offset of a text.
    pub(crate) fn within(outline: &Outline, at: usize, message: String) -> Self {
        Self { place: outline.diagnostic(Severity::Warning, "", message, at) }
    }

    /// A finding about a criterion, with the change that would settle it.
    pub(crate) fn offered(task: Option<&TaskId>, message: String, offer: Offer) -> Self {
        let mut finding = Self::at(&offer.span.path, offer.span.line, None, message);
        finding.place.task = task.cloned();
        finding.place.offer = Some(Box::new(offer));
        finding
    }

    fn at(path: &str, line: u64, task: Option<&Task>, message: String) -> Self {
        let place = Diagnostic {
            severity: Severity::Warning,
            code: String::new(),
            message,
            path: path.into(),
            line,
            column: task.map(|_| 1),
            task: task.map(|task| task.id.clone()),
            offer: None,
        };
        Self { place }
    }

    pub(crate) fn into_diagnostic(self, rule: &Rule) -> Diagnostic {
        Diagnostic { severity: rule.severity, code: rule.code.to_owned(), ..self.place }
    }
}

fn offset(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}
