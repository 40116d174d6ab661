//! Which of the tasks that wait for nothing may run now: the plan's strategy, or the one that was asked for.
//!
//! A strategy may hold tasks back; it never lets one through that its dependencies hold.

use crate::plan::PlanView;
use crate::plan::item::{Item, index};
use config::profile::Profile;
use graph::model::rules::{self, Placed};
use graph::{Graph, View};
use wire::State;
use wire::plan::{Kind, Model};

/// A strategy, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Strategy {
    pub(crate) model: Model,
    pub(crate) from: String,
    /// Whether a task that failed stops those behind it, dependent or not.
    pub(crate) strict: bool,
}

/// What there is to choose from.
pub(crate) struct Choice<'a> {
    pub(crate) sheet: &'a PlanView<'a>,
    pub(crate) view: &'a View<'a>,
    /// The tasks that wait for no other, in document order.
    pub(crate) free: &'a [usize],
    /// Those of them that can be handed out.
    pub(crate) able: &'a [usize],
    /// Those of them that a live process works on.
    pub(crate) running: &'a [usize],
}

impl Strategy {
    /// The one that was asked for, else the plan's, else that of its profile, else that of its dialect; the profile may
    /// allow no other than its own.
    pub(crate) fn of(sheet: &PlanView<'_>, profile: &Profile, asked: Option<Model>) -> Self {
        let dialect = sheet.source.dialect.as_str();
        let stated = sheet.strategy.as_ref().map(|strategy| (strategy.model, strategy.stated));
        // A plan that names no dialect was made by a program, which states every dependency.
        let unnamed = if dialect.is_empty() { Model::Parallel } else { Model::Sequential };
        let usual = profile.strategy.or(stated.map(|(model, _)| model)).unwrap_or(unnamed);
        let (model, from) = match (asked, stated) {
            _ if profile.strategy_is_fixed => (usual, format!("required by the dialect '{dialect}'")),
            (Some(model), _) => (model, "asked for".to_owned()),
            (None, Some((model, true))) => (model, "stated by the plan".to_owned()),
            (None, _) => (usual, format!("default of the dialect '{dialect}'")),
        };
        Self { model, from, strict: profile.failure_stops_list }
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

    /// The plan's graph with what the plan and the strategy mean beyond the declared dependencies.
    pub(crate) fn linked(&self, sheet: &PlanView<'_>, mut graph: Graph) -> Graph {
        let placed = || sheet.tasks.iter().map(placed);
        if let Some(strategy) = &sheet.strategy {
            let ids = sheet.tasks.iter().map(|t| &*t.id.0);
            graph = graph.with_rule(&rules::serial(&strategy.serial, ids));
        }
        if sheet.tasks.iter().any(|t| t.kind == Kind::Checkpoint) {
            graph = graph.with_rule(&rules::checkpoints(placed()));
        }
        if self.model == Model::Tdd {
            graph = graph.with_rule(&rules::test_first(placed()));
        }
        graph
    }

    /// The tasks that may run now, and the rule that decided.
    pub(crate) fn allowed(&self, choice: &Choice<'_>) -> (Vec<usize>, String) {
        match self.model {
            Model::Parallel => {
                (choice.able.to_vec(), "parallel: everything that waits for nothing".to_owned())
            }
            Model::Phased => phased(choice),
            Model::Sequential | Model::Tdd => self.next(choice),
            Model::Auto => auto(choice),
        }
    }

    /// One at a time, in the order of the list.
    fn next(&self, choice: &Choice<'_>) -> (Vec<usize>, String) {
        let word = self.word();
        if let Some(busy) = choice.running.first() {
            let rule = format!("{word}: task '{}' is running", &*choice.sheet.tasks[*busy].id);
            return (Vec::new(), rule);
        }
        let first = if self.strict { choice.free.first() } else { choice.able.first() };
        let before = |i: usize| choice.sheet.tasks[..i].iter().find(|t| t.state == State::Failed);
        if let Some(failed) = first.filter(|_| self.strict).and_then(|i| before(*i)) {
            return (Vec::new(), format!("{word}: task '{}' before it has failed", &*failed.id));
        }
        let next = first.copied().filter(|i| choice.able.binary_search(i).is_ok());
        (next.into_iter().collect(), format!("{word}: one after the other, in the order of the list"))
    }
}

fn placed<'a>(item: &'a Item<'_>) -> Placed<'a> {
    let more = item.more();
    Placed {
        id: &item.id,
        title: &item.title,
        kind: item.kind,
        phase: more.phase.as_deref(),
        group: more.group.as_deref(),
        parent: more.parent.as_deref(),
        optional: item.optional,
    }
}

/// Only tasks of the earliest phase that is not finished, one at a time where that phase says so.
fn phased(choice: &Choice<'_>) -> (Vec<usize>, String) {
    let tasks = &choice.sheet.tasks;
    let (names, ranks) = rules::phases(
        choice.sheet.phases.iter().map(|phase| &*phase.id),
        tasks.iter().map(|t| t.more().phase.as_deref()),
    );
    let open = (0..tasks.len()).filter(|i| !choice.view.is_settled(index(*i)) && !tasks[*i].optional);
    let Some(current) = open.filter_map(|i| ranks[i]).min() else {
        return (
            choice.able.to_vec(),
            "phased: no phase is left, everything that waits for nothing".to_owned(),
        );
    };
    let name = &names[current as usize];
    let is_of_it = |i: &usize| ranks[*i] == Some(current);
    let may = |i: &usize| ranks[*i].is_none_or(|rank| rank <= current);
    let mut allowed: Vec<usize> = choice.able.iter().copied().filter(may).collect();
    if !choice.sheet.phases.iter().any(|phase| phase.id == **name && phase.is_sequential()) {
        return (allowed, format!("phased: phase '{name}' is not finished"));
    }
    let mut is_taken = choice.running.iter().any(is_of_it);
    allowed.retain(|i| !is_of_it(i) || !std::mem::replace(&mut is_taken, true));
    (allowed, format!("phased: phase '{name}' is not finished, and runs one after the other"))
}

/// The fallback of the source workflow: together if of one group, alone if risky, else one after the other. What is
/// running already decides for those that would join it.
fn auto(choice: &Choice<'_>) -> (Vec<usize>, String) {
    let more = |i: usize| choice.sheet.tasks[i].more();
    let Some(&first) = choice.running.first().or(choice.able.first()) else {
        return (Vec::new(), "auto".to_owned());
    };
    let alone = || choice.able.iter().copied().filter(|i| *i == first).collect();
    if more(first).is_risky() {
        return (alone(), "auto: critical or of high risk, so alone".to_owned());
    }
    let Some(group) = more(first).group.as_deref() else {
        return (alone(), "auto: in no group, so one after the other".to_owned());
    };
    let same = |i: &usize| more(*i).group.as_deref() == Some(group) && !more(*i).is_risky();
    let together = choice.able.iter().copied().filter(same).collect();
    (together, format!("auto: same group '{group}' and no dependency, so together"))
}
