//! `punch`: what was really done, and was it allowed?
//!
//! As a stage (`punch checkpoint`) it reads orders and writes them with `card`. Alone it mints punches from agents'
//! own records, judges a task by a card, lists the ledger, verifies its chain and seals, attests evidence in the history, finds
//! cards that can never fail, and answers hooks. Invariants: evidence is what our own stages and the client's own record wrote, never the
//! word of a worker or a person; without evidence the result is "no evidence", never a pass; an order without a card
//! passes, and says so.

mod append;
mod args;
mod attest;
mod cards;
mod checkpoint;
mod evidence;
mod hook;
mod lint;
mod list;
pub mod outside;
mod verify;

use crate::args::{Args, Command, Held};
use crate::cards::card;
use crate::cards::card_file;
use crate::cards::seeds;
use crate::checkpoint::one_task::{Alone, Record};
use ledger::recorder::Recorder;
use std::path::Path;
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

const STAGE: &str = "punch";

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    match &args.command {
        None if args.hook => hook::run(args),
        None => Err(Fail::usage("say what to do: checkpoint, list or verify, for example (see --help)")),
        Some(Command::Checkpoint { what, card, receipts, tasks, held, asking, show }) => {
            match what.as_slice() {
                [] | [_] => {
                    let asked = checkpoint::Asked::of(card.as_deref(), tasks.as_deref())?;
                    let mut stage = checkpoint::Stage::new(Recorder::new(STAGE, &args.run)?, held, asked);
                    carry(what.first().map(Path::new), out, |line| stage.order(line))
                }
                [task, name, files @ ..] => {
                    let alone = Alone::new(args, held, asking, task, files)?;
                    let met = alone.judge(held, name, Record::Yes, *show, out)?;
                    let other = alone.receipts().filter(|card| *receipts && card != name);
                    match other.map(|card| alone.judge(held, &card, Record::Yes, *show, out)).transpose()? {
                        Some(other) if met == Exit::Ok => Ok(other),
                        _ => Ok(met),
                    }
                }
            }
        }
        Some(Command::Evaluate { task, name, transcripts, held, asking, show }) => {
            Alone::new(args, held, asking, task, transcripts)?.judge(held, name, Record::No, *show, out)
        }
        Some(Command::Mint { task, transcripts, config, asking }) => {
            let held = Held { config: config.clone(), ..Held::default() };
            Alone::new(args, &held, asking, task, transcripts)?.mint(out)
        }
        Some(Command::List(asked)) => list::run(asked, args.run.run.as_deref(), out),
        Some(Command::Verify { folder }) => verify::run(folder, out),
        Some(Command::Attest(asked)) => attest::run(asked, &args.run, out),
        Some(Command::Append(asked)) => append::run(asked, &args.run, out),
        Some(Command::Cards) => {
            out.text(card::BUILT_IN)?;
            Ok(Exit::Ok)
        }
        Some(Command::ImportCards { files }) => {
            let mut rules = card_file::Rules::new();
            for path in files {
                rules.extend(card_file::read(path)?);
            }
            out.text(&seeds::write(&rules))?;
            Ok(Exit::Ok)
        }
        Some(Command::Lint(asked)) => lint::run(asked, out),
    }
}
