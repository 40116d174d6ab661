//! `context-save`: what must the next tasks know?
//!
//! In go orders, out come the same orders with `context`, and beside the plan the files that later tasks read:
//! `outputs.json`, `learnings.md`, `issues.md`, `decisions.md`. Always true: only work that was not refused is
//! saved; a halt leaves its entry in `issues.md`; two writers never lose each other's values; saving the same
//! order again changes nothing.

mod args;
mod notes;
mod outputs;
mod shelf;

use args::Args;
use shelf::Shelf;
use toolkit::output::Output;
use toolkit::stage::{Desk, carry, order_of, set};
use toolkit::{Exit, Fail, tool};
use wire::order::{Context, Worker};
use wire::{Order, OrderLine};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>()
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let desk = Desk::new("context-save", &args.run)?;
    carry(args.file.as_deref(), out, |line| save(&desk, line))
}

fn save(desk: &Desk, line: &mut OrderLine) -> Result<(), Fail> {
    let order = order_of(line)?;
    let shelf = Shelf::of(&order)?;
    let context = match (&order.halt, &order.worker) {
        (Some(halt), _) => {
            shelf.edit("issues.md", |text| notes::halted(text, &order, halt, &desk.clock.now()))?;
            Context::default()
        }
        (None, Some(worker)) => save_work(&shelf, &order, worker)?,
        (None, None) => Context::default(),
    };
    set(line, "context", &context)
}

fn save_work(shelf: &Shelf, order: &Order, worker: &Worker) -> Result<Context, Fail> {
    shelf.edit_outputs(|all| outputs::merge(all, order, worker))?;
    let id = &order.task.id;
    shelf.edit("learnings.md", |text| notes::add(text, id, &worker.learnings, "- "))?;
    shelf.edit("issues.md", |text| notes::add(text, id, &worker.issues, "- [ ] "))?;
    shelf.edit("decisions.md", |text| notes::add(text, id, &worker.decisions, "- "))?;
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let declared = &order.task.outputs;
    Ok(Context {
        outputs: count(worker.outputs.len()),
        learnings: count(worker.learnings.len()),
        issues: count(worker.issues.len()),
        decisions: count(worker.decisions.len()),
        undeclared: worker
            .outputs
            .keys()
            .filter(|k| !declared.iter().any(|o| o.name == **k))
            .cloned()
            .collect(),
        missing: declared
            .iter()
            .filter(|o| !worker.outputs.contains_key(&o.name))
            .map(|o| o.name.clone())
            .collect(),
    })
}
