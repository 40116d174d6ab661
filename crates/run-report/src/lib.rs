//! `run-report`: where do we stand, what happened?
//!
//! As the last stage of the pipe orders go in, a line for each comes out, and halts and `end/1` become the exit
//! code. Alone it prints the final report of a plan, follows it on a board, or answers whether anything is open. All
//! figures come from plan, ledger, context files and git; nothing a worker says is a figure.

mod args;
mod board;
mod book;
mod changes;
mod check;
mod drawing;
mod estimate;
mod events;
mod figures;
mod follow;
mod hosts;
mod html;
mod line;
pub mod outside;
mod plain;
mod record;
mod reproved;
mod round;
mod scan;
mod screen;
mod shapes;
mod stand;
mod story;
mod survey;
mod told;
mod watch;

use args::{Args, Format};
use std::path::Path;
use survey::Ground;
use toolkit::output::Output;
use toolkit::{Exit, Fail, tool};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let plan = args.file.as_deref().unwrap_or(Path::new("-"));
    if args.once || args.follow {
        let clock = args.run.clock()?;
        return if args.once { follow::once(plan, &clock, out) } else { follow::follow(plan, &clock, out) };
    }
    if !args.whole && !args.check {
        if matches!(args.format, Format::Md | Format::Html | Format::Todowrite) {
            return Err(Fail::usage("this format is for a whole plan: add --final and its path"));
        }
        return round::carry(args, out);
    }
    let lazy = args.format == Format::Todowrite;
    let ground = if lazy { Ground::so_far(plan)? } else { Ground::at(plan)? };
    let mut report = survey::of(&ground, Some(args.run.clock()?.now()))?;
    report.mode.clone_from(&args.mode);
    if args.check {
        return check::answer(args, report, out);
    }
    match args.format {
        Format::Json => out.document(&report, false)?,
        Format::Text => out.text(&shapes::text(ground.told(), &report))?,
        Format::Md => out.text(&shapes::markdown(ground.told(), &report))?,
        Format::Todowrite => out.text(&shapes::todowrite(ground.with_flow_control().told(), &report))?,
        Format::Html => html::write(&ground, report, out)?,
    }
    Ok(Exit::Ok)
}
