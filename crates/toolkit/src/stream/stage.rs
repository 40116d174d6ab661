//! The loop of a stage: read an order, act, write it with one more field.
//!
//! Effects come before output: a stage finishes and records its work on an order before it writes the line. A stage
//! exits 0 when it has passed on every line, whatever the verdicts.

use crate::cli::clock::is_name;
use crate::cli::signals;
use crate::stream::input::Input;
use crate::stream::orders::{Item, Orders};
use crate::stream::output::Output;
use crate::{Exit, Fail};
use std::path::Path;
use wire::{Order, OrderLine};

/// Passes every line of a stream through `act`.
pub fn carry(
    file: Option<&Path>,
    out: &mut Output,
    act: impl FnMut(&mut OrderLine) -> Result<(), Fail>,
) -> Result<Exit, Fail> {
    carry_rounds(file, out, act, || Ok(()))
}

/// The same, calling `close` after the orders of each round, before its `end/1` is passed on; a failure of it ends the
/// stage after that line.
pub fn carry_rounds(
    file: Option<&Path>,
    out: &mut Output,
    mut act: impl FnMut(&mut OrderLine) -> Result<(), Fail>,
    mut close: impl FnMut() -> Result<(), Fail>,
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
                let closed = close();
                out.line(&text)?;
                closed?;
            }
        }
    }
    Ok(Exit::Ok)
}

/// The typed order of a line, or why it is invalid. Names in it become file names, so they must be as `dag-next`
/// makes them: an order written by hand must not lead anywhere else.
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
