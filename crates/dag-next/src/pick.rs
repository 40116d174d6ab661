//! Which tasks are handed out now.

use crate::plan::{Item, Sheet};
use graph::{Graph, Node};
use std::collections::HashMap;
use toolkit::Fail;
use toolkit::standing::{Standing, Try};
use wire::order::{Resume, ResumeStep, Why};
use wire::plan::Kind;
use wire::{Answer, RunId, State, TaskId};

/// What was asked for.
pub(crate) struct Asked<'a> {
    pub(crate) run: &'a RunId,
    pub(crate) now: &'a str,
    pub(crate) max_attempts: u32,
    pub(crate) jobs: u32,
    pub(crate) only: Option<&'a str>,
}

/// What is handed out, and how things stand.
pub(crate) struct Picked {
    pub(crate) ready: Vec<Ready>,
    pub(crate) answer: Answer,
    /// For each task that could have been next but is held back: its index and why.
    pub(crate) held: Vec<(usize, String)>,
}

/// One task to hand out.
pub(crate) struct Ready {
    pub(crate) index: usize,
    pub(crate) attempt: u32,
    pub(crate) why: Why,
    pub(crate) resume: Option<Resume>,
    pub(crate) last_failure: Option<serde_json::Value>,
}

/// Chooses the tasks to hand out.
pub(crate) fn pick(
    sheet: &Sheet<'_>,
    standings: &HashMap<TaskId, Standing>,
    asked: &Asked<'_>,
) -> Result<Picked, Fail> {
    let graph = graph_of(sheet)?;
    let only = only_index(sheet, asked.only)?;
    let none = Standing::default();
    let standing = |item: &Item<'_>| standings.get(&item.id).unwrap_or(&none);
    let view = graph.view_with(offered(sheet));
    let critical = view.chains(true).on_critical_path();
    let mut picked = Picked { ready: Vec::new(), answer: Answer::Stuck, held: Vec::new() };
    let mut waiting = false;
    for index in view.ready().into_iter().map(|i| i as usize) {
        let item = &sheet.tasks[index];
        if only.is_some_and(|wanted| wanted != index) {
            continue;
        }
        match held_back(item, standing(item), asked) {
            Some(Held::For(reason)) => picked.held.push((index, reason)),
            Some(Held::Until(reason)) => {
                waiting = true;
                picked.held.push((index, reason));
            }
            None if picked.ready.len() >= asked.jobs as usize => {
                picked.held.push((index, "ready, but no job is free in this round".to_owned()));
            }
            None if clashes(sheet, &picked.ready, item, standings) => {
                picked.held.push((index, "ready, but not together with what is handed out now".to_owned()));
            }
            None => {
                let fact = Fact { item, index, standing: standing(item), critical: critical[index] };
                picked.ready.push(ready(sheet, &graph, &fact, asked));
            }
        }
    }
    picked.answer = answer(sheet, &view, &picked, waiting, only);
    Ok(picked)
}

/// A task in progress with no live attempt, and one that is blocked whose dependencies are now completed, are
/// offered like a pending one.
pub(crate) fn offered(sheet: &Sheet<'_>) -> Vec<State> {
    let open = |state| matches!(state, State::InProgress | State::Blocked);
    sheet.tasks.iter().map(|t| if open(t.state) { State::Pending } else { t.state }).collect()
}

/// The graph of a plan, or what is wrong with it.
pub(crate) fn graph_of(sheet: &Sheet<'_>) -> Result<Graph, Fail> {
    let nodes = sheet.tasks.iter().map(|t| Node {
        id: t.id.as_str(),
        state: t.state,
        depends_on: &t.depends_on,
        parent: t.parent.as_ref().map(TaskId::as_str),
        kind: t.kind,
        optional: t.optional,
    });
    let graph = Graph::new(nodes).map_err(|trouble| Fail::data("bad-graph", trouble.to_string()))?;
    if let Some(cycle) = graph.cycle() {
        let names: Vec<_> = cycle.iter().map(|i| sheet.tasks[*i as usize].id.as_str()).collect();
        let first = names.first().copied().unwrap_or_default();
        return Err(Fail::data(
            "cycle",
            format!("tasks wait for each other: {} -> {first}", names.join(" -> ")),
        ));
    }
    Ok(graph)
}

fn only_index(sheet: &Sheet<'_>, only: Option<&str>) -> Result<Option<usize>, Fail> {
    let Some(id) = only else { return Ok(None) };
    let found = sheet.tasks.iter().position(|t| t.id.as_str() == id);
    found.map(Some).ok_or_else(|| {
        let known: Vec<_> = sheet.tasks.iter().take(20).map(|t| t.id.as_str()).collect();
        Fail::usage(format!("there is no task '{id}'; tasks are {}", known.join(", ")))
    })
}

enum Held {
    /// Nothing changes by waiting.
    For(String),
    /// It will pass.
    Until(String),
}

fn held_back(item: &Item<'_>, standing: &Standing, asked: &Asked<'_>) -> Option<Held> {
    if item.kind == Kind::Human {
        return Some(Held::For("for a person".to_owned()));
    }
    if item.optional && asked.only.is_none() {
        return Some(Held::For("optional".to_owned()));
    }
    if let Some(open) = &standing.open
        && let Some((pid, start)) = open.owner
        && supervise::procs::alive(pid, start)
    {
        return Some(Held::Until(format!("attempt {} is running, process {pid}", open.attempt)));
    }
    let not_before = standing.halt.as_ref().and_then(|(halt, _)| halt.not_before.as_deref());
    if let Some(time) = not_before.filter(|time| *time > asked.now) {
        return Some(Held::Until(format!("not before {time}")));
    }
    let unfinished = standing.ended.is_some() || standing.tick.is_some();
    match standing.may_try(asked.run, asked.max_attempts) {
        Try::No if !unfinished => {
            let message = standing.halt.as_ref().map_or("", |(halt, _)| halt.message.as_str());
            Some(Held::For(format!("{} of {} attempts used: {message}", standing.spent, asked.max_attempts)))
        }
        _ => None,
    }
}

/// Whether a task must not run together with those that are handed out already.
fn clashes(
    sheet: &Sheet<'_>,
    ready: &[Ready],
    item: &Item<'_>,
    standings: &HashMap<TaskId, Standing>,
) -> bool {
    let alone = |item: &Item<'_>| standings.get(&item.id).is_some_and(|s| s.alone);
    let writes = |item: &Item<'_>| -> Vec<String> {
        item.files.iter().filter(|f| f.action != "read").map(|f| f.path.clone()).collect()
    };
    let mine = writes(item);
    ready.iter().any(|r| {
        let other = &sheet.tasks[r.index];
        alone(item) || alone(other) || writes(other).iter().any(|path| mine.contains(path))
    })
}

struct Fact<'a> {
    item: &'a Item<'a>,
    index: usize,
    standing: &'a Standing,
    critical: bool,
}

fn ready(sheet: &Sheet<'_>, graph: &Graph, fact: &Fact<'_>, asked: &Asked<'_>) -> Ready {
    let Fact { item, standing, .. } = fact;
    let id = |i: u32| sheet.tasks[i as usize].id.clone();
    let index = u32::try_from(fact.index).unwrap_or(u32::MAX);
    let names: Vec<_> = item.depends_on.iter().map(TaskId::as_str).collect();
    let done =
        if names.is_empty() { "no dependencies".to_owned() } else { format!("{} done", names.join(", ")) };
    let resume = resume(standing);
    let fix = resume.is_none() && standing.may_try(asked.run, asked.max_attempts) == Try::Fix;
    let attempt = match &resume {
        Some(Resume { step: ResumeStep::Check, .. }) => standing.last_attempt.max(1),
        _ => standing.last_attempt + 1,
    };
    let why = Why {
        ready: done,
        unblocks: graph.unblocks(index).into_iter().map(id).collect(),
        critical: fact.critical,
        rule: rule(item, standing),
        fix,
    };
    Ready { index: fact.index, attempt, why, resume, last_failure: standing.failure.clone() }
}

fn rule(item: &Item<'_>, standing: &Standing) -> String {
    let text = match item.state {
        State::InProgress => "in progress with no live attempt",
        State::Blocked => "blocked, and its dependencies are now completed",
        _ if standing.tick.is_some() => "its box was cleared by hand: checked again, not worked again",
        _ if standing.ended.is_some() => "its worker had ended: checked, not worked again",
        _ if standing.open.is_some() => "its worker was interrupted: tried again",
        _ if standing.spent > 0 => "failed before: tried again",
        _ => "pending",
    };
    text.to_owned()
}

/// What an interrupted attempt still needs.
fn resume(standing: &Standing) -> Option<Resume> {
    if let Some(ended) = &standing.ended {
        let result = ended.result.clone();
        return Some(Resume { run: ended.run.clone(), step: ResumeStep::Check, result });
    }
    let open = standing.open.as_ref()?;
    Some(Resume { run: open.run.clone(), step: ResumeStep::Work, result: None })
}

fn answer(
    sheet: &Sheet<'_>,
    view: &graph::View<'_>,
    picked: &Picked,
    waiting: bool,
    only: Option<usize>,
) -> Answer {
    let settled = |index: usize| view.is_settled(u32::try_from(index).unwrap_or(u32::MAX));
    let done = match only {
        Some(index) => settled(index),
        None => (0..sheet.tasks.len()).all(|i| settled(i) || sheet.tasks[i].optional),
    };
    match () {
        () if !picked.ready.is_empty() => Answer::More,
        () if done => Answer::Done,
        () if waiting => Answer::Wait,
        () => Answer::Stuck,
    }
}
