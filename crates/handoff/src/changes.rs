//! Whether something that was pinned has changed since the first attempt.

use crate::args::Args;
use crate::sheet::Sheet;
use serde_json::json;
use std::path::Path;
use toolkit::Fail;
use toolkit::pins::{self, Pins};
use toolkit::stage::Desk;
use wire::Order;
use wire::punch::{SourceKind, Trust, Type};

/// Why the order must not go on; `None` if nothing changed or the change was accepted, on record.
pub(crate) fn refuse(args: &Args, desk: &Desk, order: &Order, sheet: &Sheet) -> Result<Option<String>, Fail> {
    let ledger = desk.ledger(order)?;
    let records = ledger.read()?;
    let now = Pins::now(Path::new(&order.plan.root))?;
    let plan = &order.plan.path;
    let mut changed: Vec<String> = Vec::new();
    if let Some(pinned) = pins::pinned(&records, plan) {
        changed.extend(now.changed_since(&pinned).into_iter().map(str::to_owned));
    }
    if pins::pinned_fingerprint(&records, plan, &order.task.id)
        .is_some_and(|fp| *fp != order.task.fingerprint)
    {
        changed.push(format!("task '{}'", order.task.id));
    }
    if let Some((record, before)) = pins::touched_plan(&records, plan)
        && before != sheet.blanked
    {
        let who = record.task.as_ref().map(ToString::to_string).unwrap_or_default();
        changed.push(format!("the plan, by the worker of task '{who}'"));
    }
    if changed.is_empty() {
        return Ok(None);
    }
    let Some(reason) = &args.accept_change else {
        let what = changed.join(", ");
        return Ok(Some(format!(
            "changed since the first attempt: {what}; undo it, or --accept-change REASON"
        )));
    };
    let mut entry = desk.entry(order, Type::Override, pins::ACCEPT);
    entry.source = SourceKind::Human;
    entry.trust = Trust::Typed;
    entry.data = json!({ "reason": reason, "changed": changed, "pins": now });
    ledger.append(entry)?;
    Ok(None)
}
