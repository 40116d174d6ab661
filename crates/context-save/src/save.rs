//! One order's worth of context.

pub(crate) mod audit;
pub(crate) mod outputs;

use crate::session::snapshot;
use crate::summary;
use dialects::context::files::Shelf;
use dialects::context::journal;
use ledger::leases;
use ledger::recorder::Recorder;
use toolkit::Fail;
use toolkit::stream::stage::{order_of, set};
use wire::order::{Category, Context, Halt, Worker};
use wire::{Order, OrderLine};

/// Saves what one order left and sets `context`.
pub(crate) fn order(desk: &Recorder, line: &mut OrderLine) -> Result<(), Fail> {
    let order = order_of(line)?;
    match saved(desk, &order) {
        Ok(context) => set(line, "context", &context),
        // A link that a worker put in the way is its task's affair: it halts, and the others go on.
        Err(fail) if fail.code == OUTSIDE && order.worker.is_some() => {
            set(line, "context", &Context::default())?;
            if order.halt.is_some() { Ok(()) } else { desk.halt(line, &order, &led_out(&fail)) }
        }
        Err(fail) => Err(fail),
    }
}

const OUTSIDE: &str = "path-outside";

fn led_out(fail: &Fail) -> Halt {
    Halt {
        stage: crate::STAGE.into(),
        code: OUTSIDE.into(),
        category: Category::EnvError,
        message: fail.to_string(),
        retry: false,
        counts: true,
        not_before: None,
    }
}

fn saved(desk: &Recorder, order: &Order) -> Result<Context, Fail> {
    if dialects::row(&order.plan.dialect).session_folder.is_some() {
        snapshot::before_first_write(order)?;
    }
    let shelf = Shelf::of(&order.plan)?;
    let context = match (&order.halt, &order.worker) {
        // Another run has it in hand: nothing went wrong.
        (Some(halt), _) if leases::is_elsewhere(&halt.code) => Context::default(),
        // Its failure has an entry already.
        (Some(_), _) if order.is_recheck() => return Ok(Context::default()),
        (Some(halt), _) => {
            shelf.edit("issues.md", |text| journal::halted(text, order, halt, &desk.clock.now()))?;
            Context::default()
        }
        (None, Some(worker)) => work(&shelf, order, worker)?,
        (None, None) => Context::default(),
    };
    if let Some(entry) = audit::entry(order) {
        shelf.edit("audit.md", |text| {
            journal::add(text, &order.task.id, std::slice::from_ref(&entry), "- ")
        })?;
    }
    Ok(context)
}

fn work(shelf: &Shelf, order: &Order, worker: &Worker) -> Result<Context, Fail> {
    let values = outputs::values(order, worker);
    shelf.edit_outputs(|all| outputs::merge(all, order, &values))?;
    let id = &order.task.id;
    shelf.edit("learnings.md", |text| journal::add(text, id, &worker.learnings, "- "))?;
    shelf.edit("issues.md", |text| journal::add(text, id, &worker.issues, "- [ ] "))?;
    shelf.edit("decisions.md", |text| journal::add(text, id, &worker.decisions, "- "))?;
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let declared = &order.task.outputs;
    Ok(Context {
        outputs: count(values.len()),
        learnings: count(worker.learnings.len()),
        issues: count(worker.issues.len()),
        decisions: count(worker.decisions.len()),
        undeclared: values.keys().filter(|k| !declared.iter().any(|o| o.name == **k)).cloned().collect(),
        missing: outputs::missing(declared, &values),
        nested: outputs::nested(&shelf.outputs()?),
        summary: summary::write(order, worker, &values)?,
    })
}
