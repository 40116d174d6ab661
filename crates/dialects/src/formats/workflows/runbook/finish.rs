//! Turns a draft into a plan: models, dependencies, checkpoints between the phases, fingerprints.
//!
//! A checkpoint is a barrier: it waits for its whole phase, and the whole next phase waits for it.

use super::draft::{Draft, Scope, Step};
use super::model::{self, Named};
use crate::Plan;
use crate::formats::workflows::runbook::deps::checkpoints;
use crate::formats::workflows::runbook::deps::index::{Index, Meaning};
use crate::formats::workflows::runbook::deps::phase_order;
use crate::formats::workflows::runbook::deps::{self, Waits};
use crate::formats::workflows::runbook::text::notes;
use crate::read::fingerprint;
use markdown::Outline;
use std::collections::{BTreeSet, HashMap, HashSet};
use wire::TaskId;
use wire::plan::{Kind, Model, Phase, Severity, Strategy};

/// The agent that reviews at the end of a phase, unless the orchestrator plan names another.
const REVIEWER: &str = "vet-fix-agent";

/// The plan of a draft of these texts.
pub(crate) fn plan(mut draft: Draft, sheets: &[Outline]) -> Plan {
    halves(&mut draft);
    let index = Index::new(&draft);
    models(&mut draft, &index);
    let waits = deps::resolve(&mut draft, &index);
    let ranks = ranks(&mut draft, sheets, &waits);
    link(&mut draft, &waits, &ranks);
    let mut plan = Plan {
        title: draft.title.clone(),
        strategy: Some(strategy(&draft, &index)),
        phases: phases(&draft),
        ..Plan::default()
    };
    if let Some(kind) = &draft.kind {
        plan.extra.insert("type".to_owned(), kind.clone().into());
    }
    if !draft.remarks.is_empty() {
        plan.extra.insert("parallel".to_owned(), draft.remarks.clone().into());
    }
    let mut steps = checkpoints::add(&mut draft, sheets, &ranks);
    for step in &mut steps {
        seal(step, sheets);
    }
    plan.tasks = steps.into_iter().map(|step| step.task).collect();
    for task in plan.tasks.iter_mut().filter(|task| task.kind == Kind::Checkpoint) {
        task.agent.get_or_insert_with(|| REVIEWER.to_owned());
    }
    plan.diagnostics = draft.diagnostics;
    notes::take(sheets, &mut plan);
    plan
}

/// Two cycles with the same number, one RED and one GREEN, are the two halves of one cycle.
fn halves(draft: &mut Draft) {
    let mut seen: HashMap<TaskId, Vec<usize>> = HashMap::new();
    for (index, step) in draft.steps.iter().enumerate() {
        seen.entry(step.task.id.clone()).or_default().push(index);
    }
    let twice = seen.into_values().filter(|places| places.len() == 2).flatten();
    for index in twice.collect::<BTreeSet<_>>() {
        let Some(step) = draft.steps.get_mut(index) else { continue };
        let word = step.task.title.split([' ', ':', '—']).next().unwrap_or_default();
        let half = match word.to_uppercase().as_str() {
            "RED" => "test",
            "GREEN" => "impl",
            _ => continue,
        };
        let message = format!("cycle '{}' has two headings; this half is '{0}-{half}'", step.task.id);
        let id = format!("{}-{half}", step.task.id);
        let place = wire::plan::Place { path: step.task.span.path.clone(), line: step.task.span.line };
        step.task.key = wire::ids::key_of(&id);
        step.task.id = TaskId(id);
        draft.diagnostics.push(model::at(Severity::Warning, "split-cycle", message, &place, &step.task.id));
    }
}

/// Gives every step the models named for several steps, then decides on one per step.
fn models(draft: &mut Draft, index: &Index) {
    let mut phases: HashMap<String, Vec<Named>> = HashMap::new();
    let mut all: Vec<Named> = Vec::new();
    for (scope, named) in std::mem::take(&mut draft.models) {
        match scope {
            Scope::All => all.push(named),
            Scope::Phase(phase) => phases.entry(phase).or_default().push(named),
            Scope::Refs(refs) => {
                for meaning in refs.iter().map(|found| index.find(found)) {
                    match meaning {
                        Meaning::Steps(steps) => steps.into_iter().for_each(|at| name(draft, at, &named)),
                        Meaning::Phases(ids) => {
                            for id in ids {
                                phases.entry(id).or_default().push(named.clone());
                            }
                        }
                        Meaning::Nothing(_) | Meaning::TooMany(_) => {}
                    }
                }
            }
        }
    }
    all.sort_by_key(|named| named.from);
    for step in draft.steps.iter_mut().filter(|step| step.task.kind != Kind::Checkpoint) {
        let phase = step.task.phase.as_ref().and_then(|phase| phases.get(phase));
        step.named.extend(phase.into_iter().flatten().cloned());
        step.named.extend(all.first().cloned());
        if step.headed && !step.named.iter().any(|named| named.from.is_of_preparation()) {
            step.named.clear();
        }
        model::decide(&mut step.task, &mut step.named, &mut draft.diagnostics);
        let inline = step.task.extra.get("form").is_some_and(|form| form == "inline");
        if step.task.model.is_none() && !inline && step.task.kind == Kind::Work {
            draft.diagnostics.push(model::missing(step, Severity::Warning));
        }
    }
}

fn name(draft: &mut Draft, step: usize, named: &Named) {
    if let Some(step) = draft.steps.get_mut(step) {
        step.named.push(named.clone());
    }
}

/// The rank of each phase in execution order.
fn ranks(draft: &mut Draft, sheets: &[Outline], waits: &Waits) -> Vec<usize> {
    let count = draft.phases.len();
    let plain: Vec<usize> = (0..count).collect();
    let ranks = phase_order::of(count, &waits.order);
    if ranks.as_ref() == Some(&plain) {
        return plain;
    }
    let phase =
        waits.order.iter().find(|(phase, before)| before > phase).and_then(|pair| draft.phases.get(pair.0));
    if let (Some(phase), Some(sheet)) = (phase, phase.and_then(|phase| sheets.get(phase.sheet))) {
        let (severity, code, message) = if let Some(ranks) = &ranks {
            let mut ids: Vec<(usize, &str)> =
                ranks.iter().copied().zip(draft.phases.iter().map(|phase| phase.id.as_str())).collect();
            ids.sort_unstable();
            let ids: Vec<_> = ids.into_iter().take(MANY).map(|(_, id)| id).collect();
            let message =
                format!("phase {} waits for a later one: the order is {}", phase.id, ids.join(", "));
            (Severity::Warning, "phase-order", message)
        } else {
            (Severity::Error, "phase-cycle", format!("phase {} and others wait for each other", phase.id))
        };
        draft.diagnostics.push(sheet.diagnostic(severity, code, message, phase.line.start));
    }
    ranks.unwrap_or(plain)
}

/// The number of phases that a message lists by name.
const MANY: usize = 100;

/// Writes the dependencies between steps into the tasks.
fn link(draft: &mut Draft, waits: &Waits, ranks: &[usize]) {
    let ends = checkpoints::ends(draft, ranks);
    let ids: Vec<TaskId> = draft.steps.iter().map(|step| step.task.id.clone()).collect();
    let known: HashSet<&TaskId> = ids.iter().collect();
    for (index, step) in draft.steps.iter_mut().enumerate() {
        let on = waits.steps.get(index).into_iter().flatten().filter_map(|on| ids.get(*on));
        let phases = waits.phases.get(index).into_iter().flatten().filter_map(|phase| ends.get(phase));
        let mut seen: BTreeSet<TaskId> = step.task.depends_on.iter().cloned().collect();
        for id in on.chain(phases.flatten()) {
            if seen.insert(id.clone()) {
                step.task.depends_on.push(id.clone());
            }
        }
        // The later part of a cycle waits for the earlier part.
        for (part, earlier) in [("-impl", "-test"), ("-impl", "-bootstrap"), ("-test", "-bootstrap")] {
            let before =
                step.task.id.as_str().strip_suffix(part).map(|stem| TaskId(format!("{stem}{earlier}")));
            if let Some(before) =
                before.filter(|before| known.contains(before) && seen.insert(before.clone()))
            {
                step.task.depends_on.push(before);
            }
        }
    }
}

fn strategy(draft: &Draft, index: &Index) -> Strategy {
    let steps = |group: &Vec<deps::refs::Ref>| -> Vec<TaskId> {
        let found = group.iter().map(|found| index.find(found));
        let places =
            found.flat_map(|meaning| if let Meaning::Steps(steps) = meaning { steps } else { Vec::new() });
        places.filter_map(|step| Some(draft.steps.get(step)?.task.id.clone())).collect()
    };
    let parallel = draft.parallel.iter().map(steps).filter(|group| group.len() > 1).collect();
    Strategy {
        model: Model::Sequential,
        stated: false,
        reason: "the dialect's default".to_owned(),
        parallel,
        serial: draft.serial.iter().map(steps).filter(|chain| chain.len() > 1).collect(),
        critical_path: Vec::new(),
    }
}

fn phases(draft: &Draft) -> Vec<Phase> {
    let mut models: HashMap<&str, &str> = HashMap::new();
    for step in &draft.steps {
        let of_phase = step.named.iter().find(|named| named.from == model::From::Phase);
        if let (Some(phase), Some(named)) = (step.task.phase.as_deref(), of_phase) {
            models.entry(phase).or_insert(&named.model);
        }
    }
    let phases = draft.phases.iter();
    phases
        .map(|phase| Phase {
            id: phase.id.clone(),
            title: phase.title.clone(),
            kind: phase.kind.clone(),
            model: models.get(phase.id.as_str()).map(|model| (*model).to_owned()),
            strategy: None,
            scope: phase.scope.clone(),
        })
        .collect()
}

/// Computes the fingerprint, once the dependencies are known.
fn seal(step: &mut Step, sheets: &[Outline]) {
    if let Some(outline) = sheets.get(step.sheet) {
        step.task.fingerprint = fingerprint::of(outline, step.at, step.line, &step.task.depends_on);
    }
}
