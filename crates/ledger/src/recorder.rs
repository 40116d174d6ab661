//! Writes the records of a stage about an order to the ledger.
//!
//! A halt is on record before the order's line carries it.

use crate::{Entry, Ledger};
use serde_json::json;
use std::path::Path;
use toolkit::Fail;
use toolkit::cli::clock::{Clock, RunArgs};
use toolkit::files::root::Home;
use wire::order::Halt;
use wire::punch::Type;
use wire::{Order, OrderLine};

/// The field of a halt that stopped the review of a change and not the work on it.
pub const OF_REVIEW: &str = "of_review";

/// What a recording stage needs for one order: its name and the clock.
pub struct Recorder {
    /// The stage's name.
    pub stage: &'static str,
    /// The clock.
    pub clock: Clock,
}

impl Recorder {
    /// A recorder for a stage.
    pub fn new(stage: &'static str, args: &RunArgs) -> Result<Self, Fail> {
        Ok(Self { stage, clock: args.clock()? })
    }

    /// The ledger of the order's plan.
    pub fn ledger(&self, order: &Order) -> Result<Ledger, Fail> {
        Ok(Ledger::new(Home::of(Path::new(&order.plan.root))?))
    }

    /// A record about this order, for the caller to complete.
    pub fn entry(&self, order: &Order, kind: Type, key: impl Into<String>) -> Entry {
        Entry {
            plan: order.plan.path.clone(),
            task: Some(order.task.id.clone()),
            fingerprint: Some(order.task.fingerprint.clone()),
            attempt: Some(order.attempt),
            ..Entry::new(order.run.clone(), kind, key, self.clock.now())
        }
    }

    /// Halts the order: a record in the ledger first, then the field.
    pub fn halt(&self, line: &mut OrderLine, order: &Order, halt: &Halt) -> Result<(), Fail> {
        self.halt_with(line, order, halt, &serde_json::Value::Null)
    }

    /// Halts the order with details in the record.
    pub fn halt_with(
        &self,
        line: &mut OrderLine,
        order: &Order,
        halt: &Halt,
        detail: &serde_json::Value,
    ) -> Result<(), Fail> {
        let mut entry = self.entry(order, Type::Halt, halt.code.clone());
        entry.data = json!({ "halt": halt, "detail": detail });
        if order.is_review() {
            entry.data[OF_REVIEW] = json!(true);
        }
        self.ledger(order)?.append(entry)?;
        line.halt(halt).map_err(|e| Fail::data("bad-order", format!("cannot set 'halt': {e}")))
    }
}
