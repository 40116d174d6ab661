//! The checks of one hook event: the plan's own criteria where a plan is known, the gates of the configuration, and, only
//! where the configuration asks for it, the commands that the worker reports.

use crate::args::Args;
use crate::block::Block;
use crate::budget::Budget;
use crate::catalog::Catalog;
use crate::check::Check;
use crate::claims::Claimed;
use crate::envelope::Event;
use crate::set::Bench;
use crate::subject::{Subject, Within};
use std::path::Path;
use toolkit::Fail;
use toolkit::config::GateRule;
use wire::Gate;
use wire::gate::Status;
use wire::plan::Criterion;

/// Runs the checks of one event.
pub(crate) struct Hearing<'a> {
    pub(crate) args: &'a Args,
    pub(crate) catalog: &'a Catalog,
    pub(crate) bench: Bench<'a>,
    pub(crate) subject: Option<Subject>,
    pub(crate) block: Block,
}

impl Hearing<'_> {
    /// The criteria of the task that the worker was given; those for a person are counted as skipped.
    pub(crate) fn of_plan(&mut self, claimed: &[Claimed]) -> Result<(), Fail> {
        let criteria = self.subject.iter().flat_map(|subject| &subject.task.criteria).cloned();
        for criterion in criteria.collect::<Vec<_>>() {
            if !criterion.runnable || criterion.skip.is_some() {
                self.block.skip += 1;
                continue;
            }
            let gate = self.run(&Check::of_criterion(&criterion, self.budget(None)))?;
            let claim = claimed.iter().find(|claim| is_about(claim, &criterion));
            self.count(&gate, &criterion.category, claim.is_some_and(|claim| claim.passed));
        }
        Ok(())
    }

    /// The commands that the worker reports: who may only edit must not get a shell by saying so, so that without the
    /// configuration's word for it nothing of it is run. Where the plan has criteria of its own, what the worker adds can
    /// only fail: it never makes a verdict.
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

    /// The gates for the end of a task inside an attempt, and for the end of all at the end of a turn elsewhere.
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

    /// Runs a criterion. On record it is what a worker's session can bring about, and never proof; inside an attempt
    /// nothing is recorded, because there the ledger is held.
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

/// Whether a claim is about a criterion of the plan: by its id, its command or its words.
fn is_about(claim: &Claimed, criterion: &Criterion) -> bool {
    let command = criterion.command.as_deref().map(str::trim);
    claim.id == criterion.id
        || (command.is_some() && claim.command.as_deref() == command)
        || (!claim.description.is_empty() && claim.description == criterion.text.trim())
}
