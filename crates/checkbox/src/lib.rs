//! `checkbox`: tick a task on proof, and change nothing else.
//!
//! The input is orders; the output is the same orders with `tick`, and in the plan file the box is ticked. Always
//! true: a box is ticked only on proof that is derived here again from ledger, plan, configuration and tree; an
//! order alone ticks nothing; only the bytes of the boxes change; a criterion that failed or was not run stays
//! open; ids are matched whole; a person's decision is on record before it is in the plan.

mod adapt;
mod args;
mod begin;
mod by_hand;
mod fix;
mod goals;
mod issue_tracker;
mod job;
mod plan_file;
mod regression;
mod tick;

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
        Job::Orders { file, adapt, config } => {
            let desk = Recorder::new(STAGE, run)?;
            let mut ticker = Ticker::new(*adapt, config, &desk);
            carry(file.as_deref(), out, |line| ticker.tick(line))
        }
        Job::Begin { file } => {
            let desk = Recorder::new(STAGE, run)?;
            carry(file.as_deref(), out, |line| begin::mark(&desk, line))
        }
        Job::List { plan, text } => list::print(plan, *text, out),
        Job::Fix { plan, taking } => fix::run(plan, *taking, out),
        Job::Goals { plan } => goals::settle(plan, run, out),
        Job::Regressions { plan, config } => regression::reopen(plan, config, run, out),
        Job::ByHand(request) => by_hand::carry_out(request, run, out),
    }
}
