//! The packet: everything the worker needs to know, as data.

use crate::Sheet;
use crate::inputs::Resolved;
use serde_json::{Value, json};
use wire::Order;

/// Composes the packet of an order.
pub(crate) fn compose(order: &Order, sheet: &Sheet, resolved: &Resolved) -> Value {
    json!({
        "plan": order.plan,
        "title": sheet.plan.title,
        "run": order.run,
        "attempt": order.attempt,
        "task": sheet.task,
        "section": sheet.body,
        "inputs": resolved.values,
        "unresolved": resolved.unresolved,
        "inherited": {
            "learnings": sheet.wisdom.learnings,
            "issues": sheet.wisdom.issues,
            "decisions": sheet.wisdom.decisions,
        },
        "last_failure": order.last_failure,
    })
}
