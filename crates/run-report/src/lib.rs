//! `run-report`: where do we stand, what happened?
//!
//! As the last stage of the pipe orders go in, a line for each comes out, and halts and `end/1` become the exit
//! code. Alone it prints the final report of a plan, or answers whether anything is open. All figures come from
//! plan, ledger, context files and git; nothing a worker says is a figure.

mod args;
mod final_report;
mod round;
mod survey;

use args::{Args, Format};
use std::path::Path;
use toolkit::output::Output;
use toolkit::{Exit, Fail, tool};
use wire::report::Report;

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>()
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    if !args.whole && !args.check {
        return round::carry(args, out);
    }
    let plan = args.file.as_deref().unwrap_or(Path::new("-"));
    let report = survey::of(plan)?;
    if args.check {
        return check(args, &report, out);
    }
    match args.format {
        Format::Json => out.document(&report, false)?,
        Format::Text => out.text(&final_report::text(&report))?,
    }
    Ok(Exit::Ok)
}

fn check(args: &Args, report: &Report, out: &mut Output) -> Result<Exit, Fail> {
    match args.format {
        Format::Json => out.document(report, false)?,
        Format::Text => {
            for item in &report.open {
                out.text(&format!("{item}\n"))?;
            }
        }
    }
    Ok(if report.open.is_empty() { Exit::Ok } else { Exit::No })
}
