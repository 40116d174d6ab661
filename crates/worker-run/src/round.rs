//! One round: all its workers have ended before its first order goes on.
//!
//! Without isolation all workers share the working tree, and a check must never see a half edit.

use crate::args::Args;
use crate::attempt::{Attempt, Started};
use crate::breaker::Breaker;
use crate::choose::{self, Choice};
use dialects::Field;
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use supervise::Running;
use toolkit::input::Input;
use toolkit::orders::{Item, Orders};
use toolkit::output::Output;
use toolkit::root::{has_git, inside};
use toolkit::signals::Signals;
use toolkit::stage::{Desk, order_of, set};
use toolkit::tool::note;
use toolkit::{Exit, Fail, fs, sha, standing};
use wire::order::{Category, Halt, ResumeStep, Worker};
use wire::punch::Type;
use wire::{Order, OrderLine};

/// Carries a whole round.
pub(crate) fn carry(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let desk = Desk::new(crate::STAGE, &args.run)?;
    let mut orders = Orders::new(Input::open(args.file.as_deref())?);
    let mut lines = Vec::new();
    // What came is carried even if the stream was cut off; then that is said.
    let (end, cut) = loop {
        match orders.read() {
            Ok(Some(Item::Order(line))) => lines.push(*line),
            Ok(Some(Item::End(_, text))) => break (Some(text), None),
            Ok(None) => break (None, None),
            Err(fail) => break (None, Some(fail)),
        }
    };
    work(args, &desk, &mut lines)?;
    for line in &lines {
        out.line(line.text())?;
    }
    if let Some(end) = end {
        out.line(&end)?;
    }
    cut.map_or(Ok(Exit::Ok), Err)
}

fn work(args: &Args, desk: &Desk, lines: &mut [OrderLine]) -> Result<(), Fail> {
    let signals = Signals::take();
    let mut queue = Vec::new();
    for (index, line) in lines.iter_mut().enumerate() {
        if line.has("halt") || saved(line)? {
            continue;
        }
        queue.push((index, whole(order_of(line)?)?));
    }
    say_without_git(&queue);
    let batch = u32::try_from(queue.len()).unwrap_or(u32::MAX);
    let mut queue = queue.into_iter();
    let mut breaker = Breaker::default();
    let mut running: Vec<(usize, Box<Attempt>, Box<Running>)> = Vec::new();
    loop {
        while running.len() < args.jobs as usize {
            let Some((index, order)) = queue.next() else { break };
            if signals.no_new_work() {
                desk.halt(&mut lines[index], &order, &not_started())?;
                continue;
            }
            let config = args.config.load(Path::new(&order.plan.root))?;
            let chosen = match choose::choose(args, &config, &order, || spent(desk, &order))? {
                Choice::Worker(chosen) => *chosen,
                Choice::User => {
                    escalate(desk, &order)?;
                    desk.halt(&mut lines[index], &order, &for_a_person())?;
                    continue;
                }
            };
            if let Some(halt) = breaker.stops(&chosen.name) {
                desk.halt(&mut lines[index], &order, &halt)?;
                continue;
            }
            match Attempt::start(args, desk, order.clone(), chosen, batch)? {
                Started::Running(attempt, child) => running.push((index, attempt, child)),
                Started::Not(halt) => desk.halt(&mut lines[index], &order, &halt)?,
            }
        }
        if running.is_empty() {
            return Ok(());
        }
        if signals.stop_now() {
            for (_, _, child) in &running {
                child.interrupt();
            }
        }
        let children: Vec<&Running> = running.iter().map(|(_, _, child)| &**child).collect();
        let ready = supervise::wait_any(&children, Some(Duration::from_millis(500)));
        if let Some(which) = ready.map_err(|e| Fail::io(Path::new("worker"), &e))? {
            let (index, attempt, child) = running.remove(which);
            let ended = child.finish().map_err(|e| Fail::io(Path::new("worker"), &e))?;
            let worker = attempt.worker().to_owned();
            if let (outcome, Some(halt)) = attempt.finish(args, desk, &mut lines[index], &ended)? {
                breaker.note(&worker, outcome, &halt);
            }
        }
    }
}

/// The order with what the task's own file says, where it has one: who does it, and what must not be touched.
fn whole(order: Order) -> Result<Order, Fail> {
    if order.task.detail.is_none() {
        return Ok(order);
    }
    let task = Field::of(&order.plan)?.handed_out(&order);
    Ok(Order { task: task.unwrap_or(order.task), ..order })
}

/// Outside a git repository nothing is bound to the tree; that is said once.
fn say_without_git(queue: &[(usize, Order)]) {
    if queue.iter().any(|(_, order)| !has_git(Path::new(&order.plan.root))) {
        note("worker-run: no git repository here: proof is not bound to the files, and nothing is committed");
    }
}

/// Whether the worker had ended before the run was interrupted: then its saved result is taken, if it is whole.
fn saved(line: &mut OrderLine) -> Result<bool, Fail> {
    let order: Order = order_of(line)?;
    let Some(resume) = order.resume.filter(|r| r.step == ResumeStep::Check) else { return Ok(false) };
    let Some(sealed) = resume.result else { return Ok(false) };
    let path = inside(Path::new(&order.plan.root), &sealed.path)?;
    let bytes = fs::read_if_there(&path)?.filter(|b| sha::hex(b) == sealed.sha256);
    let Some(worker) = bytes.and_then(|b| serde_json::from_slice::<Worker>(&b).ok()) else {
        return Ok(false);
    };
    set(line, "worker", &worker)?;
    Ok(true)
}

/// How many attempts at the task were spent.
fn spent(desk: &Desk, order: &Order) -> Result<u32, Fail> {
    let records = desk.ledger(order)?.read()?;
    let task = [(&order.task.id, &order.task.fingerprint)];
    let standing = standing::of_plan(&records, &order.plan.path, task.into_iter());
    Ok(standing.get(&order.task.id).map_or(0, |standing| standing.spent))
}

fn escalate(desk: &Desk, order: &Order) -> Result<(), Fail> {
    let mut entry = desk.entry(order, Type::Escalation, "user");
    entry.data = json!({ "to": "user", "last_failure": order.last_failure });
    desk.ledger(order)?.append(entry)?;
    Ok(())
}

fn for_a_person() -> Halt {
    Halt {
        stage: crate::STAGE.into(),
        code: "escalated".into(),
        category: Category::Unknown,
        message: "the workers of its route have failed; the next stop is a person".into(),
        retry: false,
        counts: false,
        not_before: None,
    }
}

fn not_started() -> Halt {
    Halt {
        stage: crate::STAGE.into(),
        code: "interrupted".into(),
        category: Category::Unknown,
        message: "not started: we were told to stop".into(),
        retry: true,
        counts: false,
        not_before: None,
    }
}
