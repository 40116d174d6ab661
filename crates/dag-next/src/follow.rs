//! `--follow`: each task is handed out once as it becomes ready, and again only after a failed attempt.
//!
//! The plan comes down the pipe anew whenever it changes; how the orders fare is read in the ledger. A task is under way
//! from when it was handed out until the plan says that it is done or the ledger that it was halted.

pub(crate) mod stream;

use crate::args::Args;
use crate::choose::fresh;
use crate::choose::held_back::Terms;
use crate::choose::pick::{self, Given, Picked, Table};
use crate::choose::progress;
use crate::choose::strategy::Strategy;
use crate::choose::{budget, together};
use crate::follow::stream::{News, Plans};
use crate::order;
use crate::plan::PlanView;
use ledger::leases::RenewalWatch;
use ledger::read_cache::Records;
use ledger::task_history::Histories;
use repo::landing::Landing;
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};
use toolkit::cli::clock::Clock;
use toolkit::cli::signals::Signals;
use toolkit::files::change_notice::Notice;
use toolkit::files::root::Home;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::order::ResumeStep;
use wire::punch::{Punch, Type};
use wire::{Answer, End, RunId, TaskId};

/// How long a tick that is on record may take to show in the plan before its task is looked at anew.
const SHOWN: Duration = Duration::from_secs(5);
/// How often is looked in any case: a time may have come, a process may have ended.
const LOOK: Duration = Duration::from_millis(500);

/// Hands out tasks until the plan is done or stuck.
pub(crate) fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    stream::refuse_terminal()?;
    let clock = args.run.clock()?;
    let mut follow = Follow {
        args,
        out,
        run: args.run.run_id(&clock)?,
        clock,
        signals: Signals::take(),
        plans: Plans::default(),
        under_way: HashMap::new(),
        seen: 0,
        since: None,
        forgiven: OnceCell::new(),
        watch: RefCell::new(RenewalWatch::following()),
        orders: 0,
    };
    let mut plan = follow.plans.first()?;
    loop {
        match follow.carry(&plan)? {
            Next::Plan(next) => plan = next,
            Next::End(answer) => {
                follow.out.document(&End::new(answer, follow.orders), false)?;
                return Ok(Exit::Ok);
            }
        }
    }
}

struct Follow<'a> {
    args: &'a Args,
    out: &'a mut Output,
    run: RunId,
    clock: Clock,
    signals: Signals,
    plans: Plans,
    under_way: HashMap<TaskId, UnderWay>,
    /// The last record that was looked at.
    seen: u64,
    /// The last record when this run began.
    since: Option<u64>,
    /// The last line whose failures use up no attempts, found when this run began.
    forgiven: OnceCell<Option<u64>>,
    watch: RefCell<RenewalWatch>,
    orders: u64,
}

/// An order that was handed out.
struct UnderWay {
    attempt: u32,
    /// Whether its worker has ended.
    worked: bool,
    /// When its tick was seen in the ledger.
    ticked: Option<Instant>,
}

/// What comes next.
enum Next {
    Plan(News),
    End(Answer),
}

impl Follow<'_> {
    /// Carries one state of the plan until there is another, or until its end.
    fn carry(&mut self, plan: &News) -> Result<Next, Fail> {
        let mut sheet = PlanView::read(&plan.document)?;
        plan.ticks.iter().try_for_each(|ticks| sheet.tick(ticks.clone()))?;
        let profile = crate::profile(self.args, &sheet)?;
        let strategy = Strategy::of(&sheet, &profile, self.args.strategy.map(Into::into));
        let graph = strategy.linked(&sheet, sheet.graph()?);
        let limits = together::limits(&self.args.resource, &sheet)?;
        let only = pick::only(&sheet, self.args.only.as_deref())?;
        self.forget_settled(&sheet)?;
        let mut notice = None;
        let mut histories: Option<Histories> = None;
        loop {
            // A landing ends after its commit is on record or refused, so it is looked for first.
            let landing = self.landing(&sheet)?;
            let records = self.look(&sheet)?;
            let given = Given { landing, ..self.given() };
            let forgiven = if let Some(known) = self.forgiven.get() {
                *known
            } else {
                let found = fresh::forgiven(&sheet, &records, &self.run)?;
                *self.forgiven.get_or_init(|| found)
            };
            let now = self.clock.now();
            let spent = budget::spent(self.args, &records, &sheet, &self.run, &now)?;
            let same_error = crate::same_error(&records, &sheet, &profile, &self.run);
            let standings =
                histories.get_or_insert_with(|| crate::histories(&sheet, forgiven)).follow(&records);
            let table = Table {
                sheet: &sheet,
                view: &graph.view_with(pick::offered(&sheet, &profile, standings)),
                strategy: &strategy,
                standings,
                terms: Terms {
                    run: &self.run,
                    now: &now,
                    max_attempts: self.args.max_attempts.unwrap_or(profile.attempts),
                    inspection_attempts: profile.inspection_attempts,
                    asked_for: self.args.max_attempts.is_some(),
                    may_fix: profile.fix_order,
                    unclear_noted: self.args.unclear_note.is_some(),
                    refused_twice: &progress::refused_twice(&records, &sheet.source.path, &self.run),
                    same_error: same_error.as_deref(),
                    spent: spent.as_deref(),
                    since: self.since.filter(|_| self.args.shared),
                    is_good: &|owner| crate::is_good(&self.watch, &sheet, owner),
                    last_beat: &|owner| crate::last_beat(&self.watch, &sheet, owner),
                },
                jobs: self.args.jobs,
                only,
                limits: &limits,
                given: &given,
            };
            let picked = table.pick();
            if let Some(answer) = self.over(&picked) {
                return Ok(Next::End(answer));
            }
            if !self.signals.no_new_work() {
                let (lines, given) = (order::lines(&table, &picked)?, handed(&table, &picked));
                self.hand_out(&lines, given)?;
            }
            if self.plans.ended {
                return Err(stream::cut());
            }
            self.watch(&sheet, &mut notice)?;
            match self.plans.take()? {
                Some(news) if !news.document.is_empty() => return Ok(Next::Plan(news)),
                Some(news) => {
                    news.ticks.into_iter().try_for_each(|ticks| sheet.tick(ticks))?;
                    self.forget_settled(&sheet)?;
                }
                None => {}
            }
        }
    }

    /// A task that the plan calls settled is no longer under way. Once a worker has begun it, the ledger must say so as
    /// well: a box that only the plan has ticked may be the worker's doing, and open again in the next moment.
    fn forget_settled(&mut self, sheet: &PlanView<'_>) -> Result<(), Fail> {
        if self.under_way.is_empty() {
            return Ok(());
        }
        let settled = sheet.tasks.iter().filter(|task| task.state.is_settled());
        let settled: Vec<TaskId> = settled
            .filter_map(|task| self.under_way.get_key_value(&*task.id.0))
            .map(|(id, _)| id.clone())
            .collect();
        if settled.is_empty() {
            return Ok(());
        }
        let records = crate::records(sheet)?;
        let (mut begun, mut decided) = (HashSet::new(), HashSet::new());
        for record in records.iter().filter(|record| record.plan == sheet.source.path) {
            let Some(task) = record.task.as_ref().filter(|task| settled.contains(task)) else { continue };
            match record.kind {
                Type::AttemptBegin if record.run == self.run => drop(begun.insert(task)),
                Type::Tick | Type::Override | Type::Skip => drop(decided.insert(task)),
                _ => {}
            }
        }
        for id in settled {
            if decided.contains(&id) || !begun.contains(&id) {
                self.under_way.remove(&id);
            }
        }
        Ok(())
    }

    /// Whether nothing is under way and nothing more will be.
    fn over(&self, picked: &Picked) -> Option<Answer> {
        let stopped = self.signals.no_new_work();
        match picked.answer {
            _ if stopped && (self.under_way.is_empty() || self.signals.stop_now()) => Some(Answer::More),
            Answer::Done | Answer::Stuck if self.under_way.is_empty() => Some(picked.answer),
            _ => None,
        }
    }

    fn hand_out(&mut self, lines: &str, given: Vec<(TaskId, UnderWay)>) -> Result<(), Fail> {
        if given.is_empty() {
            return Ok(());
        }
        self.orders += given.len() as u64;
        self.under_way.extend(given);
        self.out.text(lines)?;
        self.out.flush()
    }

    fn given(&self) -> Given {
        Given {
            follow: true,
            shared: self.args.shared,
            tasks: self.under_way.iter().map(|(id, order)| (id.clone(), order.attempt)).collect(),
            busy: self.under_way.values().filter(|order| !order.worked).count(),
            landing: None,
        }
    }

    /// The task of this run that is being brought in: it may be ticked before it is committed.
    fn landing(&self, sheet: &PlanView<'_>) -> Result<Option<TaskId>, Fail> {
        if sheet.source.root.is_empty() {
            return Ok(None);
        }
        let landing = Landing::read(&Home::of(Path::new(&sheet.source.root))?)?;
        Ok(landing.filter(|l| l.run == self.run && l.plan == sheet.source.path).map(|l| l.task))
    }

    /// Takes in what the ledger says since, and shows it all.
    fn look(&mut self, sheet: &PlanView<'_>) -> Result<Records, Fail> {
        let records = crate::records(sheet)?;
        if records.last().map_or(0, |record| record.seq) < self.seen {
            return Err(Fail::data("ledger-touched", "the ledger was cut or rewritten; see punch verify"));
        }
        let new = records.iter().rev().take_while(|record| record.seq > self.seen).count();
        for record in &records[records.len() - new..] {
            if record.run == self.run {
                take_in(&mut self.under_way, record);
            } else {
                take_in_theirs(&mut self.under_way, record);
            }
            self.seen = record.seq;
        }
        self.since.get_or_insert(self.seen);
        self.under_way.retain(|_, order| order.ticked.is_none_or(|since| since.elapsed() < SHOWN));
        Ok(records)
    }

    /// Waits for another plan, for a record, or for some time.
    fn watch(&mut self, sheet: &PlanView<'_>, notice: &mut Option<Notice>) -> Result<(), Fail> {
        let home = Path::new(&sheet.source.root).join(".plantools");
        let is_new = notice.is_none() && home.is_dir();
        if is_new {
            *notice = Some(Notice::of([home.as_path()]));
            // What was written before the watch began is seen at once.
            return self.plans.wait(None, Duration::ZERO);
        }
        let nap = notice.as_ref().map_or(LOOK / 5, Notice::nap).min(LOOK);
        self.plans.wait(notice.as_ref(), nap)?;
        if let Some(notice) = notice {
            notice.take_in();
        }
        Ok(())
    }
}

/// How a record of another run that shares the plan does: the run that claims a task has it in hand, whatever becomes of our
/// order, and its tick takes a moment to show in the plan.
fn take_in_theirs(under_way: &mut HashMap<TaskId, UnderWay>, record: &Punch) {
    let Some(id) = &record.task else { return };
    match record.kind {
        Type::AttemptBegin | Type::Takeover => drop(under_way.remove(id)),
        Type::Tick => {
            let ticked = Some(Instant::now());
            let attempt = record.attempt.unwrap_or(1);
            under_way.insert(id.clone(), UnderWay { attempt, worked: true, ticked });
        }
        _ => {}
    }
}

/// How one record changes what is under way.
fn take_in(under_way: &mut HashMap<TaskId, UnderWay>, record: &Punch) {
    let Some(id) = &record.task else { return };
    let Some(order) = under_way.get_mut(id).filter(|order| Some(order.attempt) == record.attempt) else {
        return;
    };
    match record.kind {
        Type::AttemptEnd => order.worked = true,
        Type::Tick => order.ticked = Some(Instant::now()),
        Type::Halt if order.ticked.is_none() => drop(under_way.remove(id)),
        _ => {}
    }
}

/// What is handed out with the lines of a pick.
fn handed(table: &Table<'_>, picked: &Picked) -> Vec<(TaskId, UnderWay)> {
    let order = |i: &usize| {
        let ready = table.order(*i, "", false);
        let worked = ready.resume.is_some_and(|resume| resume.step != ResumeStep::Work);
        let id = TaskId::from(&*table.item(*i).id.0);
        (id, UnderWay { attempt: ready.attempt, worked, ticked: None })
    };
    picked.ready.iter().map(order).collect()
}
