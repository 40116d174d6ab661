//! What a run may spend in all.

use crate::args::Args;
use serde_json::Value;
use wire::punch::Type;
use wire::{Punch, RunId};

/// What is used up of the budget of this run, in words.
pub(crate) fn spent(args: &Args, records: &[Punch], plan: &str, run: &RunId) -> Option<String> {
    let mine = |kind: Type| records.iter().filter(move |p| p.kind == kind && p.plan == plan && p.run == *run);
    if let Some(most) = args.budget_attempts {
        let begun = mine(Type::AttemptBegin).count() as u64;
        if begun >= most {
            return Some(format!("the budget is used up: {begun} of {most} attempts"));
        }
    }
    let most = args.budget_cost?;
    let cost: f64 = mine(Type::AttemptEnd).filter_map(|p| p.data.get("cost").and_then(Value::as_f64)).sum();
    // The sum of nothing is a zero with a sign.
    let cost = cost + 0.0;
    (cost >= most).then(|| format!("the budget is used up: {cost:.2} of {most:.2}"))
}
