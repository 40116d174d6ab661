//! One task of a report, from what the plan says and what the ledger tells.

use crate::plain::clip;
use crate::stand;
use crate::story::Story;
use crate::survey::checks_with;
use std::path::Path;
use toolkit::fs;
use toolkit::root::inside;
use wire::history::{Attempt, Check};
use wire::order::Worker;
use wire::plan::Criterion;
use wire::report::{Line, Proof};
use wire::{State, Task};

/// The longest text of a worker that is kept.
const LONG: usize = 20_000;

/// The task; where it stands among the others is not known here.
pub(crate) fn of(task: &Task, story: &Story) -> Line {
    let checks: Vec<Check> = task.criteria.iter().map(|criterion| check(criterion, story)).collect();
    let open = !task.state.is_settled();
    let mut line = Line {
        id: task.id.clone(),
        title: task.title.clone(),
        kind: task.kind,
        state: task.state,
        proof: proof(task, story),
        phase: task.phase.clone(),
        parent: task.parent.clone(),
        depends_on: task.depends_on.clone(),
        agent: task.agent.clone(),
        attempts: story.attempts,
        criteria: crate::figures::count(task.criteria.len()),
        worker_ms: story.worker_ms,
        gate_ms: story.gate_ms,
        begun_at: story.begun_at.clone(),
        last_at: story.last_at.clone(),
        commit: story.commit.clone(),
        false_claims: story.false_claims.iter().cloned().collect(),
        halt: story.standing.halt.as_ref().filter(|_| open).map(|(halt, _)| halt.clone()),
        reason: story
            .overridden
            .clone()
            .or_else(|| story.skipped.clone())
            .or_else(|| stand::is_left_out(task, story).then(|| "optional, left out".to_owned()))
            .filter(|r| !r.is_empty()),
        checks,
        history: story.history.iter().map(|attempt| placed(attempt, &task.key)).collect(),
        older: story.older,
        card: story.card.clone(),
        report: task.report_path.clone(),
        files: story.files.iter().cloned().collect(),
        outdated: story.outdated,
        ..Line::default()
    };
    line.passed = checks_with(&line, "pass");
    line.manual = checks_with(&line, "manual");
    line
}

fn proof(task: &Task, story: &Story) -> Proof {
    match task.state {
        State::Completed if story.overridden.is_some() => Proof::Overridden,
        State::Completed if story.standing.tick.is_some() || story.reproved => Proof::Verified,
        State::Completed => Proof::Unverified,
        _ => Proof::None,
    }
}

/// A criterion with the last that was measured.
fn check(criterion: &Criterion, story: &Story) -> Check {
    let last = story.latest.get(&criterion.id);
    let (status, measured) = match (last, &criterion.skip, story.decided.get(&criterion.id)) {
        (Some(latest), ..) => (latest.status, latest.measured.clone()),
        (None, _, Some(reason)) => ("decided", Some(reason.clone())),
        (None, Some(reason), _) => ("skip", Some(reason.clone())),
        (None, None, _) if !criterion.runnable => ("manual", None),
        (None, None, _) => ("open", None),
    };
    Check {
        id: criterion.id.clone(),
        category: criterion.category.clone(),
        text: criterion.text.clone(),
        status: status.to_owned(),
        measured,
    }
}

/// An attempt with where its files are.
fn placed(attempt: &Attempt, key: &str) -> Attempt {
    let folder = format!(".plantools/work/{}/{key}/{}", attempt.run, attempt.number);
    Attempt {
        prompt: Some(format!("{folder}/prompt.md")),
        log: Some(format!("{folder}/stdout.log")),
        ..attempt.clone()
    }
}

/// Fills in what the workers said, from their saved results.
pub(crate) fn read_results(root: &Path, line: &mut Line) {
    for attempt in &mut line.history {
        let folder = attempt.prompt.as_deref().and_then(|prompt| prompt.strip_suffix("prompt.md"));
        let name = folder.map(|folder| format!("{folder}result.json"));
        // Most have none in the end: to see that takes one look, and many to see that a path does not leave the root.
        let name = name.filter(|name| root.join(name).exists());
        let path = name.and_then(|name| inside(root, &name).ok());
        let bytes = path.and_then(|path| fs::read_if_there(&path).ok().flatten());
        let Some(worker) = bytes.and_then(|b| serde_json::from_slice::<Worker>(&b).ok()) else { continue };
        attempt.summary = clip(&worker.summary, LONG);
        attempt.model = worker.runtime_model_reported.as_deref().map(|model| clip(model, 200));
        attempt.mode = worker.runtime_mode_reported.as_deref().map(|mode| clip(mode, 200));
        attempt.claims = worker.claims;
        attempt.cost = worker.cost.or(attempt.cost);
        for claim in &mut attempt.claims {
            claim.description = clip(&claim.description, 500);
            claim.command = clip(&claim.command, 500);
            claim.reason = clip(&claim.reason, 500);
        }
    }
}
