//! The stage: each order gets the task's own link in the chain.

use crate::args::Args;
use crate::worker;
use config::Config;
use dialects::PlanSnapshot;
use ledger::recorder::Recorder;
use sessions::{ChainLocation, Growth, Ready, position};
use std::collections::BTreeSet;
use std::path::Path;
use toolkit::cli::tool;
use toolkit::files::root::Home;
use toolkit::stream::output::Output;
use toolkit::stream::stage::{self, order_of, set};
use toolkit::{Exit, Fail};
use wire::order::{Category, Halt, SessionLink, Worker};
use wire::punch::Type;
use wire::{Order, OrderLine};

const STAGE: &str = "session-export";

/// Carries the orders.
pub(crate) fn carry(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let desk = Recorder::new(STAGE, &args.run)?;
    stage::carry(args.file.as_deref(), out, |line| link(args, &desk, line))
}

fn link(args: &Args, desk: &Recorder, line: &mut OrderLine) -> Result<(), Fail> {
    let order = order_of(line)?;
    match act(args, desk, &order) {
        Ok(made) => set(line, "session", &made),
        Err(fail) => match halt_of(&fail) {
            None => Err(fail),
            Some(halt) => {
                let skipped = Some(format!("the chain is not gone on with: {}", fail.message));
                set(line, "session", &SessionLink { skipped, ..SessionLink::default() })?;
                desk.halt(line, &order, &halt)
            }
        },
    }
}

fn act(args: &Args, desk: &Recorder, order: &Order) -> Result<SessionLink, Fail> {
    let root = Path::new(&order.plan.root);
    // A halted order adds no link whatever the project says, so that its configuration need not be read.
    let halted = order.halt.is_some();
    let config = if halted { Config::default() } else { args.config.load(root)? };
    let profile = config.profile(&order.plan.dialect)?;
    // Plans of other workflows keep no sessions, so that they need not be read again.
    if !profile.sessions {
        return Ok(without(format!("the dialect '{}' keeps no thinking sessions", order.plan.dialect)));
    }
    if halted {
        return Ok(without("the order is halted; its work is no link".to_owned()));
    }
    let field = PlanSnapshot::of(&order.plan)?;
    let place = match ChainLocation::of(&field.plan, root, &profile)? {
        Ok(place) => place,
        Err(reason) => return Ok(without(reason)),
    };
    let now = desk.clock.now();
    let home = Home::of(root)?;
    let (Some(position), Some(worker)) = (position(&field.plan, &order.task), &order.worker) else {
        return match place.ready(None, &[], config.sessions, &now)? {
            Ready::Yes(last) => Ok(SessionLink {
                path: Some(home.relative(Path::new(&last.path))),
                sha256: Some(last.sha256),
                skipped: Some("the task has no link of its own; this is the last one".to_owned()),
                ..SessionLink::default()
            }),
            Ready::No { code, message } => Err(Fail::data(code, message)),
        };
    };
    let mut growth = Growth::begin(&place, position)?;
    growth.add(worker::thoughts(order, worker, position, &now))?;
    let problems = reasoning(&growth, &changed(desk, order, worker)?)?;
    if let Some(problem) =
        problems.first().filter(|_| args.require_reasoning || config.sessions.require_reasoning)
    {
        return Err(Fail::data("no-reasoning", problem.clone()));
    }
    for problem in &problems {
        tool::note(&format!("session-export: task {}: {problem}", order.task.id));
    }
    let (parent, added) = (growth.parent().clone(), growth.added());
    let written = growth.write(&now)?;
    Ok(SessionLink {
        path: Some(home.relative(Path::new(&written.path))),
        sha256: Some(written.sha256),
        parent: Some(parent),
        stage_counts: written.stage_counts,
        added: Some(added),
        problems,
        skipped: None,
    })
}

/// What all attempts at the task have changed: a second one that only adds to the first needs the same reasoning.
fn changed(desk: &Recorder, order: &Order, worker: &Worker) -> Result<BTreeSet<String>, Fail> {
    let records = desk.ledger(order)?.read_of(&order.plan.path)?;
    let mine = records.iter().filter(|record| {
        record.kind == Type::AttemptEnd
            && record.task.as_ref() == Some(&order.task.id)
            && record.fingerprint.as_ref() == Some(&order.task.fingerprint)
    });
    let files = mine.filter_map(|record| record.data.get("changed_files")?.as_array().cloned()).flatten();
    let earlier = files.filter_map(|file| file.as_str().map(str::to_owned));
    Ok(earlier.chain(worker.changed_files.iter().cloned()).collect())
}

/// What is missing of the reasoning of a task that changed several files or a test.
fn reasoning(growth: &Growth, changed: &BTreeSet<String>) -> Result<Vec<String>, Fail> {
    let test = |path: &String| path.to_lowercase().contains("test");
    if changed.len() < 2 && !changed.iter().any(test) {
        return Ok(Vec::new());
    }
    let missing = growth.missing_reasoning()?;
    Ok(missing.into_iter().map(|stage| format!("no {stage} of the worker's own is in the link")).collect())
}

fn without(reason: String) -> SessionLink {
    SessionLink { skipped: Some(reason), ..SessionLink::default() }
}

/// The halt that a failure means; none where the machine failed, not the chain.
fn halt_of(fail: &Fail) -> Option<Halt> {
    let (category, retry) = match fail.code {
        "no-reasoning" => (Category::CodeError, true),
        _ if matches!(fail.exit, Exit::Data | Exit::No) => (Category::PlanError, false),
        _ => return None,
    };
    Some(Halt {
        stage: STAGE.into(),
        code: fail.code.into(),
        category,
        message: fail.to_string(),
        retry,
        counts: retry,
        not_before: None,
    })
}
