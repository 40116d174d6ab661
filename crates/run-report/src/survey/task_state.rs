//! The state of each task, from plan and records together.

use crate::survey::task_story::Story;
use dialects::write::has_checks;
use graph::Graph;
use ledger::leases::RenewalWatch;
use toolkit::files::root::Home;
use wire::order::{FITTER_RED, NOT_ACCEPTED};
use wire::plan::Kind;
use wire::report::Stand;
use wire::{Plan, State, Task};

/// One state for each task. A task that waits for one that failed, is blocked or is for a person is blocked itself.
pub(crate) fn all(plan: &Plan, graph: Option<&Graph>, stories: &[Story], home: &Home) -> Vec<Stand> {
    let own = plan.tasks.iter().zip(stories);
    let mut stands: Vec<Stand> = own.map(|(task, story)| of(task, story, home)).collect();
    let Some(graph) = graph else { return stands };
    for i in graph.topological().unwrap_or_default() {
        let at = i as usize;
        if graph.is_container(i) {
            stands[at] = family(graph.children(i).iter().map(|&child| stands[child as usize]), stands[at]);
            if matches!(stands[at], Stand::Done | Stand::Skipped) && is_left_to_prove(&plan.tasks[at]) {
                stands[at] = Stand::Pending;
            }
        }
        let above = std::iter::successors(Some(i), |&who| graph.parent(who));
        let mut waits = above.flat_map(|who| graph.dependencies(who));
        if stands[at] == Stand::Pending && waits.any(|&d| holds(stands[d as usize])) {
            stands[at] = Stand::Blocked;
        }
    }
    stands
}

/// The state of a task by itself.
fn of(task: &Task, story: &Story, home: &Home) -> Stand {
    match task.state {
        State::Completed if story.overridden.is_some() => Stand::Overridden,
        State::Completed if story.standing.standing_tick().is_some() || story.reproved => Stand::Done,
        State::Completed => Stand::Unverified,
        State::Skipped => Stand::Skipped,
        State::Failed => Stand::Failed,
        State::Blocked => Stand::Blocked,
        State::Pending | State::InProgress if is_running(story, home) => Stand::Running,
        State::Pending | State::InProgress => match &story.standing.halt {
            _ if story.escalated => Stand::Human,
            Some((halt, _)) if halt.code == "escalated" => Stand::Human,
            Some((halt, _)) if halt.counts || halt.code == FITTER_RED => Stand::Failed,
            Some((halt, _)) if halt.code == NOT_ACCEPTED => Stand::Waiting,
            _ if is_left_out(task, story) => Stand::Skipped,
            _ if task.kind == Kind::Human => Stand::Human,
            _ => Stand::Pending,
        },
    }
}

/// Whether it is optional and was never begun.
pub(crate) fn is_left_out(task: &Task, story: &Story) -> bool {
    task.optional && task.state == State::Pending && story.begun_at.is_none()
}

/// Whether it is a container with checks of its own, which must pass before its tick.
fn is_left_to_prove(task: &Task) -> bool {
    !task.state.is_settled() && task.mark.is_some() && has_checks(task)
}

/// Whether the process of the last attempt is still alive, or sends heartbeats from elsewhere, and nothing was
/// decided.
fn is_running(story: &Story, home: &Home) -> bool {
    let undecided = story.standing.open.is_some() || story.standing.ended.is_some();
    undecided && RenewalWatch::once().is_good(home, &story.owner, supervise::processes::alive)
}

/// Whether the tasks that depend on it cannot go on without a person.
fn holds(stand: Stand) -> bool {
    matches!(stand, Stand::Failed | Stand::Blocked | Stand::Human)
}

/// A container has the state of its children; one without children its own.
fn family(children: impl Iterator<Item = Stand>, own: Stand) -> Stand {
    let children: Vec<Stand> = children.collect();
    let any = |wanted: fn(Stand) -> bool| children.iter().any(|&stand| wanted(stand));
    match () {
        () if children.is_empty() => own,
        () if any(|stand| stand == Stand::Running) => Stand::Running,
        () if any(holds) => Stand::Blocked,
        () if any(|stand| stand == Stand::Waiting) => Stand::Waiting,
        () if any(|stand| stand == Stand::Pending) => Stand::Pending,
        () if any(|stand| stand == Stand::Unverified) => Stand::Unverified,
        () if any(|stand| stand == Stand::Overridden) => Stand::Overridden,
        () if any(|stand| stand == Stand::Done) => Stand::Done,
        () => Stand::Skipped,
    }
}
