//! A verdict that is no pass halts the order, with what the next attempt must know on record.

use crate::STAGE;
use crate::category;
use crate::round::Round;
use serde_json::{Value, json};
use toolkit::proof::{CLEAN_TREE, REVIEW};
use wire::Gate;
use wire::gate::{Status, StopReason};
use wire::order::{Category, Halt, Verdict, VerdictStatus};

/// The halt that a verdict asks for, and what goes with it into the record.
pub(crate) fn of(round: &Round<'_>, verdict: &Verdict) -> Option<(Halt, Value)> {
    let not_passed: Vec<&Gate> = verdict.gates.iter().filter(|g| g.status != Status::Pass).collect();
    let names = not_passed.iter().map(|g| g.gate_id.as_str()).collect::<Vec<_>>().join(", ");
    let halt = match verdict.status {
        VerdictStatus::Verified => return None,
        VerdictStatus::Unproved if round.accepted(&verdict.gates).is_some() => return None,
        VerdictStatus::Unproved if round.watch.is_over() => interrupted(),
        VerdictStatus::Unproved => {
            let message = "nothing could be run: the task has no runnable criterion and no gate".to_owned();
            Halt { retry: false, ..halt("unproved", Category::PlanError, message) }
        }
        VerdictStatus::Failed if for_a_person(round, &not_passed).is_some() => {
            for_a_person(round, &not_passed)?
        }
        VerdictStatus::Failed => {
            let category = category::of(not_passed.iter().copied());
            // They passed where the work was done: the next attempt, and whoever looks, should know what differs.
            let combined = " on the combined tree (what git ignores is not brought along)";
            let place = if round.is_combined() { combined } else { "" };
            halt("checks-failed", category, format!("checks failed{place}: {names}"))
        }
        VerdictStatus::Fault => fault(&not_passed),
    };
    // In a batch another worker's half edit may be the cause: tried alone before it counts.
    let batch = round.order.worker.as_ref().and_then(|w| w.batch).unwrap_or(1);
    let halt = Halt { counts: halt.counts && batch <= 1, ..halt };
    let failed: Vec<Value> = not_passed.iter().map(|gate| shown(gate)).collect();
    let detail = json!({ "failed": failed, "mismatches": verdict.mismatches, "batch": batch });
    Some((halt, detail))
}

/// We were told to stop: that says nothing about the work.
pub(crate) fn interrupted() -> Halt {
    let message = "stopped before the checks had ended".to_owned();
    Halt { counts: false, ..halt("interrupted", Category::EnvError, message) }
}

/// A halt that another attempt may mend.
pub(crate) fn halt(code: &str, category: Category, message: String) -> Halt {
    Halt {
        stage: STAGE.into(),
        code: code.into(),
        category,
        message,
        retry: true,
        counts: true,
        not_before: None,
    }
}

/// What a step left behind that nobody may clear away, and what a reviewer could not mend, are for a person at once.
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

/// No verdict: a missing secret is for a person at once.
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
