//! One order's worth of context.

use crate::{audit, outputs, snapshot, summary};
use dialects::journal;
use dialects::shelf::Shelf;
use toolkit::Fail;
use toolkit::stage::{Desk, order_of, set};
use wire::order::{Context, Worker};
use wire::{Order, OrderLine};

/// Saves what one order left and sets `context`.
pub(crate) fn order(desk: &Desk, line: &mut OrderLine) -> Result<(), Fail> {
    let order = order_of(line)?;
    if order.plan.dialect == summary::DIALECT {
        snapshot::before_first_write(&order)?;
    }
    let shelf = Shelf::of(&order.plan)?;
    let context = match (&order.halt, &order.worker) {
        (Some(halt), _) => {
            shelf.edit("issues.md", |text| journal::halted(text, &order, halt, &desk.clock.now()))?;
            Context::default()
        }
        (None, Some(worker)) => work(&shelf, &order, worker)?,
        (None, None) => Context::default(),
    };
    if let Some(entry) = audit::entry(&order) {
        shelf.edit("audit.md", |text| {
            journal::add(text, &order.task.id, std::slice::from_ref(&entry), "- ")
        })?;
    }
    set(line, "context", &context)
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
