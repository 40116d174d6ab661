//! One order's worth of context.

pub(crate) mod audit;
pub(crate) mod outputs;

use crate::session::snapshot;
use crate::summary;
use config::ConfigArgs;
use dialects::context::NOTES;
use dialects::context::files::Shelf;
use dialects::context::journal;
use ledger::recorder::Recorder;
use ledger::{leases, task_history};
use std::path::Path;
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
            if is_given_up(desk, order, halt)? {
                let now = desk.clock.now();
                let retries = order.attempt.saturating_sub(1 + u32::from(order.why.fix));
                let entry = journal::GivenUp { order, halt, retries, now: &now };
                shelf.edit("issues.md", |text| journal::halted(text, &entry))?;
            }
            Context::default()
        }
        (None, Some(worker)) => work(&shelf, order, worker)?,
        (None, None) => {
            let values = outputs::values(order);
            shelf.edit_outputs(|all| outputs::merge(all, &order.task.id, &values))?;
            Context::default()
        }
    };
    if let Some(entry) = audit::entry(order) {
        shelf.note(NOTES, |text| journal::add(text, &order.task.id, std::slice::from_ref(&entry), "- "))?;
    }
    Ok(context)
}

/// Whether no attempt follows: the halt is final, the failure is that of the attempt before, or the attempts of the workflow are used up, and the fix order with them
/// where one follows.
fn is_given_up(desk: &Recorder, order: &Order, halt: &Halt) -> Result<bool, Fail> {
    if !halt.retry {
        return Ok(true);
    }
    let config = ConfigArgs::default().load(Path::new(&order.plan.root))?;
    let profile = config.profile(&order.plan.dialect)?;
    let records = desk.ledger(order)?.read_of(&order.plan.path)?;
    let task = [(&order.task.id, &order.task.fingerprint)];
    let history = task_history::of_plan(&records, &order.plan.path, task.into_iter());
    let history = history.get(&order.task.id);
    let spent = history.map_or(0, |history| history.spent);
    let fix_follows = profile.fix_order && halt.category == Category::CodeError && !order.why.fix;
    // Two attempts with the same files and the same failed checks end the task, however many are left.
    let is_repeated = history.is_some_and(|history| history.repeated);
    Ok((is_repeated || halt.counts && spent >= profile.attempts) && !fix_follows)
}

fn work(shelf: &Shelf, order: &Order, worker: &Worker) -> Result<Context, Fail> {
    let values = outputs::values(order);
    shelf.edit_outputs(|all| outputs::merge(all, &order.task.id, &values))?;
    let id = &order.task.id;
    shelf.edit("learnings.md", |text| journal::add(text, id, &worker.learnings, "- "))?;
    let missing = outputs::missing(&order.task.outputs, &values);
    let not_given = missing.iter().map(|name| format!("the declared output '{name}' was not given"));
    let issues: Vec<String> = worker.issues.iter().cloned().chain(not_given).collect();
    shelf.edit("issues.md", |text| journal::add(text, id, &issues, "- [ ] "))?;
    shelf.edit("decisions.md", |text| journal::add(text, id, &worker.decisions, "- "))?;
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let declared = &order.task.outputs;
    Ok(Context {
        outputs: count(values.len()),
        learnings: count(worker.learnings.len()),
        issues: count(worker.issues.len()),
        decisions: count(worker.decisions.len()),
        undeclared: values.keys().filter(|k| !declared.iter().any(|o| o.name == **k)).cloned().collect(),
        missing,
        nested: outputs::nested(&shelf.outputs()?),
        summary: summary::write(order, worker, &values)?,
    })
}
