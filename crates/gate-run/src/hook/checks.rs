//! The checks of one hook event: the plan's own criteria if a plan is known, the gates of the configuration, and the
//! commands that the worker reports if the configuration asks for them.

use crate::args::Args;
use crate::gates::catalog::Catalog;
use crate::gates::configured::Bench;
use crate::hook::claims::Claimed;
use crate::hook::envelope::Event;
use crate::hook::result_block::ResultBlock;
use crate::hook::subject::{Subject, Within};
use crate::run::budget::Budget;
use crate::run::check::Check;
use config::GateRule;
use ledger::unclear;
use std::path::Path;
use toolkit::Fail;
use wire::gate::Status;
use wire::plan::Criterion;
use wire::{Gate, Level};

/// Runs the checks of one event.
pub(crate) struct Hearing<'a> {
    pub(crate) args: &'a Args,
    pub(crate) catalog: &'a Catalog,
    pub(crate) bench: Bench<'a>,
    pub(crate) subject: Option<Subject>,
    pub(crate) block: ResultBlock,
    /// How many checks of the task's own passed.
    pub(crate) own: u32,
}

impl Hearing<'_> {
    /// Runs the criteria of the worker's task; criteria for a person count as skipped.
    pub(crate) fn of_plan(&mut self, claimed: &[Claimed]) -> Result<(), Fail> {
        let criteria = self.subject.iter().flat_map(|subject| &subject.task.criteria).cloned();
        for criterion in criteria.collect::<Vec<_>>() {
            if criterion.holds().is_some() {
                self.block.reasons.push(format!("{}: {}", unclear::CODE, unclear::words(&criterion)));
                continue;
            }
            if !criterion.runnable || criterion.skip.is_some() {
                self.block.skip += 1;
                continue;
            }
            let gate = self.run(&Check::of_criterion(&criterion, self.budget(None)))?;
            self.own += u32::from(gate.status == Status::Pass);
            let claim = claimed.iter().find(|claim| is_about(claim, &criterion));
            self.count(&gate, &criterion.category, claim.is_some_and(|claim| claim.passed));
        }
        Ok(())
    }

    /// Runs the commands that the worker reports, only if the configuration allows it: a worker that may only edit
    /// must not get a shell by reporting commands. If the plan has criteria of its own, the worker's commands can
    /// only fail: they never make a verdict.
    pub(crate) fn of_worker(&mut self, claimed: &[Claimed], cwd: &Path) -> Result<(), Fail> {
        let own = self.subject.as_ref().map(|subject| subject.task.criteria.clone()).unwrap_or_default();
        let runnable = |criterion: &&Criterion| criterion.runnable && criterion.skip.is_none();
        let is_plans = |claim: &Claimed| own.iter().filter(runnable).any(|c| is_about(claim, c));
        self.bench.runner.place.cwd = cwd.to_path_buf();
        for claim in claimed.iter().filter(|claim| !is_plans(claim)) {
            let Some(command) = claim.command.as_ref().filter(|_| self.catalog.takes_commands()) else {
                self.block.skip += u32::from(self.subject.is_none());
                continue;
            };
            let gate = self.run(&Check::of_line(claim.id.clone(), command, self.budget(None)))?;
            if gate.status != Status::Pass || self.subject.is_none() {
                self.count(&gate, &claim.category, claim.passed);
            }
        }
        Ok(())
    }

    /// Runs the gates for the end of a task inside an attempt; elsewhere, at the end of a turn, the gates for the end
    /// of all.
    pub(crate) fn gates(&mut self, event: Event) -> Result<(), Fail> {
        let moment = match (self.within(), event) {
            (Some(Within::Attempt), _) => "task",
            (_, Event::Stop) => "end",
            _ => return Ok(()),
        };
        self.bench.runner.place.cwd.clone_from(&self.bench.runner.place.root);
        for rule in self.catalog.config.gates.iter().filter(|gate| gate.runs_at(moment)) {
            let rule = self.catalog.resolved(rule, &self.args.set.set)?;
            let gate = self.bench.one(&Check::of_gate(&rule, self.budget(Some(&rule))), 0)?;
            if self.within() != Some(Within::Attempt) {
                self.bench.records.gate(&gate, self.catalog.written(&rule.id))?;
            }
            self.count(&gate, "gate", false);
        }
        Ok(())
    }

    /// The level of evidence of the worker's task. Nothing ran before the work, so that a pass is never more than one.
    pub(crate) fn level(&self) -> Option<Level> {
        let subject = self.subject.as_ref()?;
        Some(match () {
            () if !self.block.is_verified() => Level::Unproved,
            () if self.own > 0 => Level::Passes,
            () if subject.changed => Level::GatesOnly,
            () => Level::Unproved,
        })
    }

    /// Runs a criterion. A worker's session can influence the result, so its record is never proof; inside an attempt
    /// nothing is recorded, because the ledger is guarded there.
    fn run(&self, check: &Check) -> Result<Gate, Fail> {
        let gate = self.bench.one(check, 0)?;
        if self.within() != Some(Within::Attempt) {
            self.bench.records.typed(&gate)?;
        }
        Ok(gate)
    }

    fn count(&mut self, gate: &Gate, category: &str, claimed: bool) {
        if gate.status == Status::Pass {
            self.block.pass += 1;
            return;
        }
        self.block.failed.push(format!("{}:{category}:{}", gate.gate_id, gate.invocation));
        if claimed {
            let measured = gate.measured.as_deref().unwrap_or_default();
            self.block
                .mismatches
                .push(format!("{}: the worker said PASS, measured: {measured}", gate.gate_id));
        }
    }

    fn within(&self) -> Option<Within> {
        self.subject.as_ref().map(|subject| subject.within)
    }

    fn budget(&self, gate: Option<&GateRule>) -> Budget {
        Budget::of(&self.args.budget, None, &self.catalog.config, gate)
    }
}

/// Whether a claim is about a criterion of the plan: by its id, its command or its text.
fn is_about(claim: &Claimed, criterion: &Criterion) -> bool {
    let command = criterion.command.as_deref().map(str::trim);
    claim.id == criterion.id
        || (command.is_some() && claim.command.as_deref() == command)
        || (!claim.description.is_empty() && claim.description == criterion.text.trim())
}
