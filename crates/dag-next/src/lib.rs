//! `dag-next`: what may run now, and why not the rest?
//!
//! In goes a `plan/1` document, out comes one `order/1` line for each task that may run now, closed by `end/1`.
//! Attempts and failures are read from the ledger, which is never written here. Always true: no order before
//! all its dependencies are settled; none for a task that a live process is working on; the task in an order is
//! the plan's own, byte for byte.

mod args;
mod budget;
mod follow;
mod held;
mod item;
mod order;
pub mod outside;
mod pick;
mod plan;
mod reopened;
mod status;
mod strategy;
mod stream;
mod text;
mod together;

use args::Args;
use graph::Graph;
use pick::{Given, Picked, Table};
use plan::Sheet;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use strategy::Strategy;
use toolkit::hold::Watch;
use toolkit::kept::Records;
use toolkit::ledger::Ledger;
use toolkit::output::Output;
use toolkit::root::Home;
use toolkit::standing::{self, Standing};
use toolkit::{Exit, Fail, sameness, tool};
use wire::order::Owner;
use wire::rounds::RoundsDoc;
use wire::{Answer, End, Punch, RunId, TaskId};

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
    let bytes = toolkit::input::Input::open(args.file.as_deref())?.bytes()?;
    let sheet = Sheet::read(&bytes)?;
    let strategy = Strategy::of(&sheet, args.strategy.map(Into::into));
    let graph = strategy.linked(&sheet, sheet.graph()?);
    if args.rounds {
        return rounds(args, &sheet, &graph, out);
    }
    let records = records(&sheet)?;
    let spent = budget::spent(args, &records, &sheet.source.path, &run);
    let watch = RefCell::new(Watch::once());
    let table = Table {
        sheet: &sheet,
        view: &graph.view_with(pick::offered(&sheet)),
        strategy: &strategy,
        standings: &standings(&sheet, &records),
        terms: held::Terms {
            run: &run,
            now: &clock.now(),
            max_attempts: max_attempts(args, &sheet)?,
            same_error: same_error(&records, &sheet, &run),
            spent: spent.as_deref(),
            may_fix: wire::plan::is_plan_md(&sheet.source.dialect),
            since: None,
            is_good: &|owner| is_good(&watch, &sheet, owner),
            last_beat: &|_| None,
        },
        jobs: args.jobs,
        only: pick::only(&sheet, args.only.as_deref())?,
        limits: &together::limits(&args.resource, &sheet)?,
        given: &Given::default(),
    };
    let picked = table.pick();
    if args.status || args.why.is_some() || args.human || args.given_up {
        return answer(args, &table, &picked, &records, out);
    }
    // Every order is made before the first is written: a round is handed out as a whole or not at all.
    out.text(&order::lines(&table, &picked)?)?;
    out.document(&End::new(picked.answer, picked.ready.len() as u64), false)?;
    Ok(Exit::Ok)
}

/// Whether a hold on a task of the plan is good.
fn is_good(watch: &RefCell<Watch>, sheet: &Sheet<'_>, owner: &Owner) -> bool {
    let home = Home::of(Path::new(&sheet.source.root));
    home.is_ok_and(|home| watch.borrow_mut().is_good(&home, owner, supervise::procs::alive))
}

/// The last sign of life of an owner.
fn last_beat(watch: &RefCell<Watch>, sheet: &Sheet<'_>, owner: &Owner) -> Option<String> {
    let home = Home::of(Path::new(&sheet.source.root)).ok()?;
    watch.borrow().last_beat(&home, owner)
}

/// The records of the plan's ledger; a plan whose root is not here has none.
fn records(sheet: &Sheet<'_>) -> Result<Records, Fail> {
    let root = Path::new(&sheet.source.root);
    if sheet.source.root.is_empty() {
        return Ok(Records::default());
    }
    Ledger::new(Home::of(root)?).read_of(&sheet.source.path)
}

fn standings(sheet: &Sheet<'_>, records: &[Punch]) -> HashMap<TaskId, Standing> {
    if records.is_empty() {
        return HashMap::new();
    }
    let tasks: Vec<(TaskId, wire::Fingerprint)> =
        sheet.tasks.iter().map(|t| ((&*t.id.0).into(), (&*t.fingerprint.0).into())).collect();
    standing::of_plan(records, &sheet.source.path, tasks.iter().map(|(id, fingerprint)| (id, fingerprint)))
}

/// How often a task may be tried: as asked for, as configured, else by the profile of the dialect.
fn max_attempts(args: &Args, sheet: &Sheet<'_>) -> Result<u32, Fail> {
    if let Some(asked) = args.max_attempts {
        return Ok(asked);
    }
    let config = args.config.load(Path::new(&sheet.source.root))?;
    Ok(config.defaults.max_attempts.or(args.usual_attempts).unwrap_or(match sheet.source.dialect.as_str() {
        dialect if wire::plan::is_plan_md(dialect) => 4,
        "handoff" => 2,
        // For a runbook: the step's own worker, the diagnostician, and one who may do more.
        _ => 3,
    }))
}

/// In a runbook the same error twice in one run is no slip: it stops everything.
fn same_error<'a>(records: &'a [Punch], sheet: &Sheet<'_>, run: &RunId) -> Option<&'a str> {
    let mine = records.iter().filter(|p| p.plan == sheet.source.path && p.run == *run);
    let last = sameness::twice(mine).filter(|_| sheet.source.dialect == "runbook")?;
    last.data.pointer("/halt/message")?.as_str()
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
        for (id, why) in status::given_up(table, picked) {
            out.text(&format!("{id}\t{}\n", text::plain(&why)))?;
        }
        return Ok(Exit::Ok);
    }
    let mut status = status::of(table, picked, reopened::find(table.sheet, records));
    if let Some(id) = &args.why {
        pick::only(table.sheet, Some(id))?;
        status.waiting.retain(|w| w.id.as_str() == id);
        if args.text {
            let waits = status.waiting.first().map(text::why);
            out.shown(&waits.unwrap_or_else(|| format!("  {id}: does not wait\n")))?;
            return Ok(exit_of(picked.answer));
        }
    }
    if args.text {
        out.shown(&text::status(&status))?;
    } else {
        out.document(&status, args.pretty)?;
    }
    Ok(exit_of(picked.answer))
}

fn rounds(args: &Args, sheet: &Sheet<'_>, graph: &Graph, out: &mut Output) -> Result<Exit, Fail> {
    let view = graph.view_with(pick::offered(sheet));
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
    if args.text {
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
