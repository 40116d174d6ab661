//! A verdict other than a pass halts the order, with a record of what the next attempt must know.

use crate::STAGE;
use crate::order::checks::Round;
use crate::run::category;
use ledger::level::Lack;
use ledger::proof::{CLEAN_TREE, OUTPUTS, REVIEW};
use serde_json::{Value, json};
use wire::Gate;
use wire::gate::{Status, StopReason};
use wire::order::{Category, Halt, MENDED, UNCHANGED, Verdict, VerdictStatus};

/// The halt for a verdict, and the details for its record.
pub(crate) fn of(round: &Round<'_>, verdict: &Verdict) -> Option<(Halt, Value)> {
    let not_passed: Vec<&Gate> = verdict.gates.iter().filter(|g| g.status != Status::Pass).collect();
    // The outputs that are missing are named themselves.
    let name = |gate: &&Gate| match &gate.measured {
        Some(measured) if gate.gate_id == OUTPUTS => measured.clone(),
        _ => gate.gate_id.clone(),
    };
    let names = not_passed.iter().map(name).collect::<Vec<_>>().join(", ");
    let halt = match verdict.status {
        VerdictStatus::Verified => return None,
        VerdictStatus::Unproved if round.is_accepted(verdict) => return None,
        VerdictStatus::Unproved if round.watch.is_over() => interrupted(),
        VerdictStatus::Unproved if verdict.coverage.ran > 0 => {
            halt(UNCHANGED, Category::PlanError, Lack::Unchanged.words(round.task))
        }
        VerdictStatus::Unproved => {
            let message = "nothing was run: the task has no check that a program can run, and no gate runs for each task".to_owned();
            Halt { retry: false, ..halt("unproved", Category::PlanError, message) }
        }
        VerdictStatus::Failed if for_a_person(round, &not_passed).is_some() => {
            for_a_person(round, &not_passed)?
        }
        VerdictStatus::Failed => {
            let category = category::of(not_passed.iter().copied());
            // The checks passed in the task's own tree: the next attempt and the user should know what differs.
            let combined = " on the combined tree (what git ignores is not brought along)";
            let place = if round.is_combined() { combined } else { "" };
            halt("checks-failed", category, format!("checks failed{place}: {names}"))
        }
        VerdictStatus::Fault if not_passed.iter().any(|gate| gate.stop_reason == StopReason::Acts) => {
            let acting = not_passed.iter().find(|gate| gate.stop_reason == StopReason::Acts)?;
            let message = acting.measured.clone().unwrap_or_default();
            Halt { retry: false, counts: false, ..halt("check-acts", Category::PlanError, message) }
        }
        VerdictStatus::Fault => fault(&not_passed),
    };
    // In a batch another worker's half-finished edit may be the cause: the next attempt is made alone.
    let batch = round.order.worker.as_ref().and_then(|w| w.batch).unwrap_or(1);
    let failed: Vec<Value> = not_passed.iter().map(|gate| shown(gate)).collect();
    let mut detail = json!({ "failed": failed, "mismatches": verdict.mismatches, "batch": batch });
    if let Some(mended) = round.order.mended().filter(|_| halt.retry) {
        detail[MENDED] = mended.into();
    }
    Some((halt, detail))
}

/// We were asked to stop: this says nothing about the work.
pub(crate) fn interrupted() -> Halt {
    let message = "stopped before the checks had ended".to_owned();
    Halt { counts: false, ..halt("interrupted", Category::EnvError, message) }
}

/// A halt that another attempt may resolve.
pub(crate) fn halt(code: &str, category: Category, message: String) -> Halt {
    Halt::new(STAGE, code, category, message)
}

/// Remains of a step that must not be cleaned up, and issues that a reviewer could not fix, go to a person at once.
fn for_a_person(round: &Round<'_>, gates: &[&Gate]) -> Option<Halt> {
    let found = |id: &str| gates.iter().find(|gate| gate.gate_id == id);
    let measured = |gate: &Gate| gate.measured.clone().unwrap_or_default();
    let (code, message) = if let Some(gate) = found(CLEAN_TREE) {
        ("dirty-tree", format!("Step {} left {}", round.order.task.id, measured(gate)))
    } else {
        ("unfixable", measured(found(REVIEW)?))
    };
    Some(Halt { retry: false, ..halt(code, Category::Unknown, message) })
}

/// No verdict: a missing secret goes to a person at once.
fn fault(gates: &[&Gate]) -> Halt {
    if gates.iter().any(|gate| gate.stop_reason == StopReason::Interrupted) {
        return interrupted();
    }
    if let Some(gate) = gates.iter().find(|gate| gate.needs_secret) {
        let measured = gate.measured.as_deref().unwrap_or_default();
        let message = format!("a secret is missing for {}: {measured}", gate.gate_id);
        return Halt { retry: false, ..halt("secret-missing", Category::EnvError, message) };
    }
    let why = |gate: &&Gate| format!("{}, {}", gate.gate_id, gate.measured.as_deref().unwrap_or("no reason"));
    let all = gates.iter().filter(|gate| gate.status == Status::Fault).map(why).collect::<Vec<_>>();
    halt("checks-fault", Category::EnvError, format!("no verdict: {}", all.join("; ")))
}

fn shown(gate: &Gate) -> Value {
    json!({
        "id": gate.gate_id, "command": gate.invocation, "expect": gate.expect.as_deref().unwrap_or("exit 0"),
        "reason": gate.measured, "tail": gate.last_output_lines, "log": gate.log,
    })
}
