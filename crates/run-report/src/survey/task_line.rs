//! One task of a report, from plan and ledger.

use crate::plain_text::clip;
use crate::survey::checks_with;
use crate::survey::task_state;
use crate::survey::task_story::Story;
use serde_json::Value;
use std::path::Path;
use toolkit::files::fs;
use toolkit::files::root::inside;
use wire::history::{Attempt, Check, Ran};
use wire::order::{Halt, Worker};
use wire::plan::Criterion;
use wire::report::{Line, Proof};
use wire::{State, Task};

/// The longest text of a worker that is kept.
const LONG: usize = 20_000;

/// The task; its state relative to the others is not known here.
pub(crate) fn of(task: &Task, story: &Story) -> Line {
    let checks: Vec<Check> = task.criteria.iter().map(|criterion| check(criterion, story)).collect();
    let open = !task.state.is_settled();
    let mut line = Line {
        id: task.id.clone(),
        title: task.title.clone(),
        kind: task.kind,
        state: task.state,
        proof: proof(task, story),
        level: if task.state == State::Completed { story.level } else { story.waits_at },
        phase: task.phase.clone(),
        parent: task.parent.clone(),
        depends_on: task.depends_on.clone(),
        agent: task.agent.clone(),
        attempts: story.attempts,
        criteria: crate::survey::figures::count(task.criteria.len()),
        worker_ms: story.worker_ms,
        gate_ms: story.gate_ms,
        begun_at: story.begun_at.clone(),
        last_at: story.last_at.clone(),
        commit: story.commit.clone(),
        false_claims: story.false_claims.iter().cloned().collect(),
        halt: standing_halt(task, story).filter(|_| open),
        reason: story
            .overridden
            .clone()
            .or_else(|| story.skipped.clone())
            .or_else(|| story.given_up.clone().filter(|_| task.state == State::Failed))
            .or_else(|| task_state::is_left_out(task, story).then(|| "optional, left out".to_owned()))
            .filter(|r| !r.is_empty()),
        checks,
        history: story.history.iter().map(|attempt| placed(attempt, task, story)).collect(),
        reviews: story.reviews.clone(),
        fixed: story.fixed.iter().cloned().collect(),
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

/// Why the task stands as it does. A state that was written into the plan by hand says nothing of the reason: where that
/// is a failure, the last attempt has it.
fn standing_halt(task: &Task, story: &Story) -> Option<Halt> {
    let own = story.standing.halt.as_ref().map(|(halt, _)| halt.clone());
    let last = || story.history.last().and_then(|attempt| attempt.halt.clone());
    own.or_else(|| if matches!(task.state, State::Failed | State::Blocked) { last() } else { None })
}

fn proof(task: &Task, story: &Story) -> Proof {
    match task.state {
        State::Completed if story.overridden.is_some() => Proof::Overridden,
        State::Completed if story.standing.standing_tick().is_some() || story.reproved => Proof::Verified,
        State::Completed => Proof::Unverified,
        _ => Proof::None,
    }
}

/// A criterion with its last measured result.
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
        command: criterion.command.clone().filter(|_| criterion.runnable),
        before: story.before.get(&criterion.id).cloned(),
        origin: criterion.command.as_ref().and_then(|command| story.adopted.get(command)).copied(),
    }
}

/// An attempt with the paths of its files, and its gates with their results before the work.
fn placed(attempt: &Attempt, task: &Task, story: &Story) -> Attempt {
    let folder = format!(".plantools/work/{}/{}/{}", attempt.run, task.key, attempt.number);
    let is_own = |ran: &Ran| task.criteria.iter().any(|criterion| criterion.id == ran.id);
    let gate = |ran: &Ran| {
        let before = story.before.get(&ran.id).filter(|_| !is_own(ran)).cloned();
        Ran { before, ..ran.clone() }
    };
    Attempt {
        gates: attempt.gates.iter().map(gate).collect(),
        prompt: Some(format!("{folder}/prompt.md")),
        log: Some(format!("{folder}/stdout.log")),
        ..attempt.clone()
    }
}

/// The numbers and short words of what a worker says about tests.
fn figures_of(tests: &Value) -> Value {
    let short = |value: &&Value| value.is_number() || value.as_str().is_some_and(|text| text.len() < 40);
    let known = ["added", "modified", "coverage"].iter().filter_map(|name| {
        let value = tests.get(*name).filter(short)?;
        Some(((*name).to_owned(), value.clone()))
    });
    let known: serde_json::Map<String, Value> = known.collect();
    if known.is_empty() { Value::Null } else { Value::Object(known) }
}

/// Fills in the workers' summaries from their saved results.
pub(crate) fn read_results(root: &Path, line: &mut Line) {
    for attempt in &mut line.history {
        let folder = attempt.prompt.as_deref().and_then(|prompt| prompt.strip_suffix("prompt.md"));
        let name = folder.map(|folder| format!("{folder}result.json"));
        // Most attempts have no result file in the end: checking that first takes one look, resolving the path
        // many.
        let name = name.filter(|name| root.join(name).exists());
        let path = name.and_then(|name| inside(root, &name).ok());
        let bytes = path.and_then(|path| fs::read_if_there(&path).ok().flatten());
        let Some(worker) = bytes.and_then(|b| serde_json::from_slice::<Worker>(&b).ok()) else { continue };
        attempt.summary = clip(&worker.summary, LONG);
        attempt.model = worker.runtime_model_reported.as_deref().map(|model| clip(model, 200));
        attempt.model_match = worker.model_match;
        attempt.mode = worker.runtime_mode_reported.as_deref().map(|mode| clip(mode, 200));
        attempt.claims = worker.claims;
        // Only figures: a worker's own words on its tests stand in its summary.
        attempt.tests = figures_of(&worker.tests);
        attempt.cost = worker.cost.or(attempt.cost);
        attempt.tokens = worker.tokens.or(attempt.tokens);
        for claim in &mut attempt.claims {
            claim.description = clip(&claim.description, 500);
            claim.command = clip(&claim.command, 500);
            claim.reason = clip(&claim.reason, 500);
        }
    }
}
