//! Separate worktrees: orders proceed as they finish, and new ones are read as workers become free.
//!
//! The stream is not read to its end first, since the result of an order may decide the next one. When either end of
//! our pipe closes, the running workers are ended and recorded: the next run resumes them.

use crate::args::Args;
use crate::attempt::begin;
use crate::attempt::circuit_breaker::Breaker;
use crate::attempt::claim::Claims;
use crate::attempt::{Attempt, Started};
use crate::isolate;
use ledger::recorder::Recorder;
use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::time::Duration;
use supervise::Running;
use toolkit::cli::signals::Signals;
use toolkit::stream::input::Input;
use toolkit::stream::orders::{Item, Orders};
use toolkit::stream::output::Output;
use toolkit::stream::pipe_ends::{self, Want};
use toolkit::stream::stage::order_of;
use toolkit::{Exit, Fail};
use wire::OrderLine;

/// The maximum wait, so that a signal that arrives just before it is noticed.
const LOOK: Duration = Duration::from_millis(300);

/// Processes a stream of orders.
pub(crate) fn carry(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let desk = Recorder::new(crate::STAGE, &args.run)?;
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
    desk: &'a Recorder,
    orders: Orders,
    out: &'a mut Output,
    signals: Signals,
    breaker: Breaker,
    claims: Claims,
    queue: VecDeque<OrderLine>,
    running: Vec<Job>,
    /// The roots whose worktrees were cleaned up.
    known: HashSet<String>,
    end: End,
    /// How often the running workers were asked to end.
    interrupted: usize,
}

/// An order with a running worker.
struct Job {
    line: OrderLine,
    attempt: Box<Attempt>,
    child: Box<Running>,
}

/// How the stream ended.
enum End {
    Open,
    /// Regularly, with its last line.
    Closed(Option<String>),
    /// A stage before or after us has ended.
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

    /// Starts as many orders as may run.
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

    /// Whether a result exists already and only needs checking; takes over the result of another run.
    fn is_saved(&self, line: &mut OrderLine) -> Result<bool, Fail> {
        if !begin::saved(self.args, self.desk, line)? {
            return Ok(false);
        }
        let order = order_of(line)?;
        let config = self.args.config.load(Path::new(&order.plan.root))?;
        if let Some(halt) = self.claims.take_over(self.desk, &config, line, &order)? {
            begin::refuse(self.desk, line, &order, &halt)?;
        }
        Ok(true)
    }

    /// Waits for a worker to end, for an order to arrive, or for one end of our pipe to close.
    fn wait(&mut self) -> Result<(), Fail> {
        let open = matches!(self.end, End::Open);
        // Read orders even if no new work is wanted: the stage that handed them out waits for each of them.
        let wanted = self.queue.is_empty();
        if open && wanted && self.orders.is_at_hand() {
            self.take_one();
            return Ok(());
        }
        let want = open.then_some(if wanted { Want::Data } else { Want::End });
        let children: Vec<_> = self.running.iter().map(|job| job.child.fd()).collect();
        let woke = match pipe_ends::wait(want, &children, Some(LOOK)) {
            Err(fail) if fail.is_reader_gone() => {
                drop(children);
                let known = matches!(self.end, End::Broken(_));
                self.broken(fail);
                // The workers are already ending; avoid a busy loop on the same event.
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
        // The writer has closed the pipe: read the rest to see whether the stream is complete.
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

    /// Passes on the orders that have ended, or starts the worker whose worktree is set up.
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

    /// Asks the running workers to end: once if a stage has ended, and once per signal.
    fn interrupt(&mut self) {
        let broken = usize::from(matches!(self.end, End::Broken(_)));
        let wanted = broken.max(usize::from(self.signals.stop_now()));
        if self.interrupted < wanted {
            self.interrupted = wanted;
            self.running.iter().for_each(|job| job.child.interrupt());
        }
    }

    /// From now on other stages may record something about this task.
    fn note(&self, line: &OrderLine) -> Result<(), Fail> {
        let order = order_of(line)?;
        if let Some(roll) = self.claims.roll() {
            roll.order(&order.plan.path, &order.task.id);
        }
        Ok(())
    }

    /// Passes a line on. A closed pipe ends the stream; records already written stay.
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
