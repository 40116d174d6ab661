//! `dag-next`: what may run now, and why not the rest?
//!
//! In goes a `plan/1` document, out comes one `order/1` line for each task that may run now, closed by `end/1`.
//! Attempts and failures are read from the ledger, which is never written here. Always true: no order before
//! all its dependencies are settled; none for a task that a live process is working on; the task in an order is
//! the plan's own, byte for byte.

mod args;
mod choose;
mod follow;
mod order;
pub mod outside;
mod plan;
mod retry;
mod status;
mod unchecked;

use crate::args::Args;
use crate::choose::budget;
use crate::choose::fresh;
use crate::choose::held_back;
use crate::choose::pick;
use crate::choose::pick::{Given, Picked, Table};
use crate::choose::progress;
use crate::choose::reopened;
use crate::choose::strategy::Strategy;
use crate::choose::together;
use crate::plan::PlanView;
use crate::status::text;
use config::profile::Profile;
use graph::Graph;
use ledger::Ledger;
use ledger::leases::RenewalWatch;
use ledger::read_cache::Records;
use ledger::same_error;
use ledger::task_history::{Histories, TaskHistory};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use toolkit::cli::clock::Clock;
use toolkit::cli::tool;
use toolkit::files::root::Home;
use toolkit::stream::input::Input;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::order::Owner;
use wire::rounds::RoundsDoc;
use wire::{Answer, End, Level, Punch, RunId, TaskId};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    if args.follow {
        return follow::run(args, out);
    }
    let clock = args.run.clock()?;
    let run = args.run.run_id(&clock)?;
    if args.each {
        return each(args, &run, &clock, out);
    }
    let bytes = plan::bytes(args.file.as_deref())?;
    let sheet = PlanView::read(&bytes)?;
    round(args, &sheet, &mut Known::default(), &run, &clock, out)
}

/// A round for each plan, or for the same plan with other boxes ticked.
fn each(args: &Args, run: &RunId, clock: &Clock, out: &mut Output) -> Result<Exit, Fail> {
    let mut plans = Input::open(None)?;
    let (mut line, mut forgiven) = (Vec::new(), OnceCell::new());
    let mut is_more = plans.document_line(&mut line)?;
    while is_more {
        let bytes = std::mem::take(&mut line);
        let mut sheet = PlanView::read(&bytes)?;
        let mut known = Known { forgiven, ..Known::default() };
        loop {
            round(args, &sheet, &mut known, run, clock, out)?;
            is_more = plans.document_line(&mut line)?;
            match plan::ticks(&line).filter(|_| is_more) {
                Some(ticks) => sheet.tick(ticks?)?,
                None => break,
            }
        }
        forgiven = known.forgiven;
    }
    Ok(Exit::Ok)
}

/// What stays known from one round of a plan to the next.
#[derive(Default)]
struct Known {
    /// The graph, and the strategy that linked it.
    graph: Option<(Strategy, Graph)>,
    histories: Option<Histories>,
    /// The last line whose failures use up no attempts, found in the first round of the run.
    forgiven: OnceCell<Option<u64>>,
}

/// The orders of one round, or the answer to a question about the plan.
fn round(
    args: &Args,
    sheet: &PlanView<'_>,
    known: &mut Known,
    run: &RunId,
    clock: &Clock,
    out: &mut Output,
) -> Result<Exit, Fail> {
    let profile = profile(args, sheet)?;
    let strategy = Strategy::of(sheet, &profile, args.strategy.map(Into::into));
    let graph = match known.graph.take().filter(|(of, _)| *of == strategy) {
        Some((_, graph)) => graph,
        None => strategy.linked(sheet, sheet.graph()?),
    };
    let (_, graph) = known.graph.insert((strategy.clone(), graph));
    if args.rounds {
        return rounds(args, sheet, &profile, graph, out);
    }
    if let Some(ids) = &args.retry {
        return retry::give(ids, sheet, run, clock, out);
    }
    let records = records(sheet)?;
    let spent = budget::spent(args, &records, sheet, run, &clock.now())?;
    let watch = RefCell::new(RenewalWatch::once());
    let same_error = same_error(&records, sheet, &profile, run);
    let forgiven = if let Some(known) = known.forgiven.get() {
        *known
    } else {
        let found = fresh::forgiven(sheet, &records, run)?;
        *known.forgiven.get_or_init(|| found)
    };
    let standings = known.histories.get_or_insert_with(|| histories(sheet, forgiven)).follow(&records);
    let table = Table {
        sheet,
        view: &graph.view_with(pick::offered(sheet, &profile, standings)),
        strategy: &strategy,
        standings,
        terms: held_back::Terms {
            run,
            now: &clock.now(),
            max_attempts: args.max_attempts.unwrap_or(profile.attempts),
            inspection_attempts: profile.inspection_attempts,
            refused_twice: &progress::refused_twice(&records, &sheet.source.path, run),
            asked_for: args.max_attempts.is_some(),
            same_error: same_error.as_deref(),
            spent: spent.as_deref(),
            may_fix: profile.fix_order,
            unclear_noted: args.unclear_note.is_some(),
            since: None,
            is_good: &|owner| is_good(&watch, sheet, owner),
            last_beat: &|_| None,
        },
        jobs: args.jobs,
        only: pick::only(sheet, args.only.as_deref())?,
        limits: &together::limits(&args.resource, sheet)?,
        given: &Given::default(),
    };
    let picked = if args.review {
        table.pick_for_review(reviews(args, sheet, &profile)?)
    } else if args.unchecked {
        unchecked::pick(&table)?
    } else {
        table.pick()
    };
    if args.status || args.why.is_some() || args.human || args.given_up {
        return answer(args, &table, &picked, &records, out);
    }
    // Every order is made before the first is written: a round is handed out as a whole or not at all.
    out.text(&order::lines(&table, &picked)?)?;
    let approval = picked.answer == Answer::Stuck && waits_for_approval(sheet, &profile);
    let end = End { approval, ..End::new(picked.answer, picked.ready.len() as u64) };
    out.document(&end, false)?;
    Ok(Exit::Ok)
}

/// Whether the only task that is left is the one that a person's approval ticks.
fn waits_for_approval(sheet: &PlanView<'_>, profile: &Profile) -> bool {
    let mut open = sheet.tasks.iter().filter(|task| !task.state.is_settled());
    open.next().is_some_and(|task| *task.id.0 == *profile.approval_task) && open.next().is_none()
}

/// Whether a review can tick a task in this project, and a reviewer is configured.
fn reviews(args: &Args, sheet: &PlanView<'_>, profile: &Profile) -> Result<bool, Fail> {
    let config = args.config.load(Path::new(&sheet.source.root))?;
    Ok(Level::Reviewed <= profile.accepts().level() && config.agents.contains_key(wire::order::REVIEW))
}

/// Whether a hold on a task of the plan is good.
fn is_good(watch: &RefCell<RenewalWatch>, sheet: &PlanView<'_>, owner: &Owner) -> bool {
    let home = Home::of(Path::new(&sheet.source.root));
    home.is_ok_and(|home| watch.borrow_mut().is_good(&home, owner, supervise::processes::alive))
}

/// The last sign of life of an owner.
fn last_beat(watch: &RefCell<RenewalWatch>, sheet: &PlanView<'_>, owner: &Owner) -> Option<String> {
    let home = Home::of(Path::new(&sheet.source.root)).ok()?;
    watch.borrow().last_beat(&home, owner)
}

/// The records of the plan's ledger; a plan whose root is not here has none.
fn records(sheet: &PlanView<'_>) -> Result<Records, Fail> {
    let root = Path::new(&sheet.source.root);
    if sheet.source.root.is_empty() {
        return Ok(Records::default());
    }
    Ledger::new(Home::of(root)?).read_of(&sheet.source.path)
}

/// The history of each task, where failures up to a line use up no attempts.
fn standings(sheet: &PlanView<'_>, records: &[Punch], forgiven: Option<u64>) -> HashMap<TaskId, TaskHistory> {
    if records.is_empty() {
        return HashMap::new();
    }
    histories(sheet, forgiven).take(records)
}

fn histories(sheet: &PlanView<'_>, forgiven: Option<u64>) -> Histories {
    let tasks = sheet.tasks.iter().map(|t| ((&*t.id.0).into(), (&*t.fingerprint.0).into()));
    Histories::new(&sheet.source.path, tasks, forgiven)
}

/// The policy of the plan's workflow. A profile that was asked for changes only how often a task may be tried: the later
/// stages know the plan by its dialect, and the rest must fit them.
fn profile(args: &Args, sheet: &PlanView<'_>) -> Result<Profile, Fail> {
    let mut config = args.config.load(Path::new(&sheet.source.root))?;
    config.defaults.max_attempts = config.defaults.max_attempts.or(args.usual_attempts);
    let own = config.profile(&sheet.source.dialect)?;
    let Some(name) = &args.profile else { return Ok(own) };
    let Profile { attempts, inspection_attempts, .. } = config.profile_named(name)?;
    Ok(Profile { attempts, inspection_attempts, ..own })
}

/// The error that came twice in one run, where the profile lets that stop the run.
fn same_error(records: &[Punch], sheet: &PlanView<'_>, profile: &Profile, run: &RunId) -> Option<String> {
    if !profile.same_error_stops {
        return None;
    }
    let mine = records.iter().filter(|p| p.plan == sheet.source.path && p.run == *run);
    let (before, last) = same_error::twice(mine)?;
    let error = last.data.pointer("/halt/message")?.as_str()?;
    Some(match (&before.task, &last.task) {
        (Some(one), Some(other)) if one != other => {
            format!("the same error twice, in {one} and in {other}: {error}")
        }
        _ => format!("the same error twice: {error}"),
    })
}

/// `--status`, `--why`, `--human` and `--given-up`: the answer is the exit code too.
fn answer(
    args: &Args,
    table: &Table<'_>,
    picked: &Picked,
    records: &[Punch],
    out: &mut Output,
) -> Result<Exit, Fail> {
    if args.human {
        for id in status::humans(table) {
            out.shown(&format!("{id}\n"))?;
        }
        return Ok(exit_of(picked.answer));
    }
    if args.given_up {
        for task in status::given_up(table, picked) {
            let columns = [task.id.as_str(), &task.message, task.code.word(), &task.next].map(text::plain);
            out.text(&format!("{}\n", columns.join("\t")))?;
        }
        return Ok(Exit::Ok);
    }
    let mut status = status::of(table, picked, reopened::find(table.sheet, records));
    if let Some(id) = &args.why {
        pick::only(table.sheet, Some(id))?;
        status.waiting.retain(|w| w.id.as_str() == id);
        if args.format.is_text() {
            let waits = status.waiting.first().map(text::why);
            out.shown(&waits.unwrap_or_else(|| format!("  {id}: does not wait\n")))?;
            return Ok(exit_of(picked.answer));
        }
    }
    if args.format.is_text() {
        out.shown(&text::status(&status))?;
    } else {
        out.document(&status, args.pretty)?;
    }
    Ok(exit_of(picked.answer))
}

fn rounds(
    args: &Args,
    sheet: &PlanView<'_>,
    profile: &Profile,
    graph: &Graph,
    out: &mut Output,
) -> Result<Exit, Fail> {
    let view = graph.view_with(pick::offered(sheet, profile, &standings(sheet, &records(sheet)?, None)));
    let chains = view.chains(true);
    let id = |i: u32| TaskId::from(&*sheet.tasks[i as usize].id.0);
    let rounds: Vec<Vec<TaskId>> =
        chains.rounds().into_iter().map(|r| r.into_iter().map(id).collect()).collect();
    let document = RoundsDoc {
        schema: wire::rounds::SCHEMA.to_owned(),
        plan: sheet.source.path.clone(),
        tasks: rounds.iter().map(|r| r.len() as u64).sum(),
        max_parallel: rounds.iter().map(|r| r.len() as u64).max().unwrap_or(0),
        critical_path: chains.critical_path().into_iter().map(id).collect(),
        rounds,
    };
    if args.format.is_text() {
        out.shown(&text::rounds(&document, sheet))?;
    } else {
        out.document(&document, args.pretty)?;
    }
    Ok(Exit::Ok)
}

/// The exit that answers a question about the plan.
fn exit_of(answer: Answer) -> Exit {
    match answer {
        Answer::More => Exit::Ok,
        Answer::Done => Exit::Done,
        Answer::Stuck => Exit::Stuck,
        Answer::Wait => Exit::Wait,
    }
}
