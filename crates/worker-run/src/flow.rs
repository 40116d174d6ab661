//! Trees of their own: orders go on as they finish, and new ones are taken as workers become free.
//!
//! Nobody waits for the end of the stream, since what becomes of an order may decide what comes next. When either end of
//! our pipe is gone, what runs is ended and recorded: the next run takes it up.

use crate::args::Args;
use crate::attempt::{Attempt, Started};
use crate::begin;
use crate::breaker::Breaker;
use crate::claim::Claims;
use crate::isolate;
use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::time::Duration;
use supervise::Running;
use toolkit::ends::{self, Want};
use toolkit::input::Input;
use toolkit::orders::{Item, Orders};
use toolkit::output::Output;
use toolkit::signals::Signals;
use toolkit::stage::{Desk, order_of};
use toolkit::{Exit, Fail};
use wire::OrderLine;

/// How long a wait takes at most: a signal that came just before it must not be overslept.
const LOOK: Duration = Duration::from_millis(300);

/// Carries a stream of orders.
pub(crate) fn carry(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let desk = Desk::new(crate::STAGE, &args.run)?;
    let orders = Orders::new(Input::open(args.file.as_deref())?);
    let mut flow = Flow {
        args,
        desk: &desk,
        orders,
        out,
        signals: Signals::take(),
        breaker: Breaker::default(),
        claims: Claims::of(args),
        queue: VecDeque::new(),
        running: Vec::new(),
        known: HashSet::new(),
        end: End::Open,
        interrupted: 0,
    };
    flow.run()
}

struct Flow<'a> {
    args: &'a Args,
    desk: &'a Desk,
    orders: Orders,
    out: &'a mut Output,
    signals: Signals,
    breaker: Breaker,
    claims: Claims,
    queue: VecDeque<OrderLine>,
    running: Vec<Job>,
    /// The roots whose worktrees were tidied.
    known: HashSet<String>,
    end: End,
    /// How often those that run were told to end.
    interrupted: usize,
}

/// An order whose worker runs.
struct Job {
    line: OrderLine,
    attempt: Box<Attempt>,
    child: Box<Running>,
}

/// How the stream ended.
enum End {
    Open,
    /// As it should, with its last line.
    Closed(Option<String>),
    /// Somebody before us or behind us is gone.
    Broken(Fail),
}

impl Flow<'_> {
    fn run(&mut self) -> Result<Exit, Fail> {
        loop {
            self.claims.renew();
            self.start()?;
            if self.queue.is_empty() && self.running.is_empty() && !matches!(self.end, End::Open) {
                break;
            }
            self.interrupt();
            self.wait()?;
            self.finish()?;
        }
        match std::mem::replace(&mut self.end, End::Open) {
            End::Closed(Some(end)) => self.out.line(&end).map(|()| Exit::Ok),
            End::Closed(None) | End::Open => Ok(Exit::Ok),
            End::Broken(fail) => Err(fail),
        }
    }

    /// Starts as many as may run.
    fn start(&mut self) -> Result<(), Fail> {
        let stopping = self.signals.no_new_work() || matches!(self.end, End::Broken(_));
        while stopping || self.running.len() < self.args.jobs as usize {
            let Some(mut line) = self.queue.pop_front() else { break };
            self.note(&line)?;
            if line.has("halt") || self.is_saved(&mut line)? {
                self.pass(&line);
                continue;
            }
            let order = begin::whole(order_of(&line)?)?;
            if stopping {
                self.desk.halt(&mut line, &order, &begin::not_started())?;
                self.pass(&line);
                continue;
            }
            if self.known.insert(order.plan.root.clone()) {
                isolate::tidy(Path::new(&order.plan.root))?;
            }
            match begin::order(self.args, self.desk, &self.breaker, &self.claims, &mut line, &order, 1)? {
                Some((attempt, child)) => self.running.push(Job { line, attempt, child }),
                None => self.pass(&line),
            }
        }
        Ok(())
    }

    /// Whether there is a result already, to be checked: what another run left is taken over from it.
    fn is_saved(&self, line: &mut OrderLine) -> Result<bool, Fail> {
        if !begin::saved(self.args, line)? {
            return Ok(false);
        }
        let order = order_of(line)?;
        let config = self.args.config.load(Path::new(&order.plan.root))?;
        if let Some(halt) = self.claims.take_over(self.desk, &config, line, &order)? {
            begin::refuse(self.desk, line, &order, &halt)?;
        }
        Ok(true)
    }

    /// Waits for a worker to end, for an order to come, or for one end of our pipe to go.
    fn wait(&mut self) -> Result<(), Fail> {
        let open = matches!(self.end, End::Open);
        // When no new work is wanted, orders are still taken: whoever handed them out waits to hear of each.
        let wanted = self.queue.is_empty();
        if open && wanted && self.orders.is_at_hand() {
            self.take_one();
            return Ok(());
        }
        let want = open.then_some(if wanted { Want::Data } else { Want::End });
        let children: Vec<_> = self.running.iter().map(|job| job.child.fd()).collect();
        let woke = match ends::wait(want, &children, Some(LOOK)) {
            Err(fail) if fail.is_reader_gone() => {
                drop(children);
                let known = matches!(self.end, End::Broken(_));
                self.broken(fail);
                // What runs is on its way to its end; looking at the same news again would only burn time.
                if known {
                    std::thread::sleep(Duration::from_millis(10));
                }
                return Ok(());
            }
            other => other?,
        };
        if woke.input && wanted {
            self.take_one();
        }
        // Who writes has left: what he wrote says whether that was his end.
        while woke.input && !wanted && matches!(self.end, End::Open) {
            self.take_one();
        }
        Ok(())
    }

    /// Takes the next line of the stream.
    fn take_one(&mut self) {
        match self.orders.read() {
            Ok(Some(Item::Order(line))) => self.queue.push_back(*line),
            Ok(Some(Item::End(_, text))) => self.end = End::Closed(Some(text)),
            Ok(None) => self.end = End::Closed(None),
            Err(fail) => self.broken(fail),
        }
    }

    /// Passes on what has ended, or lets the worker begin whose tree is set up.
    fn finish(&mut self) -> Result<(), Fail> {
        let failed = |e: std::io::Error| Fail::io(Path::new("worker"), &e);
        let mut at = 0;
        while at < self.running.len() {
            let Some(ended) = self.running[at].child.try_finish().map_err(failed)? else {
                at += 1;
                continue;
            };
            let Job { mut line, attempt, .. } = self.running.remove(at);
            if attempt.is_setting_up() {
                let order = attempt.order.clone();
                match attempt.work(self.args, &ended)? {
                    Started::Running(attempt, child) => self.running.push(Job { line, attempt, child }),
                    Started::Not(halt) => {
                        self.desk.halt(&mut line, &order, &halt)?;
                        self.pass(&line);
                    }
                }
                continue;
            }
            let worker = attempt.worker().to_owned();
            if let (outcome, Some(halt)) =
                attempt.finish(self.args, self.desk, &self.claims, &mut line, &ended)?
            {
                self.breaker.note(&worker, outcome, &halt);
            }
            self.pass(&line);
        }
        Ok(())
    }

    /// Tells those that run to end: once where a stage is gone, and as often as a signal says.
    fn interrupt(&mut self) {
        let broken = usize::from(matches!(self.end, End::Broken(_)));
        let wanted = broken.max(usize::from(self.signals.stop_now()));
        if self.interrupted < wanted {
            self.interrupted = wanted;
            self.running.iter().for_each(|job| job.child.interrupt());
        }
    }

    /// From now on other stages may have something to record about it.
    fn note(&self, line: &OrderLine) -> Result<(), Fail> {
        let order = order_of(line)?;
        if let Some(roll) = self.claims.roll() {
            roll.order(&order.plan.path, &order.task.id);
        }
        Ok(())
    }

    /// Hands a line on; that nobody takes it ends the stream, and what is recorded stays so.
    fn pass(&mut self, line: &OrderLine) {
        let claims = &self.claims;
        if let Err(fail) = self.out.line_meanwhile(line.text(), || claims.renew()) {
            self.broken(fail);
        }
    }

    fn broken(&mut self, fail: Fail) {
        if !matches!(self.end, End::Broken(_)) {
            self.end = End::Broken(fail);
        }
    }
}
