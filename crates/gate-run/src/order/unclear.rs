//! Unclear checks halt the order before anything runs, unless a person judges them.

use crate::order::checks::Round;
use crate::order::halting::halt;
use ledger::{Ledger, unclear};
use serde_json::json;
use toolkit::Fail;
use wire::order::{Category, Halt};
use wire::punch::{SourceKind, Trust, Type};

/// The halt for the task's unclear checks. `--unclear-note` records the person's decision instead.
pub(crate) fn held(round: &Round<'_>) -> Result<Option<Halt>, Fail> {
    if round.task.criteria.iter().all(|check| check.holds().is_none()) {
        return Ok(None);
    }
    let records = Ledger::new(round.home.clone()).read_of(&round.order.plan.path)?;
    let open = unclear::open(&records, &round.order.plan.path, round.task);
    if open.is_empty() {
        return Ok(None);
    }
    if let Some(reason) = &round.args.unclear_note {
        let mut entry = round.desk.entry(round.order, Type::Override, unclear::NOTE);
        (entry.source, entry.trust) = (SourceKind::Human, Trust::Typed);
        let checks: Vec<&str> = open.iter().map(|check| check.id.as_str()).collect();
        entry.data = json!({ "reason": reason, "checks": checks });
        round.desk.ledger(round.order)?.append(entry)?;
        return Ok(None);
    }
    let words: Vec<String> = open.into_iter().map(unclear::words).collect();
    let message = format!("{}; run: checkbox fix {}", words.join("; "), round.order.plan.path);
    Ok(Some(Halt { retry: false, counts: false, ..halt(unclear::CODE, Category::PlanError, message) }))
}
