//! The Fitter's input: the line fault contract, the budgets, the names of files, the number of tries. Nothing else.

use crate::case::Case;
use crate::prompt::block::{Block, Keep};
use crate::prompt::quote::code;
use crate::prompt::slots::rank;
use crate::prompt::template::Slots;
use ledger::Ledger;
use ledger::proof::gate_key;
use ledger::read_cache::Records;
use serde_json::{Value, json};
use toolkit::Fail;
use toolkit::files::root::Home;
use wire::Gate;
use wire::gate::{SCHEMA, Status};
use wire::punch::{Punch, Type};

/// The maximum number of output lines in a contract; more evidence is given as a path.
const TAIL: usize = 50;

/// Adds the Fitter's input; refuses an order without a fault.
pub(crate) fn add(case: &Case<'_>, slots: &mut Slots) -> Result<(), Fail> {
    let records = records(case)?;
    let Some(gate) = fault(case, &records) else {
        let message = format!("task '{}' has no gate that gave no verdict", case.order.task.id);
        return Err(Fail::data("no-fault", message));
    };
    slots.word("gate", code(&gate.gate_id));
    let contract = serde_json::to_string_pretty(&contract(&gate)).unwrap_or_default();
    slots.block(
        Block::fence("contract", rank::NEEDED, "json", &contract, Keep::Head).in_file(case.packet_path()),
    );
    slots.block(Block::parts("budgets", rank::NEEDED, budgets(case, &gate.gate_id)));
    let files = gate.log.iter().map(|path| format!("- {}", code(path)));
    let files: Vec<String> =
        files.chain([format!("- {} (this handoff as data)", code(&case.packet_path()))]).collect();
    slots.block(Block::parts("pointers", rank::NEEDED, files));
    slots.word("retries", retries(&records, &gate.gate_id).to_string());
    slots.word("largest", largest(case));
    let example = serde_json::to_string_pretty(&example(&gate)).unwrap_or_default();
    slots.block(Block::fence("restoration", rank::NEEDED, "json", &example, Keep::Head));
    Ok(())
}

/// The whole ledger: a restoration and the gate that runs after it belong to no plan.
pub(crate) fn records(case: &Case<'_>) -> Result<Records, Fail> {
    Ledger::new(Home::of(case.root)?).read()
}

/// The fault of the order itself, otherwise the last one on record for the task whose gate gave no verdict since: a
/// contract is about one gate, and each gate that faulted gets its own.
pub(crate) fn fault(case: &Case<'_>, records: &[Punch]) -> Option<Gate> {
    let mut gates = case.order.verdict.iter().flat_map(|verdict| &verdict.gates);
    let own = gates.rfind(|gate| gate.status == Status::Fault).cloned();
    let found = own.or_else(|| {
        let mut settled: Vec<&str> = Vec::new();
        for record in records.iter().rev() {
            let key = record.key.trim_start_matches("gate:");
            match record.kind {
                Type::GatePass | Type::GateFail => settled.push(key),
                Type::GateFault if settled.contains(&key) => {}
                Type::GateFault if record.task.as_ref() == Some(&case.order.task.id) => {
                    if let Some(gate) = gate_of(record) {
                        return Some(gate);
                    }
                }
                _ => {}
            }
        }
        None
    });
    // In the verdict of a task, the name of a configured gate has a prefix.
    found.map(|gate| Gate { gate_id: gate.gate_id.trim_start_matches("gate:").to_owned(), ..gate })
}

/// The gate in a record, at the top level or under its name.
fn gate_of(record: &Punch) -> Option<Gate> {
    let value = record.data.get("gate").unwrap_or(&record.data);
    serde_json::from_value::<Gate>(value.clone()).ok().filter(|gate| gate.schema == SCHEMA)
}

/// The six fields of the contract, with those that the runner adds.
pub(crate) fn contract(gate: &Gate) -> Value {
    let tail = gate.last_output_lines.len().saturating_sub(TAIL);
    json!({
        "gate_id": gate.gate_id,
        "invocation": gate.invocation,
        "elapsed_seconds": gate.elapsed_seconds,
        "last_output_lines": gate.last_output_lines[tail..],
        "stop_reason": gate.stop_reason,
        "repro_hints": gate.repro_hints,
        "bead_id": gate.bead_id,
        "run_timestamp": gate.run_timestamp,
        "run_signature": gate.run_signature,
    })
}

/// The budgets of the gate and of the profiles; `unknown` if there are none.
fn budgets(case: &Case<'_>, id: &str) -> Vec<String> {
    let seconds = |name: &str, value: Option<u64>| value.map(|value| format!("{name} {value}"));
    let mut out = Vec::new();
    let mut note = |name: String, parts: Vec<Option<String>>| {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if !parts.is_empty() {
            out.push(format!("- {name}: {}", parts.join(", ")));
        }
    };
    if let Some(gate) = case.config.gates.iter().find(|gate| gate.id == id) {
        let tail = gate.tail_lines.map(|lines| lines as u64);
        let parts = vec![
            seconds("timeout_seconds", gate.timeout_seconds),
            seconds("stall_seconds", gate.stall_seconds),
            seconds("tail_lines", tail),
        ];
        note(format!("gate {}", code(&gate.id)), parts);
    }
    for profile in &case.config.profiles {
        let parts = vec![
            seconds("timeout_seconds", profile.timeout_seconds),
            seconds("stall_seconds", profile.stall_seconds),
            seconds("max_retries", profile.max_retries.map(u64::from)),
        ];
        note(format!("profile {}", code(&profile.name)), parts);
    }
    let defaults = &case.config.defaults;
    let parts = vec![
        seconds("timeout_seconds", defaults.timeout_seconds),
        seconds("stall_seconds", defaults.stall_seconds),
    ];
    note("default".to_owned(), parts);
    if out.is_empty() { vec!["unknown".to_owned()] } else { out }
}

/// The number of restorations tried since the gate last gave a verdict.
fn retries(records: &[Punch], id: &str) -> usize {
    let key = gate_key(id);
    let of_gate = records.iter().rev().filter(|record| record.key == key || record.key == id);
    let since = of_gate.take_while(|record| !matches!(record.kind, Type::GatePass | Type::GateFail));
    since.filter(|record| record.kind == Type::Restoration).count()
}

/// The largest budgets that a restoration may ask for; gate-run refuses more.
fn largest(case: &Case<'_>) -> String {
    let defaults = &case.config.defaults;
    let timeout = defaults.max_timeout_seconds.unwrap_or(MAX_TIMEOUT);
    let stall = defaults.max_stall_seconds.unwrap_or(MAX_STALL);
    format!("timeout_seconds {timeout}, stall_seconds {stall}")
}

/// The largest budgets where the configuration has none, as in gate-run.
const MAX_TIMEOUT: u64 = 3600;
const MAX_STALL: u64 = 900;

/// An example that is not a valid contract: echoing it restores nothing.
fn example(gate: &Gate) -> Value {
    json!({
        "gate_id": gate.gate_id,
        "mitigation_applied": ["what was changed, concretely"],
        "verification_run": { "invocation": gate.invocation, "status": "PASS | FAIL | FAULT", "elapsed_seconds": 12.5 },
        "updated_fit_profile": { "timeout_seconds": 600, "stall_seconds": 120, "tail_lines": 50, "notes": "why", "confidence": "medium" },
        "outcome": "GREEN | YELLOW | RED",
    })
}
