//! What a run, or a day, may spend in all.
//!
//! A budget against which a worker reports nothing would never be used up: it ends the run after the worker's first attempt.

use crate::args::Args;
use crate::plan::PlanView;
use config::prices::Amount;
use ledger::Ledger;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toolkit::Fail;
use toolkit::files::root::Home;
use wire::punch::Type;
use wire::{Punch, RunId};

/// The worker that runs the plan's own commands, with no model.
const SHELL: &str = "shell";

/// What is used up of a budget, in words.
pub(crate) fn spent(
    args: &Args,
    records: &[Punch],
    sheet: &PlanView<'_>,
    run: &RunId,
    now: &str,
) -> Result<Option<String>, Fail> {
    let mine = || records.iter().filter(|p| p.plan == *sheet.source.path && p.run == *run);
    if let Some(most) = args.budget_attempts {
        let begun = mine().filter(|p| p.kind == Type::AttemptBegin).count() as u64;
        if begun >= most {
            return Ok(Some(format!("the budget is used up: {begun} of {most} attempts")));
        }
    }
    let own = [args.budget_cost.map(Amount::Cost), args.budget_tokens.map(Amount::Tokens)];
    if let Some(words) = own.into_iter().flatten().find_map(|most| of_ended(mine(), most, "the budget")) {
        return Ok(Some(words));
    }
    let Some(most) = args.budget_per_day else { return Ok(None) };
    let Some(day) = now.get(..10).filter(|_| !sheet.source.root.is_empty()) else { return Ok(None) };
    let all = Ledger::new(Home::of(Path::new(&*sheet.source.root))?).read()?;
    let today: Vec<&Punch> = all.iter().filter(|p| p.observed_at.starts_with(day)).collect();
    let runs: BTreeSet<&str> = today.iter().filter(|p| is_end(p)).map(|p| p.run.0.as_str()).collect();
    let words = of_ended(today.iter().copied(), most, "the budget of the day");
    Ok(words.map(|words| format!("{words} in {} on {day}", counted(runs.len()))))
}

fn counted(runs: usize) -> String {
    if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") }
}

/// The end of an attempt, or of an errand beside one: a review, the Fitter.
fn is_end(record: &Punch) -> bool {
    let errand = record.kind == Type::ChildComplete && record.data.get("result").is_some();
    errand || record.kind == Type::AttemptEnd
}

/// Whether the ended attempts have used up an amount, or their worker does not say what they used.
fn of_ended<'r>(records: impl Iterator<Item = &'r Punch>, most: Amount, budget: &str) -> Option<String> {
    let mut reports: BTreeMap<&str, bool> = BTreeMap::new();
    let (mut cost, mut tokens) = (0.0, 0_u64);
    for record in records.filter(|record| is_end(record)) {
        let count = |name: &str| record.data.get("tokens").and_then(|used| used.get(name)?.as_u64());
        let used = count("input").zip(count("output")).map(|(input, output)| input.saturating_add(output));
        let paid = record.data.get("cost").and_then(Value::as_f64);
        cost += paid.unwrap_or_default();
        tokens = tokens.saturating_add(used.unwrap_or_default());
        let is_told = match most {
            Amount::Cost(_) => paid.is_some(),
            Amount::Tokens(_) => used.is_some(),
        };
        // An attempt that did not come to its end may have used nothing.
        if is_told || ended_well(record) {
            *reports.entry(record.key.as_str()).or_default() |= is_told;
        }
    }
    let (is_over, figures, what) = match most {
        Amount::Cost(most) => (cost >= most, format!("{cost:.2} of {most:.2}"), "cost"),
        Amount::Tokens(most) => (tokens >= most, format!("{tokens} of {most} tokens"), "tokens"),
    };
    if is_over {
        return Some(format!("{budget} is used up: {figures}"));
    }
    let silent = reports.into_iter().find(|(worker, told)| !told && *worker != SHELL);
    silent.map(|(worker, _)| format!("{budget} cannot be kept: the worker '{worker}' reports no {what}"))
}

fn ended_well(record: &Punch) -> bool {
    let outcome = record.data.get("outcome").and_then(Value::as_str).unwrap_or("done");
    matches!(outcome, "done" | "no_change" | "malformed" | "denied" | "max_turns")
}
