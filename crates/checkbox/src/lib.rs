//! `checkbox`: tick a task on evidence, and change nothing else.
//!
//! The input is orders; the output is the same orders with `tick`, and in the plan file the box is ticked. Always
//! true: a box is ticked only on evidence that is derived here again from ledger, plan, configuration and tree; an
//! order alone ticks nothing; only the bytes of the boxes change; a criterion that failed or was not run stays
//! open; ids are matched whole; a person's decision is on record before it is in the plan.

mod adapt;
mod adopt;
mod args;
mod begin;
mod by_hand;
mod fix;
mod job;
mod plan_file;
mod progress;
mod regression;
mod tick;
mod unfold;

use crate::args::Args;
use crate::by_hand::list;
use crate::job::Job;
use crate::tick::Ticker;
use ledger::recorder::Recorder;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::tool;
use toolkit::stream::output::Output;
use toolkit::stream::stage::carry;
use toolkit::{Exit, Fail};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

pub(crate) const STAGE: &str = "checkbox";

fn run(job: &Job, run: &RunArgs, out: &mut Output) -> Result<Exit, Fail> {
    match job {
        Job::Orders { file, adapt, accept, config } => {
            let desk = Recorder::new(STAGE, run)?;
            let ticker = Ticker::new(*adapt, config, &desk, accept.as_ref())?;
            carry(file.as_deref(), out, |line| ticker.tick(line))
        }
        Job::Begin { file } => {
            let desk = Recorder::new(STAGE, run)?;
            carry(file.as_deref(), out, |line| begin::mark(&desk, line))
        }
        Job::List { plan, open: true, .. } => list::open(plan, out),
        Job::List { plan, text, .. } => list::print(plan, *text, out),
        Job::Fix { plan, taking } => fix::run(plan, *taking, out),
        Job::Adopt { file, adopt } => adopt::run(file.as_deref(), *adopt, run, out),
        Job::UndoAdopt { plan } => adopt::undo(plan, run),
        Job::Goals { plan } => by_hand::goals::settle(plan, run, out),
        Job::Presented { id, plan, record } => by_hand::presented::say(id, plan, *record, run),
        Job::Regressions { plan, config } => regression::reopen(plan, config, run, out),
        Job::Retry { plan, reason, dry_run } => by_hand::retry(plan, reason, *dry_run, run, out),
        Job::Unfold { plan, reviews: Some(range), dry_run } => unfold::reviews(plan, range, *dry_run, out),
        Job::Progress { plan } => progress::write(plan),
        Job::Unfold { plan, reviews: None, dry_run } => unfold::packet(plan, *dry_run, out),
        Job::ByHand(request) => by_hand::carry_out(request, run, out),
    }
}
