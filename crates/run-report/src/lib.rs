//! `run-report`: the state of a plan, and what happened.
//!
//! As the last stage of the pipe it reads orders, prints a line for each, and turns halts and `end/1` into the exit
//! code. Alone it prints the final report of a plan, follows it on a board, or answers whether anything is open.
//! All figures come from plan, ledger, context files and git; no claim of a worker is a figure.

mod args;
mod board;
mod final_report;
mod html;
mod otlp;
pub mod outside;
mod plain_text;
mod round;
mod survey;

use crate::args::{Args, Format};
use crate::board::{follow, ndjson};
use crate::final_report::check;
use crate::final_report::end::WorkerWords;
use crate::survey::OpenedPlan;
use ledger::Ledger;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use toolkit::cli::{shell_word, tool};
use toolkit::stream::input::Input;
use toolkit::stream::orders::{Item, Orders};
use toolkit::stream::output::Output;
use toolkit::stream::stage::order_of;
use toolkit::{Exit, Fail};
use wire::TaskId;

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>(revision::COMMIT)
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

/// How the command line named the worker: before the plan, and behind it.
fn worker_words(args: &Args) -> WorkerWords {
    let name = args.worker.as_deref().map(|name| format!("--worker {} ", shell_word::quoted(name)));
    let words: Vec<_> = args.worker_command.iter().map(|word| shell_word::quoted(word)).collect();
    let command = if words.is_empty() { String::new() } else { format!(" -- {}", words.join(" ")) };
    WorkerWords { before: name.unwrap_or_default(), behind: command }
}

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let plan = args.file.as_deref().unwrap_or(Path::new("-"));
    if args.once || args.follow {
        let clock = args.run.clock()?;
        return match (args.format, args.once) {
            (Format::Ndjson, true) => ndjson::once(plan, &clock, out),
            (Format::Ndjson, false) => ndjson::follow(plan, &clock, out),
            (_, true) => follow::once(plan, &clock, out),
            (_, false) => follow::follow(plan, &clock, out),
        };
    }
    if args.format == Format::Ndjson {
        return Err(Fail::usage("events come with --follow or --once: add one of them and the plan's path"));
    }
    let asks_for_all = args.whole || args.check || args.why.is_some();
    if args.end || !asks_for_all && args.file.as_deref().is_some_and(is_plan) {
        if args.format != Format::Text {
            return Err(Fail::usage("--end prints text: for another format add --final"));
        }
        let report = survey::of(&OpenedPlan::at(plan)?, Some(args.run.clock()?.now()))?;
        out.text(&final_report::end::write(plan, &worker_words(args), &report))?;
        return Ok(Exit::Ok);
    }
    if !asks_for_all {
        if matches!(args.format, Format::Md | Format::Html | Format::Todowrite | Format::Otlp) {
            return Err(Fail::usage("this format is for a whole plan: add --final and its path"));
        }
        return round::carry(args, out);
    }
    let lazy = args.format == Format::Todowrite;
    // A plan that cannot be read begins nothing; the next round says why.
    let begins = args.begins.as_deref().and_then(|path| begins(path).ok()).unwrap_or_default();
    let ground = if lazy { OpenedPlan::so_far(plan, &begins)? } else { OpenedPlan::at(plan)? };
    let mut report = survey::of(&ground, Some(args.run.clock()?.now()))?;
    if let Some(id) = &args.why {
        return final_report::why::tell(args, &ground, report, id, out);
    }
    report.mode.clone_from(&args.mode);
    if args.check {
        return check::answer(args, report, out);
    }
    match args.format {
        Format::Json => out.document(&report, false)?,
        Format::Text => out.text(&final_report::text(ground.profile.report, ground.told(), &report))?,
        Format::Md => out.text(&final_report::markdown(ground.profile.report, ground.told(), &report))?,
        Format::Todowrite => {
            let ground = ground.with_flow_control(&begins);
            out.text(&final_report::todowrite(ground.told(), &report, &begins))?;
        }
        Format::Otlp => {
            let records = Ledger::new(ground.home.clone()).read_of(&ground.plan.source.path)?;
            out.document(&otlp::write(&ground.plan.source.path, &report.title, &records), false)?;
        }
        Format::Html => html::write(&ground, report, out)?,
        Format::Ndjson => {}
    }
    Ok(Exit::Ok)
}

/// The tasks of orders.
fn begins(path: &Path) -> Result<Vec<TaskId>, Fail> {
    let mut orders = Orders::new(Input::open(Some(path))?);
    let mut tasks = Vec::new();
    while let Some(Item::Order(line)) = orders.read()? {
        tasks.push(order_of(&line)?.task.id);
    }
    Ok(tasks)
}

/// Whether a file or folder is a plan and no stream of orders: orders are JSON.
fn is_plan(path: &Path) -> bool {
    if path.is_dir() {
        return true;
    }
    let mut start = [0; 512];
    let read = File::open(path).and_then(|mut file| file.read(&mut start)).unwrap_or(0);
    start[..read].trim_ascii_start().first().is_some_and(|byte| *byte != b'{')
}
