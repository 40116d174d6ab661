//! Rounds: all workers of one have ended before its first order proceeds.
//!
//! Without isolation all workers share the working tree, and a check must never see a half-finished edit.

use crate::args::Args;
use crate::attempt::Attempt;
use crate::attempt::begin;
use crate::attempt::circuit_breaker::Breaker;
use crate::attempt::claim::Claims;
use ledger::recorder::Recorder;
use std::path::Path;
use std::time::Duration;
use supervise::Running;
use toolkit::cli::signals::Signals;
use toolkit::cli::tool::note;
use toolkit::files::root::has_git;
use toolkit::stream::input::Input;
use toolkit::stream::orders::{Item, Orders};
use toolkit::stream::output::Output;
use toolkit::stream::stage::order_of;
use toolkit::{Exit, Fail};
use wire::{Order, OrderLine};

/// Processes one round after the other.
pub(crate) fn carry(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let desk = Recorder::new(crate::STAGE, &args.run)?;
    let mut orders = Orders::new(Input::open(args.file.as_deref())?);
    let signals = Signals::take();
    while round(args, &desk, &signals, &mut orders, out)? {}
    Ok(Exit::Ok)
}

/// Processes a whole round; false if there is none.
fn round(
    args: &Args,
    desk: &Recorder,
    signals: &Signals,
    orders: &mut Orders,
    out: &mut Output,
) -> Result<bool, Fail> {
    let mut lines = Vec::new();
    // Process the orders that arrived even if the stream was cut off; report that afterwards.
    let (end, cut) = loop {
        match orders.read() {
            Ok(Some(Item::Order(line))) if line.has("follow") => {
                refuse_to_wait(&line)?;
                lines.push(*line);
            }
            Ok(Some(Item::Order(line))) => lines.push(*line),
            Ok(Some(Item::End(_, text))) => break (Some(text), None),
            Ok(None) => break (None, None),
            Err(fail) => break (None, Some(fail)),
        }
    };
    work(args, desk, signals, &mut lines)?;
    for line in &lines {
        out.line(line.text())?;
    }
    if let Some(end) = &end {
        out.line(end)?;
    }
    cut.map_or(Ok(end.is_some()), Err)
}

fn work(args: &Args, desk: &Recorder, signals: &Signals, lines: &mut [OrderLine]) -> Result<(), Fail> {
    let (mut queue, mut saved) = (Vec::new(), Vec::new());
    for (index, line) in lines.iter_mut().enumerate() {
        if line.has("halt") {
            continue;
        }
        if begin::saved(args, desk, line)? {
            saved.push(index);
        } else {
            queue.push((index, begin::whole(order_of(line)?)?));
        }
    }
    say_without_git(&queue);
    // Work that had ended before the run was interrupted is checked and ticked beside the rest.
    let batch = u32::try_from(queue.len() + saved.len()).unwrap_or(u32::MAX);
    for index in saved.into_iter().filter(|_| batch > 1) {
        begin::beside(&mut lines[index], batch)?;
    }
    let mut queue = queue.into_iter();
    let mut breaker = Breaker::default();
    let claims = Claims::of(args);
    let mut running: Vec<(usize, Box<Attempt>, Box<Running>)> = Vec::new();
    loop {
        while running.len() < args.jobs as usize {
            let Some((index, order)) = queue.next() else { break };
            if signals.no_new_work() {
                desk.halt(&mut lines[index], &order, &begin::not_started())?;
                continue;
            }
            if let Some((mut attempt, child)) =
                begin::order(args, desk, &breaker, &claims, &mut lines[index], &order, batch)?
            {
                for (_, other, _) in &mut running {
                    attempt.meet(other);
                }
                running.push((index, attempt, child));
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
            if let (outcome, Some(halt)) = attempt.finish(args, desk, &claims, &mut lines[index], &ended)? {
                breaker.note(&worker, outcome, &halt);
            }
        }
    }
}

/// Refuses a stream that follows: it ends only after its orders are settled, but here the first order proceeds only
/// after the last has arrived.
fn refuse_to_wait(line: &OrderLine) -> Result<(), Fail> {
    if order_of(line)?.follow {
        let message = "orders of a stream that follows need '--isolate worktree'";
        return Err(Fail::usage(message));
    }
    Ok(())
}

/// Outside of a git repository nothing is bound to the tree; report that once.
fn say_without_git(queue: &[(usize, Order)]) {
    if queue.iter().any(|(_, order)| !has_git(Path::new(&order.plan.root))) {
        note("worker-run: no git repository here: proof is not bound to the files, and nothing is committed");
    }
}
