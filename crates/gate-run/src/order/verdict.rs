//! The verdict on an order: every check of the plan and the configuration, on the current tree.

use crate::args::Args;
use crate::gates::catalog::Catalog;
use crate::gates::records::kind_of;
use crate::order::acts;
use crate::order::checks::{ALLOW_ACTS, Ran, Round, WORKER_COMMANDS};
use crate::order::guard::Guard;
use crate::order::halting;
use crate::order::known_failures::FIXED;
use crate::order::unclear;
use crate::run::progress::Progress;
use dialects::PlanSnapshot;
use ledger::Entry;
use ledger::level;
use ledger::proof;
use ledger::recorder::Recorder;
use ledger::verdict::{self, Scope};
use repo::tree::Tree;
use repo::worktree;
use serde_json::{Value, json};
use std::path::Path;
use toolkit::Fail;
use toolkit::files::lock;
use toolkit::files::root::Home;
use toolkit::stream::stage::{order_of, set};
use wire::gate::Status;
use wire::order::{Category, Coverage, CriterionResult, CriterionStatus, Halt, Verdict, VerdictStatus};
use wire::plan::Criterion;
use wire::punch::{Punch, SourceKind, Trust, Type};
use wire::{Gate, OrderLine};

/// Runs the checks of one order, records them, and sets `verdict`.
pub(crate) fn judge(
    args: &Args,
    desk: &Recorder,
    watch: &Progress,
    line: &mut OrderLine,
) -> Result<(), Fail> {
    let order = order_of(line)?;
    // Landed work is judged a second time, on the combined tree; work that was not landed already has its verdict.
    let own = if order.land.is_some() { "combined" } else { "verdict" };
    if order.land.is_some() && order.halt.is_some() {
        return Ok(());
    }
    if let Some(halt) = &order.halt {
        return set(line, "verdict", &not_run(&format!("halted by {}: {}", halt.stage, halt.code)));
    }
    if watch.is_over() {
        set(line, own, &not_run("interrupted"))?;
        return desk.halt(line, &order, &halting::interrupted());
    }
    let field = PlanSnapshot::of(&order.plan)?;
    let Some(task) = field.handed_out(&order) else {
        set(line, own, &not_run("the task is no longer in the plan as it was handed out"))?;
        let message = format!("task '{}' changed after it was handed out", order.task.id);
        return desk.halt(line, &order, &halting::halt("plan-changed", Category::PlanError, message));
    };
    let place = match worktree::place(&order) {
        // A worker whose tree leads outside stops only its own task.
        Err(fail) if fail.code == "path-outside" => {
            set(line, own, &not_run(&fail.message))?;
            return desk.halt(line, &order, &halting::halt(fail.code, Category::CodeError, fail.message));
        }
        other => other?,
    };
    let root = Path::new(&order.plan.root);
    let catalog = Catalog::load(&args.config, root)?;
    let profile = catalog.config.profile(&order.plan.dialect)?;
    let round = Round {
        args,
        desk,
        watch,
        order: &order,
        task: &task,
        field: &field,
        catalog: &catalog,
        profile: &profile,
        home: Home::of(root)?,
        place,
    };
    if let Some(halt) = unclear::held(&round)? {
        set(line, own, &not_run(&halt.message))?;
        return desk.halt(line, &order, &halt);
    }
    if let Some(place) = round.reviewed_apart()? {
        return round.judge_review(line, &place);
    }
    let lock = order.shares_its_tree().then(|| lock::of_tree(&round.home, crate::STAGE)).transpose()?;
    let mut guard = Guard::of_order(&round.home, &round.place, &field, &order)?;
    let mut ran = round.run()?;
    if let Some((halt, detail)) = round.sort_out(&mut guard, &mut ran)? {
        set(line, own, &not_run(&halt.message))?;
        return desk.halt_with(line, &order, &halt, &detail);
    }
    round.close(&mut ran)?;
    let late = round.before_after_the_fact(&mut ran)?;
    drop(lock);
    if let Some((halt, detail)) = guard.touched(PlanSnapshot::of(&order.plan).ok().as_ref())? {
        set(line, own, &not_run(&halt.message))?;
        return desk.halt_with(line, &order, &halt, &detail);
    }
    let review = match round.review().transpose() {
        Err(halt) => {
            set(line, own, &not_run(&halt.message))?;
            return desk.halt(line, &order, &halt);
        }
        Ok(review) => review,
    };
    let said = review.as_ref().map(|review| round.review_entry(review, ran.whole.as_ref())).transpose()?;
    round.record(&ran, late.into_iter().chain(said).collect())?;
    let made = ran.made.clone();
    let verdict = round.verdict(ran)?;
    set(line, own, &verdict)?;
    match halting::of(&round, &verdict).or_else(|| review?.halt()) {
        None => Ok(()),
        Some((halt, mut detail)) => {
            detail["made"] = json!(made);
            desk.halt_with(line, &order, &halt, &detail)
        }
    }
}

impl Round<'_> {
    /// Records the review of work that waits in a tree of its own. Its checks run where it lands.
    fn judge_review(&self, line: &mut OrderLine, place: &Home) -> Result<(), Fail> {
        let review = match self.review() {
            Some(Ok(review)) => review,
            Some(Err(halt)) => {
                set(line, "verdict", &not_run(&halt.message))?;
                return self.desk.halt(line, self.order, &halt);
            }
            None => return set(line, "verdict", &not_run("the change was not reviewed")),
        };
        let tree = Tree::now(place, &self.field.ground)?;
        self.desk.ledger(self.order)?.append(self.review_entry(&review, tree.as_ref())?)?;
        set(line, "verdict", &not_run("the review is on record; the checks run where the work lands"))?;
        match review.halt() {
            None => Ok(()),
            Some((halt, detail)) => self.desk.halt_with(line, self.order, &halt, &detail),
        }
    }

    /// Sorts out what the checks wrote into the tree. In a tree that several workers share, the writer is unknown.
    fn sort_out(&self, guard: &mut Guard, ran: &mut Ran) -> Result<Option<(Halt, Value)>, Fail> {
        for last in [false, true] {
            if ran.before == ran.tree || self.order.shares_its_tree() {
                break;
            }
            let now = PlanSnapshot::of(&self.order.plan).ok();
            if let Some(touched) = guard.touched(now.as_ref())? {
                return Ok(Some(touched));
            }
            ran.made = self.settle_products(ran.began)?;
            *guard = Guard::of_order(&self.home, &self.place, self.field, self.order)?;
            self.look_again(ran)?;
            if last || ran.before == ran.tree {
                continue;
            }
            // A product that was there before is no part of the tree any more: the checks count on the tree without it.
            let counts_anew = if ran.made.is_empty() {
                true
            } else {
                match self.finds_products(ran, guard)? {
                    Ok(found) => found,
                    Err(touched) => return Ok(Some(touched)),
                }
            };
            *guard = Guard::of_order(&self.home, &self.place, self.field, self.order)?;
            if !counts_anew {
                self.look_again(ran)?;
                break;
            }
            *ran = self.run_again(ran)?;
        }
        Ok(None)
    }

    /// Why a task without any check of the plan's own may proceed; `None` if it may not.
    pub(crate) fn accepted(&self, of_worker: &[Gate]) -> Option<String> {
        let passed = !of_worker.is_empty() && of_worker.iter().all(|gate| gate.status == Status::Pass);
        self.args
            .accept_unproved
            .clone()
            .or_else(|| (self.catalog.takes_commands() && passed).then(|| WORKER_COMMANDS.to_owned()))
    }

    /// Whether an unproved verdict does not halt the order. A worker's own command replaces missing checks, not
    /// missing work.
    pub(crate) fn is_accepted(&self, verdict: &Verdict) -> bool {
        match verdict.coverage.ran {
            0 => self.accepted(&verdict.gates).is_some(),
            _ => self.args.accept_unproved.is_some(),
        }
    }

    /// One record for each check, bound to the tree and to the digest of the command.
    fn record(&self, ran: &Ran, late: Vec<Entry>) -> Result<(), Fail> {
        let checks = proof::checks(self.task, self.ground());
        let mut entries = late;
        let of_worker = ran.of_worker.iter().map(|gate| (gate, SourceKind::Worker, Trust::Typed));
        let own = ran.gates.iter().map(|gate| (gate, SourceKind::Gate, Trust::Observed));
        for (gate, source, trust) in own.chain(of_worker) {
            let mut entry = self.desk.entry(self.order, kind_of(gate.status), gate.gate_id.clone());
            (entry.source, entry.trust) = (source, trust);
            entry.tree.clone_from(&ran.tree);
            entry.source_hash = checks.iter().find(|c| c.key == gate.gate_id).map(|c| c.digest.clone());
            entry.data = json!({ "gate": gate });
            if let Some(fixed) = ran.fixed.get(&gate.gate_id) {
                entry.data[FIXED] = json!(fixed);
            }
            entries.push(entry);
        }
        let accepted = if ran.gates.is_empty() {
            self.accepted(&ran.of_worker)
        } else {
            self.args.accept_unproved.clone().filter(|_| ran.unchanged)
        };
        if let Some(reason) = accepted {
            let mut entry = self.desk.entry(self.order, Type::Override, level::ACCEPT_UNPROVED);
            (entry.source, entry.trust) = (SourceKind::Human, Trust::Typed);
            entry.data = json!({ "reason": reason });
            entries.push(entry);
        }
        if let Some(reason) = self
            .args
            .allow_acts
            .as_ref()
            .filter(|_| ran.gates.iter().any(|g| acts::acting(&g.invocation).is_some()))
        {
            let mut entry = self.desk.entry(self.order, Type::Override, ALLOW_ACTS);
            (entry.source, entry.trust) = (SourceKind::Human, Trust::Typed);
            entry.data = json!({ "reason": reason });
            entries.push(entry);
        }
        if !entries.is_empty() {
            // Each order ends with a synced record: its tick, or what halted it.
            self.desk.ledger(self.order)?.append_unsynced(entries)?;
        }
        Ok(())
    }

    /// The verdict, with the level of evidence that the ledger has now.
    fn verdict(&self, ran: Ran) -> Result<Verdict, Fail> {
        let records = self.desk.ledger(self.order)?.read_about(&self.order.plan.path, &self.task.id)?;
        let tree = ran.whole.as_ref().map(Tree::view);
        let plan = &self.order.plan.path;
        let evidence = level::of(&records, plan, self.task, &self.order.run, tree, self.ground());
        let any = |status| ran.gates.iter().chain(&ran.of_worker).any(|gate| gate.status == status);
        let status = match () {
            () if any(Status::Fail) => VerdictStatus::Failed,
            () if any(Status::Fault) => VerdictStatus::Fault,
            () if ran.gates.is_empty() || ran.unchanged => VerdictStatus::Unproved,
            () => VerdictStatus::Verified,
        };
        let criteria: Vec<_> = self.task.criteria.iter().map(|c| self.result(c, &ran, &records)).collect();
        let count = |wanted: CriterionStatus| number(criteria.iter().filter(|c| c.status == wanted).count());
        let coverage = Coverage {
            ran: number(ran.gates.len()),
            manual: count(CriterionStatus::Manual),
            skipped: count(CriterionStatus::Skip),
        };
        let fault = ran.gates.iter().find(|g| g.status == Status::Fault);
        let fault = fault.map(|g| format!("{}: {}", g.gate_id, g.measured.as_deref().unwrap_or_default()));
        let mismatches = self.mismatches(&criteria);
        let gates = ran.gates.into_iter().chain(ran.of_worker).collect();
        let level = Some(evidence.level);
        Ok(Verdict { status, level, tree: ran.tree, coverage, criteria, gates, mismatches, fault })
    }

    /// Claimed as passed, measured as failed.
    fn mismatches(&self, criteria: &[CriterionResult]) -> Vec<String> {
        let claims = self.order.worker.iter().flat_map(|w| &w.claims);
        let claims = claims.filter(|claim| claim.status.eq_ignore_ascii_case("pass"));
        let failed =
            |r: &&CriterionResult| matches!(r.status, CriterionStatus::Fail | CriterionStatus::Fault);
        let mut out: Vec<String> = Vec::new();
        for claim in claims {
            let same = |r: &&CriterionResult| {
                r.id == claim.id || r.command.as_deref().is_some_and(|c| c.trim() == claim.command.trim())
            };
            if let Some(result) = criteria.iter().filter(failed).find(same)
                && !out.contains(&result.id)
            {
                out.push(result.id.clone());
            }
        }
        out
    }

    /// The result of a criterion. A criterion in prose is for a person, whatever the worker reports for it, unless
    /// that command was run.
    fn result(&self, criterion: &Criterion, ran: &Ran, records: &[Punch]) -> CriterionResult {
        let of = |gates: &[Gate]| gates.iter().find(|g| g.gate_id == criterion.id).cloned();
        let of_worker = of(&ran.of_worker);
        let gate = of(&ran.gates).or_else(|| of_worker.clone());
        let status = match gate.as_ref().map(|g| g.status) {
            Some(Status::Pass) => CriterionStatus::Pass,
            Some(Status::Fail) => CriterionStatus::Fail,
            Some(Status::Fault) => CriterionStatus::Fault,
            None if criterion.skip.is_some() => CriterionStatus::Skip,
            None => CriterionStatus::Manual,
        };
        let reported = self.claimed(criterion).filter(|_| status == CriterionStatus::Manual);
        let command =
            of_worker.as_ref().map(|g| g.invocation.clone()).or_else(|| reported.map(str::to_owned));
        let not_run = reported.map(|_| "reported by the worker, not run".to_owned());
        CriterionResult {
            id: criterion.id.clone(),
            status,
            source: command.as_ref().map(|_| "worker".to_owned()),
            command: command.or_else(|| criterion.command.clone()),
            expect: criterion.command.as_ref().map(|_| criterion.required()),
            before: self.before_of(criterion, records),
            reason: gate.and_then(|g| g.measured).or(not_run).or_else(|| criterion.skip.clone()),
        }
    }
}

impl Round<'_> {
    /// How a criterion came out before the work, where that is known.
    fn before_of(&self, criterion: &Criterion, records: &[Punch]) -> Option<Status> {
        let digest = proof::digest_of(criterion);
        let task = Scope::of_task(&self.order.plan.path, self.task);
        let scope = Scope { key: Some(&criterion.id), digest: Some(&digest), ..task };
        verdict::before(records, &scope).map(|before| before.status)
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn not_run(reason: &str) -> Verdict {
    Verdict {
        status: VerdictStatus::Unproved,
        level: None,
        tree: None,
        coverage: Coverage::default(),
        criteria: Vec::new(),
        gates: Vec::new(),
        mismatches: Vec::new(),
        fault: Some(reason.to_owned()),
    }
}
