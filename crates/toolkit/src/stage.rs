//! The loop of a stage: read an order, act, write it with one field more.
//!
//! Effects come before words: a stage's work on an order is finished and recorded before its line is
//! written. A stage exits 0 when it carried every line, whatever the verdicts.

use crate::clock::{Clock, RunArgs, is_name};
use crate::input::Input;
use crate::ledger::{Entry, Ledger};
use crate::orders::{Item, Orders};
use crate::output::Output;
use crate::root::Home;
use crate::{Exit, Fail, signals};
use serde_json::json;
use std::path::Path;
use wire::order::Halt;
use wire::punch::Type;
use wire::{Order, OrderLine};

/// Carries every line of a stream through `act`.
pub fn carry(
    file: Option<&Path>,
    out: &mut Output,
    mut act: impl FnMut(&mut OrderLine) -> Result<(), Fail>,
) -> Result<Exit, Fail> {
    let mut orders = Orders::new(Input::open(file)?);
    signals::outlive_the_first();
    while let Some(item) = orders.read()? {
        match item {
            Item::Order(mut line) => {
                act(&mut line)?;
                out.line(line.text())?;
            }
            Item::End(_, text) => {
                out.line(&text)?;
                break;
            }
        }
    }
    Ok(Exit::Ok)
}

/// The typed order of a line, or why it is none. Names in it become names of files, so they must be what
/// `dag-next` makes of them: an order that was made by hand leads nowhere else.
pub fn order_of(line: &OrderLine) -> Result<Order, Fail> {
    let bad = |message: String| Fail::data("bad-order", message);
    let order = line.order().map_err(|e| bad(format!("no valid 'order/1': {e}")))?;
    let runs = std::iter::once(&order.run).chain(order.resume.iter().map(|r| &r.run));
    if let Some(run) = runs.into_iter().find(|run| !is_name(run.as_str())) {
        return Err(bad(format!("'{run}' is no name for a run")));
    }
    if order.task.key != wire::ids::key_of(order.task.id.as_str()) {
        return Err(bad(format!("'{}' is not the key of task '{}'", order.task.key, order.task.id)));
    }
    Ok(order)
}

/// Sets a stage's own field.
pub fn set<T: serde::Serialize>(line: &mut OrderLine, field: &str, value: &T) -> Result<(), Fail> {
    line.set(field, value).map_err(|e| Fail::data("bad-order", format!("cannot set '{field}': {e}")))
}

/// What a recording stage needs for one order: where, when, and who it is.
pub struct Desk {
    /// The stage's name.
    pub stage: &'static str,
    /// The clock.
    pub clock: Clock,
}

impl Desk {
    /// A desk for a stage.
    pub fn new(stage: &'static str, args: &RunArgs) -> Result<Self, Fail> {
        Ok(Self { stage, clock: args.clock()? })
    }

    /// The ledger of the order's plan.
    pub fn ledger(&self, order: &Order) -> Result<Ledger, Fail> {
        Ok(Ledger::new(Home::of(Path::new(&order.plan.root))?))
    }

    /// A record about this order, to be completed by the caller.
    pub fn entry(&self, order: &Order, kind: Type, key: impl Into<String>) -> Entry {
        Entry {
            plan: order.plan.path.clone(),
            task: Some(order.task.id.clone()),
            fingerprint: Some(order.task.fingerprint.clone()),
            attempt: Some(order.attempt),
            ..Entry::new(order.run.clone(), kind, key, self.clock.now())
        }
    }

    /// Says no: a record in the ledger first, then the field.
    pub fn halt(&self, line: &mut OrderLine, order: &Order, halt: &Halt) -> Result<(), Fail> {
        self.halt_with(line, order, halt, &serde_json::Value::Null)
    }

    /// Says no, keeping more about it in the record.
    pub fn halt_with(
        &self,
        line: &mut OrderLine,
        order: &Order,
        halt: &Halt,
        detail: &serde_json::Value,
    ) -> Result<(), Fail> {
        let mut entry = self.entry(order, Type::Halt, halt.code.clone());
        entry.data = json!({ "halt": halt, "detail": detail });
        self.ledger(order)?.append(entry)?;
        line.halt(halt).map_err(|e| Fail::data("bad-order", format!("cannot set 'halt': {e}")))
    }
}
