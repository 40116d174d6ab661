//! The checkpoints between the phases.
//!
//! Every phase but the last ends with a checkpoint; the last one does if the text asks for it. A checkpoint waits for
//! its whole phase, and the whole next phase waits for it, so no step can pass it.

use crate::context;
use crate::formats::workflows::runbook::draft::{Draft, Step};
use markdown::{Extent, Outline};
use std::collections::{HashMap, HashSet};
use wire::plan::Kind;
use wire::{Task, TaskId, ids};

/// The id of a phase's checkpoint.
pub(crate) fn id(phase: &str) -> TaskId {
    TaskId(format!("checkpoint-{phase}"))
}

/// For each phase with steps, the tasks to wait for when waiting for the phase: its checkpoint, or all its steps.
pub(crate) fn ends(draft: &Draft, ranks: &[usize]) -> HashMap<String, Vec<TaskId>> {
    let last = last(draft, ranks);
    let mut ends: HashMap<String, Vec<TaskId>> = HashMap::new();
    for step in &draft.steps {
        let Some(phase) = &step.task.phase else { continue };
        let stated = draft.rank(phase).and_then(|at| draft.phases.get(at)).is_some_and(|phase| phase.stated);
        let end = ends.entry(phase.clone()).or_default();
        if stated || Some(phase.as_str()) != last.as_deref() {
            if end.is_empty() {
                end.push(id(phase));
            }
        } else {
            end.push(step.task.id.clone());
        }
    }
    ends
}

/// All steps in execution order, with the checkpoints between them.
pub(crate) fn add(draft: &mut Draft, sheets: &[Outline], ranks: &[usize]) -> Vec<Step> {
    let last = last(draft, ranks);
    let mut groups: Vec<Vec<Step>> = ranks.iter().map(|_| Vec::new()).collect();
    let mut loose = Vec::new();
    for step in std::mem::take(&mut draft.steps) {
        let rank =
            step.task.phase.as_deref().and_then(|phase| draft.rank(phase)).and_then(|at| ranks.get(at));
        match rank.and_then(|rank| groups.get_mut(*rank)) {
            Some(group) => group.push(step),
            None => loose.push(step),
        }
    }
    let mut all: Vec<Step> = loose;
    let mut before: Option<TaskId> = None;
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by_key(|phase| ranks.get(*phase));
    for (phase, mut group) in order.into_iter().zip(groups) {
        let Some(phase) = draft.phases.get(phase).filter(|_| !group.is_empty()) else { continue };
        midway(&mut group);
        for step in &mut group {
            step.task
                .depends_on
                .extend(before.clone().filter(|before| !step.task.depends_on.contains(before)));
        }
        let ends = phase.stated || Some(phase.id.as_str()) != last.as_deref();
        before = ends.then(|| id(&phase.id));
        let end = before.clone().and_then(|id| checkpoint(phase, id, &group, sheets));
        all.append(&mut group);
        all.extend(end);
    }
    all
}

/// The last phase in execution order.
fn last(draft: &Draft, ranks: &[usize]) -> Option<String> {
    let used: HashSet<&str> = draft.steps.iter().filter_map(|step| step.task.phase.as_deref()).collect();
    let phases = draft.phases.iter().zip(ranks).filter(|(phase, _)| used.contains(phase.id.as_str()));
    phases.max_by_key(|(_, rank)| **rank).map(|(phase, _)| phase.id.clone())
}

/// A checkpoint within a phase waits for the steps before it.
fn midway(group: &mut [Step]) {
    let mut before: Vec<TaskId> = Vec::new();
    let mut barrier: Option<TaskId> = None;
    for step in group {
        step.task
            .depends_on
            .extend(barrier.clone().filter(|barrier| !step.task.depends_on.contains(barrier)));
        if step.task.kind == Kind::Checkpoint {
            step.task.depends_on.append(&mut before);
            barrier = Some(step.task.id.clone());
        } else {
            before.push(step.task.id.clone());
        }
    }
}

fn checkpoint(
    phase: &crate::formats::workflows::runbook::draft::Phase,
    id: TaskId,
    group: &[Step],
    sheets: &[Outline],
) -> Option<Step> {
    let (sheet, at) = phase.boundary.unwrap_or((phase.sheet, phase.line));
    let outline = sheets.get(sheet)?;
    let report = context::beside(outline.path, &format!("reports/{id}-vet.md"));
    let task = Task {
        report_path: Some(report).filter(|_| outline.path != "-"),
        key: ids::key_of(id.as_str()),
        id,
        title: format!("Phase {} checkpoint", phase.id),
        kind: Kind::Checkpoint,
        phase: Some(phase.id.clone()),
        depends_on: group.iter().map(|step| step.task.id.clone()).collect(),
        span: outline.span(at),
        ..Task::default()
    };
    let line = Extent { start: at.start, end: at.start };
    Some(Step { task, number: None, sheet, at, line, named: Vec::new(), headed: false })
}
