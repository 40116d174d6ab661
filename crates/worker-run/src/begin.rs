//! The beginning of one order: which worker, and whether it starts at all.

use crate::args::Args;
use crate::attempt::{Attempt, Started};
use crate::breaker::Breaker;
use crate::choose::{self, Choice};
use crate::claim::Claims;
use crate::isolate::Isolate;
use dialects::Field;
use serde_json::json;
use std::path::Path;
use supervise::Running;
use toolkit::root::inside;
use toolkit::stage::{Desk, order_of, set};
use toolkit::{Fail, fs, hold, sha, standing, worktree};
use wire::order::{Category, Halt, ResumeStep, Worker};
use wire::punch::Type;
use wire::{Order, OrderLine};

/// An attempt that was begun, and what runs for it.
pub(crate) type Begun = (Box<Attempt>, Box<Running>);

/// Starts an order's worker; what does not start is halted, on its line too.
pub(crate) fn order(
    args: &Args,
    desk: &Desk,
    breaker: &Breaker,
    claims: &Claims,
    line: &mut OrderLine,
    order: &Order,
    batch: u32,
) -> Result<Option<Begun>, Fail> {
    let config = args.config.load(Path::new(&order.plan.root))?;
    if let Some(halt) = claims.is_taken(order, &config)? {
        return refuse(desk, line, order, &halt).map(|()| None);
    }
    let chosen = match choose::choose(args, &config, order, || spent(desk, order))? {
        Choice::Worker(chosen) => *chosen,
        Choice::User => {
            escalate(desk, order)?;
            desk.halt(line, order, &for_a_person())?;
            return Ok(None);
        }
    };
    if let Some(halt) = breaker.stops(&chosen.name) {
        desk.halt(line, order, &halt)?;
        return Ok(None);
    }
    match Attempt::start(args, desk, claims, order.clone(), chosen, batch, &config)? {
        Started::Running(attempt, child) => Ok(Some((attempt, child))),
        Started::Not(halt) => refuse(desk, line, order, &halt).map(|()| None),
    }
}

/// Says no. That another run was quicker is on record already, by that run; where it is at it after all, those who handed
/// the order out have to hear of it.
pub(crate) fn refuse(desk: &Desk, line: &mut OrderLine, order: &Order, halt: &Halt) -> Result<(), Fail> {
    if halt.code != hold::CLAIMED {
        return desk.halt(line, order, halt);
    }
    line.halt(halt).map_err(|e| Fail::data("bad-order", format!("cannot set 'halt': {e}")))
}

/// Whether the worker had ended before the run was interrupted: then its saved result is taken, if it is whole and where
/// this run can go on with it.
pub(crate) fn saved(args: &Args, line: &mut OrderLine) -> Result<bool, Fail> {
    let order: Order = order_of(line)?;
    let Some(resume) = order.resume.filter(|r| r.step == ResumeStep::Check) else { return Ok(false) };
    let Some(sealed) = resume.result else { return Ok(false) };
    let root = Path::new(&order.plan.root);
    let path = inside(root, &sealed.path)?;
    let bytes = fs::read_if_there(&path)?.filter(|b| sha::hex(b) == sealed.sha256);
    let Some(worker) = bytes.and_then(|b| serde_json::from_slice::<Worker>(&b).ok()) else {
        return Ok(false);
    };
    if let Some(tree) = &worker.worktree {
        let there = worktree::path_of(root, tree)?.join(".git").exists();
        if args.isolate == Isolate::None || !there {
            return Ok(false);
        }
    }
    set(line, "worker", &worker)?;
    Ok(true)
}

/// The order with what the task's own file says, where it has one: who does it, and what must not be touched.
pub(crate) fn whole(order: Order) -> Result<Order, Fail> {
    if order.task.detail.is_none() {
        return Ok(order);
    }
    let task = Field::of(&order.plan)?.handed_out(&order);
    Ok(Order { task: task.unwrap_or(order.task), ..order })
}

/// How many attempts at the task were spent.
fn spent(desk: &Desk, order: &Order) -> Result<u32, Fail> {
    let records = desk.ledger(order)?.read_of(&order.plan.path)?;
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

/// We were told to stop before it began.
pub(crate) fn not_started() -> Halt {
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
