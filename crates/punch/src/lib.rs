//! `punch`: what was really done, and was it allowed?
//!
//! As a stage (`punch checkpoint`) orders go in and come out with `card`. Alone it mints punches from agents' own
//! records, holds a task against a card, lists the ledger, walks its chain and seals, looks for cards that cannot
//! bite, and answers hooks. Always true: evidence is what our own stages and the client's own record wrote, never
//! what a worker or a person says; nothing to judge by is "no evidence", never a pass; without a card an order passes
//! on and says so.

mod alone;

mod append;
mod args;
mod book;
mod card;
mod card_file;
mod case;
mod checkpoint;
mod children;
mod claims;
mod class;
mod damage;
mod deed;
mod earlier;
mod gate_log;
mod gates;
mod hook;
mod judge;
mod lint;
mod list;
mod mint;
pub mod outside;
mod pattern;
mod report;
mod row;
mod scope;
mod sealing;
mod seeds;
mod shop;
mod sql;
mod verify;

use alone::{Alone, Record};
use args::{Args, Command, Held};
use std::path::Path;
use toolkit::output::Output;
use toolkit::stage::{Desk, carry};
use toolkit::{Exit, Fail, tool};

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
        Some(Command::Checkpoint { what, card, tasks, held, asking, show }) => match what.as_slice() {
            [] | [_] => {
                let asked = checkpoint::Asked::of(card.as_deref(), tasks.as_deref())?;
                let mut stage = checkpoint::Stage::new(Desk::new(STAGE, &args.run)?, held, asked);
                carry(what.first().map(Path::new), out, |line| stage.order(line))
            }
            [task, name, files @ ..] => {
                Alone::new(args, held, asking, task, files)?.judge(held, name, Record::Yes, *show, out)
            }
        },
        Some(Command::Evaluate { task, name, transcripts, held, asking, show }) => {
            Alone::new(args, held, asking, task, transcripts)?.judge(held, name, Record::No, *show, out)
        }
        Some(Command::Mint { task, transcripts, config, asking }) => {
            let held = Held { config: config.clone(), ..Held::default() };
            Alone::new(args, &held, asking, task, transcripts)?.mint(out)
        }
        Some(Command::List(asked)) => list::run(asked, args.run.run.as_deref(), out),
        Some(Command::Verify { folder }) => verify::run(folder, out),
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
