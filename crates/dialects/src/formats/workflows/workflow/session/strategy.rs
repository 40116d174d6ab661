//! The strategy of a session, from its plan and its list, and their contradictions to the dependencies.
//!
//! A declared dependency takes precedence over prose: a chain that says the reverse is left out, with a warning.

use crate::Plan;
use crate::formats::workflows::workflow::session::impl_plan::StatedOrder;
use crate::formats::workflows::workflow::session::phases::{self, StatedPhase, Way};
use markdown::Outline;
use std::collections::HashMap;
use wire::TaskId;
use wire::plan::{Diagnostic, Kind, Model, Phase, Severity, Strategy};

/// The strategy if nothing is stated.
pub(crate) fn fallback() -> Strategy {
    Strategy {
        model: Model::Auto,
        stated: false,
        reason: "the dialect's default".to_owned(),
        parallel: Vec::new(),
        serial: Vec::new(),
        critical_path: Vec::new(),
    }
}

/// Adds the statements of one text to the plan's strategy; earlier statements stay.
pub(crate) fn take(outline: &Outline, mut said: StatedOrder, plan: &mut Plan) {
    let mut strategy = plan.strategy.take().unwrap_or_else(fallback);
    let mut found = Vec::new();
    let words = said.model.as_ref().map(|(_, text, _)| text.clone()).unwrap_or_default();
    if let Some((model, text, offset)) = said.model.take().filter(|_| !strategy.stated) {
        strategy.model = model;
        strategy.stated = true;
        strategy.reason = format!("{}:{}: {text}", outline.path, outline.line(offset));
    } else if let Some((text, offset)) = said.unknown.take().filter(|_| !strategy.stated) {
        let message = format!("unknown execution model '{text}'");
        found.push(outline.diagnostic(Severity::Warning, "unknown-model", message, offset));
    }
    said.serial.extend(said.phases.iter().flat_map(StatedPhase::chained));
    comes_after(&mut said);
    if strategy.model == Model::Phased && !of_phases(outline, said.phases, &words, plan, &mut found) {
        let message = "the execution model is phased, but neither this text nor the list names the tasks of two phases: the \
                       tasks run one after the other; write 'Phase 1: A, B', one line a phase";
        found.push(outline.diagnostic(Severity::Warning, "no-phases", message.to_owned(), 0));
        strategy.model = Model::Sequential;
    }
    for (text, offset) in said.not_understood.iter().take(NAMED) {
        let message = format!(
            "this statement about the order of tasks is not understood and not taken: '{text}'; write 'A → B' or 'A before B'"
        );
        found.push(outline.diagnostic(Severity::Warning, "order-not-understood", message, *offset));
    }
    let order = Order::new(plan);
    if let Some((_, offset)) = said.serial.get(CHAINS) {
        let message = format!("more than {CHAINS} chains are stated: the rest is not taken");
        found.push(outline.diagnostic(Severity::Warning, "too-many-chains", message, *offset));
    }
    for (chain, offset) in said.serial.into_iter().take(CHAINS) {
        if let Some(chain) = known(outline, &order, chain, offset, &mut found)
            && !order.reverses(outline, &chain, offset, &mut found)
            && !strategy.serial.contains(&chain)
        {
            strategy.serial.push(chain);
        }
    }
    for (group, offset) in said.parallel {
        let Some(group) = known(outline, &order, group, offset, &mut found) else { continue };
        order.is_together(outline, &group, &strategy.serial, offset, &mut found);
        if !strategy.parallel.contains(&group) {
            strategy.parallel.push(group);
        }
    }
    if strategy.critical_path.is_empty() {
        strategy.critical_path = said.critical.into_iter().map(TaskId).collect();
        strategy.critical_path.retain(|id| order.index.contains_key(id));
    }
    plan.strategy = Some(strategy);
    plan.diagnostics.extend(found);
}

/// How many statements are named that are not understood.
const NAMED: usize = 50;

/// Adds the pairs of tasks that a phase which comes after another one means.
fn comes_after(said: &mut StatedOrder) {
    for phase in &said.phases {
        for name in &phase.after {
            let Some(before) =
                said.phases.iter().find(|other| other.title == *name && !other.tasks.is_empty())
            else {
                said.not_understood.push((format!("{} after {name}", phase.title), phase.offset));
                continue;
            };
            let pairs =
                before.tasks.iter().flat_map(|first| phase.tasks.iter().map(move |then| [first, then]));
            let pairs = pairs.filter(|[first, then]| first != then);
            said.serial.extend(pairs.map(|pair| (pair.map(String::clone).to_vec(), phase.offset)));
        }
    }
}

impl StatedPhase {
    /// The chains of its lines.
    fn chained(&self) -> impl Iterator<Item = (Vec<String>, usize)> {
        self.chains.iter().map(|chain| (chain.clone(), self.offset))
    }
}

/// Divides the tasks into the phases of the text, or leaves those of the list; no if that makes fewer than two. A phase in
/// which no task is named says nothing, and a task belongs to the first phase that names it.
fn of_phases(
    outline: &Outline,
    stated: Vec<StatedPhase>,
    model: &str,
    plan: &mut Plan,
    found: &mut Vec<Diagnostic>,
) -> bool {
    let mut of: HashMap<String, String> = HashMap::new();
    let mut phases: Vec<Phase> = Vec::new();
    let listed = |title: &str| {
        let same = plan.phases.iter().find(|phase| phases::title_of(&phase.title).as_deref() == Some(title));
        same.and_then(|phase| phase.strategy.clone())
    };
    // `Phased Sequential`: each phase that does not say otherwise.
    let usual =
        model.split_whitespace().nth(1).and_then(phases::way_of).filter(|way| *way == Way::Sequential);
    for phase in stated {
        let mut any = false;
        for id in phase.tasks {
            let entry = of.entry(id).or_insert_with(|| phase.title.clone());
            any |= *entry == phase.title;
        }
        let way = phase.way.map(|way| way.word().to_owned()).or_else(|| listed(&phase.title));
        let way = way.or_else(|| usual.map(|way| way.word().to_owned()));
        match phases.iter_mut().find(|known| known.id == phase.title) {
            Some(known) => known.strategy = known.strategy.take().or(way),
            None if any => {
                phases.push(Phase {
                    id: phase.title.clone(),
                    title: phase.title,
                    strategy: way,
                    ..Phase::default()
                });
            }
            None => {}
        }
    }
    if phases.len() < 2 {
        let of_list =
            |phase: &&Phase| plan.tasks.iter().any(|task| task.phase.as_deref() == Some(&*phase.id));
        return plan.phases.iter().filter(of_list).count() > 1;
    }
    plan.phases = phases;
    for task in &mut plan.tasks {
        task.phase = of.get(task.id.as_str()).cloned();
        if task.phase.is_none() && task.kind == Kind::Work {
            let message =
                format!("task '{}' is in no phase of this text, and runs after all of them", task.id);
            found.push(outline.diagnostic(Severity::Warning, "task-in-no-phase", message, 0));
            task.phase = Some(NO_PHASE.to_owned());
        }
    }
    true
}

/// The phase of the tasks that a text with phases does not name.
const NO_PHASE: &str = "other tasks";

/// The maximum number of chains: each is compared with all dependencies, so a hostile text must not add too many.
const CHAINS: usize = 2000;

/// The ids that are tasks; an unknown id is reported and left out.
fn known(
    outline: &Outline,
    order: &Order,
    ids: Vec<String>,
    offset: usize,
    found: &mut Vec<Diagnostic>,
) -> Option<Vec<TaskId>> {
    let (known, unknown): (Vec<TaskId>, Vec<TaskId>) =
        ids.into_iter().map(TaskId).partition(|id| order.index.contains_key(id));
    for id in unknown {
        let message = format!("the text names '{id}', which is no task of the list");
        found.push(outline.diagnostic(Severity::Warning, "unknown-reference", message, offset));
    }
    (known.len() > 1).then_some(known)
}

/// The declared dependencies, for lookup.
struct Order {
    index: HashMap<TaskId, usize>,
    needs: Vec<Vec<usize>>,
}

impl Order {
    fn new(plan: &Plan) -> Self {
        let mut index = HashMap::with_capacity(plan.tasks.len());
        for (number, task) in plan.tasks.iter().enumerate() {
            index.entry(task.id.clone()).or_insert(number);
        }
        let needs = plan
            .tasks
            .iter()
            .map(|task| task.depends_on.iter().filter_map(|id| index.get(id).copied()).collect());
        let needs = needs.collect();
        Self { index, needs }
    }

    /// Whether `later` waits for `earlier`, directly or indirectly.
    fn waits(&self, later: &TaskId, earlier: &TaskId) -> bool {
        let (Some(&from), Some(&to)) = (self.index.get(later), self.index.get(earlier)) else { return false };
        let mut seen = vec![false; self.needs.len()];
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            for &next in self.needs.get(at).into_iter().flatten() {
                if next == to {
                    return true;
                }
                if let Some(slot) = seen.get_mut(next).filter(|slot| !**slot) {
                    *slot = true;
                    open.push(next);
                }
            }
        }
        false
    }

    fn reverses(
        &self,
        outline: &Outline,
        chain: &[TaskId],
        offset: usize,
        found: &mut Vec<Diagnostic>,
    ) -> bool {
        for pair in chain.windows(2) {
            let [first, second] = pair else { continue };
            if self.waits(first, second) {
                let message = format!(
                    "the text puts '{first}' before '{second}', but '{first}' depends on it: left out"
                );
                found.push(outline.diagnostic(Severity::Warning, "order-contradiction", message, offset));
                return true;
            }
        }
        false
    }

    /// Reports the first pair of a group that cannot run together.
    fn is_together(
        &self,
        outline: &Outline,
        group: &[TaskId],
        serial: &[Vec<TaskId>],
        offset: usize,
        found: &mut Vec<Diagnostic>,
    ) {
        let in_chain =
            |a: &TaskId, b: &TaskId| serial.iter().any(|chain| chain.contains(a) && chain.contains(b));
        let pairs =
            group.iter().enumerate().flat_map(|(at, a)| group.iter().skip(at + 1).map(move |b| (a, b)));
        for (a, b) in pairs.take(PAIRS) {
            let why = if self.waits(b, a) || self.waits(a, b) {
                "one depends on the other"
            } else if in_chain(a, b) {
                "the text also puts one before the other"
            } else {
                continue;
            };
            let message = format!("'{a}' and '{b}' are said to run together, but {why}");
            found.push(outline.diagnostic(Severity::Warning, "parallel-contradiction", message, offset));
            return;
        }
    }
}

/// How many pairs of one group to check.
const PAIRS: usize = 500;
