//! The beginning of one order: chooses the worker, and decides whether it starts.

use crate::args::Args;
use crate::attempt::choose_worker::{self, Choice};
use crate::attempt::circuit_breaker::Breaker;
use crate::attempt::claim::Claims;
use crate::attempt::{Attempt, Started, saved_result};
use crate::isolate::Isolate;
use config::{Config, stop_words};
use dialects::PlanSnapshot;
use ledger::recorder::Recorder;
use ledger::{leases, task_history};
use repo::worktree;
use serde_json::json;
use std::path::Path;
use supervise::Running;
use toolkit::Fail;
use toolkit::files::oversize::TOO_LARGE;
use toolkit::stream::stage::{order_of, set};
use wire::order::{Category, Halt, ResumeStep, Worker};
use wire::punch::{Punch, Type};
use wire::{Order, OrderLine};

/// A started attempt, and its process.
pub(crate) type Begun = (Box<Attempt>, Box<Running>);

/// Starts an order's worker; an order that cannot start is halted, on its line too.
pub(crate) fn order(
    args: &Args,
    desk: &Recorder,
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
    let chosen = match choose_worker::choose(args, &config, order, || spent(desk, order))? {
        Choice::Worker(chosen) => *chosen,
        Choice::User => {
            escalate(desk, order)?;
            desk.halt(line, order, &for_a_person(order))?;
            return Ok(None);
        }
    };
    if let Some(halt) = same_reviewer(desk, &config, order, &chosen)? {
        if choose_worker::is_check(order) {
            not_proposed(desk, line, order, &halt, &serde_json::Value::Null)?;
            return Ok(None);
        }
        desk.halt(line, order, &halt)?;
        return Ok(None);
    }
    if let Some(halt) = breaker.stops(&chosen.name) {
        desk.halt(line, order, &halt)?;
        return Ok(None);
    }
    let started = match Attempt::start(args, desk, claims, order.clone(), chosen, batch, &config) {
        // The tree cannot be recorded until a person removes or ignores the file: the attempt does not begin.
        Err(fail) if fail.code == TOO_LARGE => Started::Not(Box::new(not_recorded(&fail))),
        started => started?,
    };
    match started {
        Started::Running(attempt, child) => Ok(Some((attempt, child))),
        Started::Not(halt) => refuse(desk, line, order, &halt).map(|()| None),
    }
}

/// Why a reviewer is refused: it is the worker and model that made the change.
fn same_reviewer(
    desk: &Recorder,
    config: &Config,
    order: &Order,
    chosen: &choose_worker::Worker,
) -> Result<Option<Halt>, Fail> {
    let proposes = choose_worker::is_check(order);
    if !(choose_worker::is_review(order) || proposes) || config.proof.same_reviewer {
        return Ok(None);
    }
    let records = desk.ledger(order)?.read_of(&order.plan.path)?;
    let model = |record: &Punch| record.data.get("model").and_then(|model| model.as_str()).map(str::to_owned);
    let made = |record: &&Punch| {
        record.kind == Type::AttemptBegin
            && record.task.as_ref() == Some(&order.task.id)
            && choose_worker::is_same(config, order, &record.key, model(record), chosen)
    };
    let works = choose_worker::of_the_work(config, order);
    let works =
        works.is_some_and(|(name, model)| choose_worker::is_same(config, order, &name, model, chosen));
    if proposes && (works || records.iter().any(|record| made(&record))) {
        let message = format!(
            "'{}' works on the task and cannot propose its checks: name another worker or model with check = \"NAME\" \
             below [agents], or set same_reviewer = true below [proof]",
            chosen.name
        );
        let halt = Halt::new(crate::STAGE, "same-checker", Category::PlanError, message);
        return Ok(Some(Halt { retry: false, counts: false, ..halt }));
    }
    Ok(records.iter().any(|record| !proposes && made(&record)).then(|| {
        let message = format!(
            "'{}' made the change and cannot review it: name another worker or model with review = \"NAME\" below [agents], \
             or set same_reviewer = true below [proof]",
            chosen.name
        );
        Halt { retry: false, counts: false, ..Halt::new(crate::STAGE, "same-reviewer", Category::PlanError, message) }
    }))
}

/// Halts a request for checks. The task itself is not halted by it: the record is a message.
pub(crate) fn not_proposed(
    desk: &Recorder,
    line: &mut OrderLine,
    order: &Order,
    halt: &Halt,
    detail: &serde_json::Value,
) -> Result<(), Fail> {
    let mut entry = desk.entry(order, Type::Message, halt.code.clone());
    entry.data = json!({ "halt": halt, "detail": detail });
    desk.ledger(order)?.append(entry)?;
    line.halt(halt).map_err(|e| Fail::data("bad-order", format!("cannot set 'halt': {e}")))
}

/// Refuses an order. If another run claimed the task first, that run has recorded it, so only the line is halted: the
/// stage that handed out the order must learn of it.
pub(crate) fn refuse(desk: &Recorder, line: &mut OrderLine, order: &Order, halt: &Halt) -> Result<(), Fail> {
    if choose_worker::is_check(order) {
        return not_proposed(desk, line, order, halt, &serde_json::Value::Null);
    }
    if halt.code != leases::CLAIMED {
        return desk.halt(line, order, halt);
    }
    line.halt(halt).map_err(|e| Fail::data("bad-order", format!("cannot set 'halt': {e}")))
}

/// Counts the others of a round for an order whose worker had ended before it.
pub(crate) fn beside(line: &mut OrderLine, batch: u32) -> Result<(), Fail> {
    let order: Order = order_of(line)?;
    let is_recheck = order.is_recheck();
    match order.worker {
        Some(worker) if worker.worktree.is_none() && !is_recheck => {
            set(line, "worker", &Worker { batch: Some(batch), ..worker })
        }
        _ => Ok(()),
    }
}

/// Whether no worker starts for the order: its checks run again, or the worker had ended before the run was interrupted.
/// Then the saved result is used, if it is intact and this run can continue from it.
pub(crate) fn saved(args: &Args, desk: &Recorder, line: &mut OrderLine) -> Result<bool, Fail> {
    let order: Order = order_of(line)?;
    // A reviewer is asked about the work that is there.
    if choose_worker::is_errand(&order) {
        return Ok(false);
    }
    if order.is_recheck() {
        // Only the fact that a worker has worked counts here, not its tree and its words.
        if let Some(worker) = saved_result::of(desk, &order)? {
            let worker = Worker { worktree: None, batch: None, hold: None, adaptation: None, ..worker };
            set(line, "worker", &Worker { claims: Vec::new(), ..worker })?;
        }
        return Ok(true);
    }
    if order.resume.as_ref().is_none_or(|resume| resume.step != ResumeStep::Check) {
        return Ok(false);
    }
    let Some(worker) = saved_result::of(desk, &order)? else { return Ok(false) };
    let root = Path::new(&order.plan.root);
    if let Some(tree) = &worker.worktree
        && (args.isolate == Isolate::None || !worktree::is_whole(&worktree::path_of(root, tree)?)?)
    {
        return Ok(false);
    }
    set(line, "worker", &worker)?;
    // The run may have ended after the worker and before its words were on record.
    let profile = args.config.load(root)?.profile(&order.plan.dialect)?;
    if let Some(halt) = stop_words::halt(crate::STAGE, &profile, &order.task, &worker) {
        desk.halt(line, &order, &halt)?;
    }
    Ok(true)
}

/// The order completed from the task's own file, if it has one: the agent, and what must not be touched.
pub(crate) fn whole(order: Order) -> Result<Order, Fail> {
    if order.task.detail.is_none() {
        return Ok(order);
    }
    let task = PlanSnapshot::of(&order.plan)?.handed_out(&order);
    Ok(Order { task: task.unwrap_or(order.task), ..order })
}

/// The number of attempts at the task so far.
pub(crate) fn spent(desk: &Recorder, order: &Order) -> Result<u32, Fail> {
    let records = desk.ledger(order)?.read_about(&order.plan.path, &order.task.id)?;
    let task = [(&order.task.id, &order.task.fingerprint)];
    let standing = task_history::of_plan(&records, &order.plan.path, task.into_iter());
    Ok(standing.get(&order.task.id).map_or(0, |standing| standing.spent))
}

fn escalate(desk: &Recorder, order: &Order) -> Result<(), Fail> {
    let mut entry = desk.entry(order, Type::Escalation, "user");
    entry.data = json!({ "to": "user", "last_failure": order.last_failure });
    desk.ledger(order)?.append(entry)?;
    Ok(())
}

/// The last failure stays the error: the route has no further worker.
fn for_a_person(order: &Order) -> Halt {
    let last = order.last_failure.as_ref().and_then(|failure| failure.pointer("/halt/message")?.as_str());
    Halt {
        stage: crate::STAGE.into(),
        code: "escalated".into(),
        category: Category::Unknown,
        message: last.unwrap_or("the workers of its route have failed; the next stop is a person").to_owned(),
        retry: false,
        counts: false,
        not_before: None,
    }
}

fn not_recorded(fail: &Fail) -> Halt {
    Halt {
        stage: crate::STAGE.into(),
        code: TOO_LARGE.into(),
        category: Category::EnvError,
        message: format!("not started: {fail}"),
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
