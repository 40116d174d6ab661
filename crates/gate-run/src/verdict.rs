//! The verdict on an order: every check of the plan and the configuration, on the tree that is there now.

use crate::STAGE;
use crate::args::Args;
use crate::category;
use crate::check::{Budget, Check, Place, run};
use dialects::Field;
use serde_json::{Value, json};
use std::path::Path;
use toolkit::config::Config;
use toolkit::proof;
use toolkit::redact::Redact;
use toolkit::root::Home;
use toolkit::stage::{Desk, order_of, set};
use toolkit::tree::Tree;
use toolkit::{Fail, ledger::Entry};
use wire::gate::{Status, StopReason};
use wire::order::{Category, Coverage, CriterionResult, CriterionStatus, Halt, Verdict, VerdictStatus};
use wire::plan::Criterion;
use wire::punch::{SourceKind, Trust, Type};
use wire::{Gate, Order, OrderLine, Task, TreeHash};

/// Runs the checks of one order, records them, and sets `verdict`.
pub(crate) fn judge(args: &Args, desk: &Desk, line: &mut OrderLine) -> Result<(), Fail> {
    let order = order_of(line)?;
    if let Some(halt) = &order.halt {
        return set(line, "verdict", &not_run(&format!("halted by {}: {}", halt.stage, halt.code)));
    }
    let field = Field::of(&order.plan)?;
    let Some(task) = field.task(&order.task.id, &order.task.fingerprint) else {
        set(line, "verdict", &not_run("the task is no longer in the plan as it was handed out"))?;
        let message = format!("task '{}' changed after it was handed out", order.task.id);
        return desk.halt(line, &order, &halt("plan-changed", Category::PlanError, message, true));
    };
    let root = Path::new(&order.plan.root);
    let config = args.config.load(root)?;
    let bench =
        Bench { args, desk, order: &order, task, field: &field, config: &config, home: Home::of(root)? };
    let verdict = bench.run()?;
    set(line, "verdict", &verdict)?;
    bench.conclude(line, &verdict)
}

/// Everything that the checks of one order need.
struct Bench<'a> {
    args: &'a Args,
    desk: &'a Desk,
    order: &'a Order,
    task: &'a Task,
    field: &'a Field,
    config: &'a Config,
    home: Home,
}

impl Bench<'_> {
    fn run(&self) -> Result<Verdict, Fail> {
        // The tree that the worker left is the one before the checks, unless others worked on after it or this is a
        // later round.
        let alone =
            self.order.worker.as_ref().filter(|w| w.batch.unwrap_or(1) <= 1 && self.order.resume.is_none());
        let before = match alone.and_then(|w| w.tree_after.clone()) {
            Some(left) => Some(left),
            None => self.tree()?,
        };
        let mut gates = self.checks()?;
        let after = self.tree()?;
        if before != after {
            for gate in gates.iter_mut().filter(|g| g.status == Status::Pass) {
                gate.status = Status::Fault;
                gate.stop_reason = StopReason::TreeMoved;
                gate.measured = Some("files changed while the checks ran".to_owned());
            }
        }
        for gate in &mut gates {
            gate.tree_before.clone_from(&before);
            gate.tree_after.clone_from(&after);
        }
        self.record(&gates, after.as_ref())?;
        Ok(self.verdict(gates, after))
    }

    fn tree(&self) -> Result<Option<TreeHash>, Fail> {
        Ok(Tree::now(&self.home, &self.field.ground)?.map(|t| t.hash))
    }

    /// All of them, not only up to the first failure.
    fn checks(&self) -> Result<Vec<Gate>, Fail> {
        let redact = Redact::new(&self.config.redact.patterns)?;
        let place = Place {
            cwd: self.home.root().to_path_buf(),
            root: self.home.root().to_path_buf(),
            logs: Some(self.home.folder(&format!("logs/{}", self.order.run))?),
            bead: self.task.id.to_string(),
            started: self.desk.clock.now(),
        };
        let budget = |timeout, stall, tail| Budget::of(self.args, Some(self.config), timeout, stall, tail);
        let own = self.runnable().map(|c| Check::of_criterion(c, budget(None, None, None)));
        let gates = self.config.gates.iter().filter(|g| g.runs_at("task")).map(|g| {
            let check = Check::of_gate(g, budget(g.timeout_seconds, g.stall_seconds, g.tail_lines));
            Check { id: proof::gate_key(&g.id), ..check }
        });
        own.chain(gates).map(|check| run(&check, &place, &redact)).collect()
    }

    fn runnable(&self) -> impl Iterator<Item = &Criterion> {
        self.task.criteria.iter().filter(|c| c.runnable && c.skip.is_none())
    }

    /// One record for each check, bound to the tree and to the digest of the command.
    fn record(&self, gates: &[Gate], tree: Option<&TreeHash>) -> Result<(), Fail> {
        let checks = proof::checks(self.task, self.config);
        let mut entries: Vec<Entry> = Vec::new();
        for gate in gates {
            let kind = match gate.status {
                Status::Pass => Type::GatePass,
                Status::Fail => Type::GateFail,
                Status::Fault => Type::GateFault,
            };
            let mut entry = self.desk.entry(self.order, kind, gate.gate_id.clone());
            entry.source = SourceKind::Gate;
            entry.tree = tree.cloned();
            entry.source_hash = checks.iter().find(|c| c.key == gate.gate_id).map(|c| c.digest.clone());
            entry.data = json!({ "gate": gate });
            entries.push(entry);
        }
        if let Some(reason) = self.args.accept_unproved.as_ref().filter(|_| gates.is_empty()) {
            let mut entry = self.desk.entry(self.order, Type::Override, "accept-unproved");
            entry.source = SourceKind::Human;
            entry.trust = Trust::Typed;
            entry.data = json!({ "reason": reason });
            entries.push(entry);
        }
        if !entries.is_empty() {
            self.desk.ledger(self.order)?.append_all(entries)?;
        }
        Ok(())
    }

    fn verdict(&self, gates: Vec<Gate>, tree: Option<TreeHash>) -> Verdict {
        let status = match () {
            () if gates.is_empty() => VerdictStatus::Unproved,
            () if gates.iter().any(|g| g.status == Status::Fail) => VerdictStatus::Failed,
            () if gates.iter().any(|g| g.status == Status::Fault) => VerdictStatus::Fault,
            () => VerdictStatus::Verified,
        };
        let criteria: Vec<_> = self.task.criteria.iter().map(|c| result(c, &gates)).collect();
        let count = |wanted: CriterionStatus| {
            u32::try_from(criteria.iter().filter(|c| c.status == wanted).count()).unwrap_or(u32::MAX)
        };
        let coverage = Coverage {
            ran: u32::try_from(gates.len()).unwrap_or(u32::MAX),
            manual: count(CriterionStatus::Manual),
            skipped: count(CriterionStatus::Skip),
        };
        let fault = gates.iter().find(|g| g.status == Status::Fault);
        let fault = fault.map(|g| format!("{}: {}", g.gate_id, g.measured.as_deref().unwrap_or_default()));
        let mismatches = self.mismatches(&criteria);
        Verdict { status, tree, coverage, criteria, gates, mismatches, fault }
    }

    /// Claimed as passed, measured as failed.
    fn mismatches(&self, criteria: &[CriterionResult]) -> Vec<String> {
        let claims = self.order.worker.iter().flat_map(|w| &w.claims).filter(|c| c.status == "PASS");
        let failed =
            |r: &&CriterionResult| matches!(r.status, CriterionStatus::Fail | CriterionStatus::Fault);
        let mut out: Vec<String> = Vec::new();
        for claim in claims {
            let same = |r: &&CriterionResult| {
                r.id == claim.id || r.command.as_deref().is_some_and(|c| c == claim.command)
            };
            if let Some(result) = criteria.iter().filter(failed).find(same)
                && !out.contains(&result.id)
            {
                out.push(result.id.clone());
            }
        }
        out
    }

    /// A verdict that is no pass halts the order, with what the next attempt must know on record.
    fn conclude(&self, line: &mut OrderLine, verdict: &Verdict) -> Result<(), Fail> {
        let failed: Vec<Value> =
            verdict.gates.iter().filter(|g| g.status != Status::Pass).map(shown).collect();
        let lines: Vec<String> =
            verdict.gates.iter().flat_map(|g| g.last_output_lines.iter().cloned()).collect();
        let names: Vec<_> =
            verdict.gates.iter().filter(|g| g.status != Status::Pass).map(|g| g.gate_id.as_str()).collect();
        let names = names.join(", ");
        let halt = match verdict.status {
            VerdictStatus::Verified => return Ok(()),
            VerdictStatus::Unproved if self.args.accept_unproved.is_some() => return Ok(()),
            VerdictStatus::Unproved => {
                let message =
                    "nothing could be run: the task has no runnable criterion and no gate".to_owned();
                Halt { retry: false, ..halt("unproved", Category::PlanError, message, true) }
            }
            VerdictStatus::Failed => {
                halt("checks-failed", category::of(&lines), format!("checks failed: {names}"), true)
            }
            VerdictStatus::Fault => {
                halt("checks-fault", Category::EnvError, format!("no verdict: {names}"), true)
            }
        };
        // In a batch another worker's half edit may be the cause: tried alone before it counts.
        let batch = self.order.worker.as_ref().and_then(|w| w.batch).unwrap_or(1);
        let halt = Halt { counts: halt.counts && batch <= 1, ..halt };
        let detail = json!({ "failed": failed, "mismatches": verdict.mismatches, "batch": batch });
        self.desk.halt_with(line, self.order, &halt, &detail)
    }
}

fn result(criterion: &Criterion, gates: &[Gate]) -> CriterionResult {
    let gate = gates.iter().find(|g| g.gate_id == criterion.id);
    let status = match gate.map(|g| g.status) {
        Some(Status::Pass) => CriterionStatus::Pass,
        Some(Status::Fail) => CriterionStatus::Fail,
        Some(Status::Fault) => CriterionStatus::Fault,
        None if criterion.skip.is_some() => CriterionStatus::Skip,
        None => CriterionStatus::Manual,
    };
    CriterionResult {
        id: criterion.id.clone(),
        status,
        command: criterion.command.clone(),
        expect: criterion.expect.as_ref().map(|e| e.text.clone()),
        reason: gate.and_then(|g| g.measured.clone()).or_else(|| criterion.skip.clone()),
    }
}

fn shown(gate: &Gate) -> Value {
    json!({
        "id": gate.gate_id, "command": gate.invocation, "expect": gate.expect.as_deref().unwrap_or("exit 0"),
        "reason": gate.measured, "tail": gate.last_output_lines, "log": gate.log,
    })
}

fn not_run(reason: &str) -> Verdict {
    Verdict {
        status: VerdictStatus::Unproved,
        tree: None,
        coverage: Coverage::default(),
        criteria: Vec::new(),
        gates: Vec::new(),
        mismatches: Vec::new(),
        fault: Some(reason.to_owned()),
    }
}

fn halt(code: &str, category: Category, message: String, counts: bool) -> Halt {
    Halt { stage: STAGE.into(), code: code.into(), category, message, retry: true, counts, not_before: None }
}
