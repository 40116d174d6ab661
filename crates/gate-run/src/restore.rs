//! A gate after a fault: run again within the limits of a Restoration Contract, once, and a second time only with a
//! different mitigation. After that a person decides.
//!
//! The Fitter's own verification does not count, and its invocation is not run: the gate is the one of the
//! configuration. Budgets grow only up to a strict maximum.

pub(crate) mod contract;

use crate::STAGE;
use crate::args::Args;
use crate::gates::catalog::{Catalog, same};
use crate::gates::configured::Bench;
use crate::restore::contract::Contract;
use crate::run::budget::Budget;
use crate::run::check::Check;
use crate::run::progress::Progress;
use config::{ConfigArgs, Defaults, GateRule};
use ledger::proof::gate_key;
use ledger::{Entry, Ledger};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use toolkit::cli::clock::RunArgs;
use toolkit::files::root::{self, Home};
use toolkit::files::sha;
use toolkit::stream::input::Input;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::Gate;
use wire::gate::{Status, StopReason};
use wire::order::{Category, FITTER_RED, Halt, SCHEMA as ORDER};
use wire::punch::{Punch, Trust, Type};
use wire::restoration::{Health, RestorationDoc, SCHEMA};

/// The largest budgets that a contract may ask for, unless configured.
const MAX_TIMEOUT: u64 = 3600;
const MAX_STALL: u64 = 900;
/// The maximum number of retries after a fault.
const MAX_RETRIES: usize = 2;

/// Takes a contract, runs its gate again if the policy allows it, and reports the health of the line.
pub(crate) fn run(
    args: &Args,
    contract: Option<&Path>,
    config: &ConfigArgs,
    out: &mut Output,
) -> Result<Exit, Fail> {
    let input = Input::open(contract)?;
    let name = input.name.clone();
    let bytes = handed_on(input.bytes()?);
    let contract = contract::read(&bytes).map_err(|fail| fail.in_file(&name))?;
    let root = root::find(&args.cwd)?;
    let catalog = Catalog::load(config, &root)?;
    let Some(gate) = catalog.gate(contract.gate_id.trim_start_matches("gate:"), &args.set.set)? else {
        let message = format!("the configuration has no gate '{}'", contract.gate_id);
        return Err(Fail::data("unknown-gate", message).in_file(&name));
    };
    let home = Home::of(&root)?;
    let records = Ledger::new(home.clone()).read()?;
    let past = Past::of(&records, &gate.id)?;
    let document = if let Some((outcome, reason)) = past.refusal(&contract) {
        if contract.red {
            past.give_up(&home, &args.run, reason)?;
        }
        refused(&gate.id, outcome, reason)
    } else {
        let watch = Progress::alone(args);
        let mut bench = Bench::new(args, &catalog, &home, &watch)?;
        if args.bead_id.is_none() {
            bench.runner.place.bead.clone_from(&past.fault.bead_id);
        }
        let (budget, clamped) = fitted(args, &catalog, &gate, &contract);
        record(&bench, &gate.id, &contract, &bytes, past.retries() + 1)?;
        let run = bench.one(&Check::of_gate(&gate, budget), 0)?;
        bench.records.gate(&run, catalog.written(&gate.id))?;
        concluded(past.retries(), &run, clamped)
    };
    out.document(&document, args.show.pretty)?;
    Ok(exit_of(&document))
}

/// The contract itself: in an order from the Fitter, the `restoration` of its worker.
fn handed_on(bytes: Vec<u8>) -> Vec<u8> {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let order = serde_json::from_slice::<Value>(line).ok();
    let order = order.filter(|order| order.get("schema").and_then(Value::as_str) == Some(ORDER));
    match order {
        None => bytes,
        Some(order) => {
            let contract = order.pointer("/worker/outputs/restoration");
            contract.map(|contract| contract.to_string().into_bytes()).unwrap_or_default()
        }
    }
}

/// The budgets that a restoration gave a gate: the last one after which the gate gave a verdict.
pub(crate) fn fitted_with(records: &[Punch], id: &str) -> Option<Fitted> {
    let key = gate_key(id);
    let mut verdict = false;
    for record in records.iter().rev().filter(|record| same(&record.key, &key)) {
        match record.kind {
            Type::GatePass | Type::GateFail => verdict = true,
            Type::Restoration if verdict => {
                let seconds = |name: &str| record.data.get(name).and_then(Value::as_u64);
                return Some(Fitted { timeout: seconds("timeout_seconds"), stall: seconds("stall_seconds") });
            }
            Type::Restoration | Type::GateFault => verdict = false,
            _ => {}
        }
    }
    None
}

/// The budgets that a restoration asked for, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fitted {
    timeout: Option<u64>,
    stall: Option<u64>,
}

impl Fitted {
    /// The budgets including the fitted ones, never beyond the maximum.
    pub(crate) fn applied(self, mut budget: Budget, defaults: &Defaults) -> Budget {
        let within =
            |asked: u64, most: Option<u64>, own: u64| Duration::from_secs(asked.min(most.unwrap_or(own)));
        budget.timeout =
            self.timeout.map(|s| within(s, defaults.max_timeout_seconds, MAX_TIMEOUT)).or(budget.timeout);
        budget.stall = self.stall.map(|s| within(s, defaults.max_stall_seconds, MAX_STALL)).or(budget.stall);
        budget
    }
}

/// The gate's records since it last gave a verdict.
struct Past<'r> {
    fault: Gate,
    /// The record of the fault.
    record: &'r Punch,
    /// The mitigations of each restoration, oldest first.
    restorations: Vec<Vec<String>>,
}

impl<'r> Past<'r> {
    fn of(records: &'r [Punch], id: &str) -> Result<Self, Fail> {
        let key = gate_key(id);
        let about = |record: &&Punch| same(&record.key, &key);
        let verdict = |record: &Punch| matches!(record.kind, Type::GatePass | Type::GateFail);
        let since: Vec<_> = records.iter().rev().filter(about).take_while(|r| !verdict(r)).collect();
        let record = since.iter().find(|record| record.kind == Type::GateFault).copied();
        let fault = record.and_then(|r| Some((r, serde_json::from_value(r.data.get("gate")?.clone()).ok()?)));
        let Some((record, fault)) = fault else {
            return Err(Fail::data(
                "no-fault",
                format!("gate '{id}' has no fault on record to restore from"),
            ));
        };
        let applied = |record: &&&Punch| record.kind == Type::Restoration;
        let list = |record: &&Punch| {
            let list = record.data.get("mitigation_applied").cloned().unwrap_or_default();
            serde_json::from_value(list).unwrap_or_default()
        };
        Ok(Self { fault, record, restorations: since.iter().rev().filter(applied).map(list).collect() })
    }

    fn retries(&self) -> u32 {
        u32::try_from(self.restorations.len()).unwrap_or(u32::MAX)
    }

    /// Halts the task of the fault: the Fitter calls the line RED.
    fn give_up(&self, home: &Home, run: &RunArgs, reason: &str) -> Result<(), Fail> {
        let gate = self.fault.gate_id.trim_start_matches("gate:");
        let message = format!("line fault of gate '{gate}': {reason}");
        let halt = Halt {
            stage: STAGE.to_owned(),
            code: FITTER_RED.to_owned(),
            category: Category::EnvError,
            message,
            retry: false,
            counts: false,
            not_before: None,
        };
        let clock = run.clock()?;
        let Punch { plan, task, fingerprint, attempt, .. } = self.record;
        Ledger::new(home.clone())
            .append(Entry {
                plan: plan.clone(),
                task: task.clone(),
                fingerprint: fingerprint.clone(),
                attempt: *attempt,
                data: json!({ "halt": halt }),
                ..Entry::new(run.run_id(&clock)?, Type::Halt, FITTER_RED, clock.now())
            })
            .map(drop)
    }

    /// Why the gate is not run again.
    fn refusal(&self, contract: &Contract) -> Option<(Health, &'static str)> {
        if self.fault.needs_secret {
            return Some((Health::Red, "a secret is missing: nothing that a Fitter may do mends that"));
        }
        if contract.red {
            return Some((Health::Red, "the Fitter says that it cannot be fitted safely"));
        }
        if self.restorations.len() >= MAX_RETRIES {
            return Some((self.colour(), "both retries are used up"));
        }
        let before = self.restorations.last()?;
        let same = !contract::differs(&contract.mitigation_applied, before);
        same.then(|| {
            (self.colour(), "the mitigation is the same as before: a second retry needs another one")
        })
    }

    fn colour(&self) -> Health {
        colour(&self.fault)
    }
}

/// A gate whose program is missing will not recover by itself.
fn colour(fault: &Gate) -> Health {
    let red = fault.needs_secret || fault.stop_reason == StopReason::EnvMissing;
    if red { Health::Red } else { Health::Yellow }
}

/// The budgets of the contract limited to the maximum, and the reduced values.
fn fitted(args: &Args, catalog: &Catalog, gate: &GateRule, contract: &Contract) -> (Budget, Vec<String>) {
    let defaults: &Defaults = &catalog.config.defaults;
    let mut budget = Budget::of(&args.budget, None, &catalog.config, Some(gate));
    let mut clamped = Vec::new();
    let mut within = |name: &str, asked: u64, most: u64| {
        if asked > most {
            clamped.push(format!("{name}: {asked} cut to {most}"));
        }
        Some(Duration::from_secs(asked.min(most)))
    };
    if let Some(asked) = contract.timeout_seconds {
        budget.timeout =
            within("timeout_seconds", asked, defaults.max_timeout_seconds.unwrap_or(MAX_TIMEOUT));
    }
    if let Some(asked) = contract.stall_seconds {
        budget.stall = within("stall_seconds", asked, defaults.max_stall_seconds.unwrap_or(MAX_STALL));
    }
    budget.tail_lines = contract.tail_lines.map_or(budget.tail_lines, |lines| lines.min(1000));
    (budget, clamped)
}

/// Record the retry before it runs, so that a crash does not grant another one.
fn record(bench: &Bench<'_>, id: &str, contract: &Contract, bytes: &[u8], retry: u32) -> Result<(), Fail> {
    let mut entry = bench.records.entry(Type::Restoration, gate_key(id));
    entry.trust = Trust::Typed;
    entry.source_hash = Some(sha::hex(bytes));
    entry.data = json!({
        "mitigation_applied": contract.mitigation_applied, "retry": retry,
        "timeout_seconds": contract.timeout_seconds, "stall_seconds": contract.stall_seconds,
    });
    bench.records.append(entry)
}

fn refused(id: &str, outcome: Health, reason: &str) -> RestorationDoc {
    RestorationDoc {
        schema: SCHEMA.to_owned(),
        gate_id: id.to_owned(),
        outcome,
        reason: reason.to_owned(),
        retry: 0,
        may_retry: false,
        clamped: Vec::new(),
        gate: None,
    }
}

fn concluded(retries: u32, gate: &Gate, clamped: Vec<String>) -> RestorationDoc {
    let fault = gate.status == Status::Fault;
    let outcome = if fault { colour(gate) } else { Health::Green };
    let reason = match outcome {
        Health::Green => "the gate gives a verdict again",
        Health::Yellow => "still no verdict",
        Health::Red => "still no verdict: something is missing that the gate needs",
    };
    let may_retry = fault && !gate.needs_secret && (retries as usize) + 1 < MAX_RETRIES;
    RestorationDoc {
        retry: retries + 1,
        may_retry,
        clamped,
        gate: Some(gate.clone()),
        ..refused(&gate.gate_id, outcome, reason)
    }
}

fn exit_of(document: &RestorationDoc) -> Exit {
    match document.gate.as_ref().map(|gate| gate.status) {
        Some(Status::Pass) => Exit::Ok,
        Some(Status::Fail) => Exit::No,
        Some(Status::Fault) | None => Exit::NoVerdict,
    }
}
