//! Which of the tasks that wait for nothing may run now: the plan's strategy, or the one that was asked for.
//!
//! A strategy may hold tasks back; it never lets one through that its dependencies hold.

use crate::plan::Sheet;
use graph::{Graph, View};
use std::collections::HashMap;
use wire::plan::Model;

/// A strategy, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Strategy {
    pub(crate) model: Model,
    pub(crate) from: String,
    /// Whether a task that failed stops those behind it, dependent or not.
    strict: bool,
}

impl Strategy {
    /// The one that was asked for, else the plan's, else that of its dialect.
    pub(crate) fn of(sheet: &Sheet<'_>, asked: Option<Model>) -> Self {
        let dialect = sheet.source.dialect.as_str();
        let strict = matches!(dialect, "handoff" | "runbook");
        let (model, from) = match (asked, &sheet.strategy) {
            // The source of this dialect allows no other.
            _ if dialect == "handoff" => (Model::Sequential, "required by the dialect 'handoff'".to_owned()),
            (Some(model), _) => (model, "asked for".to_owned()),
            (None, Some(s)) if s.stated => (s.model, "stated by the plan".to_owned()),
            (None, Some(s)) => (s.model, format!("default of the dialect '{dialect}'")),
            (None, None) => (by_dialect(dialect), format!("default of the dialect '{dialect}'")),
        };
        Self { model, from, strict }
    }

    /// The strategy's name.
    pub(crate) fn word(&self) -> &'static str {
        match self.model {
            Model::Sequential => "sequential",
            Model::Parallel => "parallel",
            Model::Phased => "phased",
            Model::Tdd => "tdd",
            Model::Auto => "auto",
        }
    }

    /// Links that the strategy adds to the plan's own.
    pub(crate) fn links(&self, sheet: &Sheet<'_>) -> Vec<(u32, u32)> {
        let mut links = if self.model == Model::Tdd { cycles(sheet) } else { Vec::new() };
        links.extend(chains(sheet));
        links
    }

    /// Of the tasks that wait for nothing, in document order, those that may run now, and the rule that decided;
    /// `able` says which of them can be handed out at all.
    pub(crate) fn allowed(
        &self,
        sheet: &Sheet<'_>,
        view: &View<'_>,
        free: &[usize],
        able: &dyn Fn(usize) -> bool,
    ) -> (Vec<usize>, String) {
        let first_able = || free.iter().copied().find(|i| able(*i));
        match self.model {
            Model::Parallel => (free.to_vec(), "parallel: everything that waits for nothing".to_owned()),
            Model::Phased => phased(sheet, view, free),
            Model::Sequential | Model::Tdd => {
                let next = if self.strict { free.first().copied() } else { first_able() };
                (
                    next.into_iter().collect(),
                    format!("{}: one after the other, in the order of the list", self.word()),
                )
            }
            Model::Auto => auto(sheet, free, first_able()),
        }
    }
}

fn by_dialect(dialect: &str) -> Model {
    match dialect {
        "plan-md" | "" => Model::Parallel,
        "workflow" => Model::Auto,
        _ => Model::Sequential,
    }
}

/// Only tasks of the earliest phase that is not finished.
fn phased(sheet: &Sheet<'_>, view: &View<'_>, free: &[usize]) -> (Vec<usize>, String) {
    let mut order: Vec<&str> = sheet.phases.iter().map(String::as_str).collect();
    for phase in sheet.tasks.iter().filter_map(|t| t.phase.as_deref()) {
        if !order.contains(&phase) {
            order.push(phase);
        }
    }
    let rank: HashMap<&str, usize> = order.iter().enumerate().map(|(i, p)| (*p, i)).collect();
    let rank_of = |i: usize| sheet.tasks[i].phase.as_deref().and_then(|p| rank.get(p).copied());
    let open = (0..sheet.tasks.len()).filter(|i| !view.is_settled(index(*i)) && !sheet.tasks[*i].optional);
    let current = open.filter_map(rank_of).min();
    let allowed = free.iter().copied().filter(|i| rank_of(*i).is_none_or(|r| Some(r) <= current)).collect();
    let name = current.and_then(|r| order.get(r)).copied().unwrap_or_default();
    (allowed, format!("phased: phase '{name}' is not finished"))
}

/// The fallback of the source workflow: together if of one group, alone if risky, else one after the other.
fn auto(sheet: &Sheet<'_>, free: &[usize], first: Option<usize>) -> (Vec<usize>, String) {
    let Some(first) = first else { return (Vec::new(), "auto".to_owned()) };
    if sheet.tasks[first].is_risky() {
        return (vec![first], "auto: critical or of high risk, so alone".to_owned());
    }
    let Some(group) = sheet.tasks[first].group.as_deref() else {
        return (vec![first], "auto: in no group, so one after the other".to_owned());
    };
    let same = |i: &usize| sheet.tasks[*i].group.as_deref() == Some(group) && !sheet.tasks[*i].is_risky();
    let together = free.iter().copied().filter(same).collect();
    (together, format!("auto: same group '{group}' and no dependency, so together"))
}

/// Chains that the plan wants in their order.
fn chains(sheet: &Sheet<'_>) -> Vec<(u32, u32)> {
    let Some(strategy) = sheet.strategy.as_ref().filter(|s| !s.serial.is_empty()) else { return Vec::new() };
    let known: HashMap<&str, u32> =
        sheet.tasks.iter().enumerate().map(|(i, t)| (&*t.id.0, index(i))).collect();
    let pair = |pair: &[wire::TaskId]| Some((*known.get(pair[1].as_str())?, *known.get(pair[0].as_str())?));
    strategy.serial.iter().flat_map(|chain| chain.windows(2).filter_map(pair)).collect()
}

/// RED before GREEN before REFACTOR, within a phase, group or container.
fn cycles(sheet: &Sheet<'_>) -> Vec<(u32, u32)> {
    let part = |title: &str| {
        let has = |word: &str| title.split(|c: char| !c.is_ascii_alphabetic()).any(|w| w == word);
        [("RED", 0usize), ("GREEN", 1), ("REFACTOR", 2)]
            .into_iter()
            .find(|(word, _)| has(word))
            .map(|(_, rank)| rank)
    };
    // The last task of each part, by phase, group and container.
    let mut last: HashMap<[Option<&str>; 3], [Option<usize>; 3]> = HashMap::new();
    let mut links = Vec::new();
    for (i, task) in sheet.tasks.iter().enumerate() {
        let Some(rank) = part(&task.title) else { continue };
        let seen =
            last.entry([task.phase.as_deref(), task.group.as_deref(), task.parent.as_deref()]).or_default();
        if let Some(before) = seen[..rank].iter().rev().find_map(|s| *s) {
            links.push((index(i), index(before)));
        }
        seen[rank] = Some(i);
    }
    links
}

/// The graph with the links that a strategy adds; links that would make a loop with the plan's own are left out.
pub(crate) fn linked(graph: Graph, links: &[(u32, u32)]) -> Graph {
    if links.is_empty() {
        return graph;
    }
    let with = graph.clone().with_links(links);
    if with.cycle().is_none() { with } else { graph }
}

/// An index as the graph has it.
pub(crate) fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}
