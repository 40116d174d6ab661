//! `dag-next`: what may run now, and why not the rest?
//!
//! In goes a `plan/1` document, out comes one `order/1` line for each task that may run now, closed by `end/1`.
//! Attempts and failures are read from the ledger, which is never written here. Always true: no order before
//! all its dependencies are settled; none for a task that a live process is working on; the task in an order is
//! the plan's own, byte for byte.

mod args;
mod pick;
mod plan;
mod status;

use args::Args;
use pick::Picked;
use plan::Sheet;
use serde_json::json;
use toolkit::ledger::Ledger;
use toolkit::output::Output;
use toolkit::root::Home;
use toolkit::{Exit, Fail, standing, tool};
use wire::{Answer, End, RunId};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>()
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let clock = args.run.clock()?;
    let run = args.run.run_id(&clock)?;
    let bytes = toolkit::input::Input::open(args.file.as_deref())?.bytes()?;
    let sheet = Sheet::read(&bytes)?;
    let records = Ledger::new(Home::of(std::path::Path::new(&sheet.source.root))?).read()?;
    let tasks = sheet.tasks.iter().map(|t| (&t.id, &t.fingerprint));
    let standings = standing::of_plan(&records, &sheet.source.path, tasks);
    let max_attempts = args.max_attempts.unwrap_or_else(|| default_attempts(&sheet.source.dialect));
    let asked = pick::Asked {
        run: &run,
        now: &clock.now(),
        max_attempts,
        jobs: args.jobs,
        only: args.only.as_deref(),
    };
    let picked = pick::pick(&sheet, &standings, &asked)?;
    if args.status {
        return status::show(&sheet, &picked, out, args.pretty);
    }
    for ready in &picked.ready {
        out.line(&order_line(&sheet, ready, &run)?)?;
    }
    let end = End::new(picked.answer, picked.ready.len() as u64);
    out.document(&end, false)?;
    Ok(Exit::Ok)
}

/// How often a task may be tried where nobody says: the profile of the dialect.
fn default_attempts(dialect: &str) -> u32 {
    match dialect {
        "plan-md" => 4,
        "handoff" => 2,
        "runbook" => 1,
        _ => 3,
    }
}

/// An order, with the task's own bytes in it.
fn order_line(sheet: &Sheet<'_>, ready: &pick::Ready, run: &RunId) -> Result<String, Fail> {
    let plan = json!({
        "path": sheet.source.path, "dialect": sheet.source.dialect, "root": sheet.source.root, "sha256": sheet.source.sha256,
    });
    let part = |value: serde_json::Result<String>| value.map_err(|e| Fail::data("bad-order", e.to_string()));
    let mut line = format!(
        r#"{{"schema":"order/1","run":{},"plan":{plan},"task":{},"attempt":{},"why":{}"#,
        part(serde_json::to_string(run))?,
        sheet.tasks[ready.index].raw,
        ready.attempt,
        part(serde_json::to_string(&ready.why))?,
    );
    if let Some(resume) = &ready.resume {
        line.push_str(",\"resume\":");
        line.push_str(&part(serde_json::to_string(resume))?);
    }
    if let Some(failure) = &ready.last_failure {
        line.push_str(",\"last_failure\":");
        line.push_str(&failure.to_string());
    }
    line.push('}');
    Ok(line)
}

/// The exit that answers `--status`.
fn exit_of(picked: &Picked) -> Exit {
    match picked.answer {
        Answer::More => Exit::Ok,
        Answer::Done => Exit::Done,
        Answer::Stuck => Exit::Stuck,
        Answer::Wait => Exit::Wait,
    }
}
