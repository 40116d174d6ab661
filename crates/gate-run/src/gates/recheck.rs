//! At the end of a plan: runs the checks of its ticked tasks again, on the final tree.
//!
//! A later task may break what an earlier one had made true. A check that passed on this very tree is not run again. A
//! task or check that a person ticked, decided or deferred rests on that person's word, which is on record with its
//! reason. Nothing is unticked here.

use crate::args::Args;
use crate::gates::catalog::Catalog;
use crate::gates::configured::Bench;
use crate::gates::one_command;
use crate::gates::records::{bind, kind_of};
use crate::order::before;
use crate::run::budget::Budget;
use crate::run::check::Check;
use attest::ticked::{Ticked, is_done};
use ledger::Entry;
use ledger::proof;
use repo::tree::Tree;
use serde_json::json;
use std::collections::HashSet;
use std::path::Path;
use std::time::SystemTime;
use toolkit::Fail;
use toolkit::cli::tool;
use toolkit::files::root::Home;
use toolkit::stream::output::Output;
use wire::gate::Status;
use wire::punch::SourceKind;
use wire::{Gate, Task, TaskId, TreeHash};

/// The inputs for rechecking ticked tasks.
pub(crate) struct Again<'a, 'b> {
    pub(crate) args: &'a Args,
    pub(crate) catalog: &'a Catalog,
    pub(crate) home: &'a Home,
    pub(crate) bench: &'a mut Bench<'b>,
    /// The checks whose evidence does not fit, if only these are asked for.
    pub(crate) only: Option<&'a HashSet<(TaskId, String)>>,
}

/// What the record of a check is found by.
struct Evidenced {
    key: String,
    digest: String,
}

impl Again<'_, '_> {
    /// Runs the checks without a pass on the current tree, and returns their results and the records to write: with
    /// one write, once the ledger was compared with what it was before them.
    pub(crate) fn run(&mut self, path: &Path, out: &mut Output) -> Result<(Vec<Status>, Vec<Entry>), Fail> {
        let done = Ticked::read(path, self.home)?;
        let (mut statuses, mut passed, mut entries) = (Vec::new(), HashSet::new(), Vec::new());
        let mut tree = self.tree(&done)?;
        for (task, check, Evidenced { key, digest }) in self.wanted(&done)? {
            if self.bench.runner.watch.is_over() {
                break;
            }
            let is_known = passed.contains(&(digest.clone(), tree.clone()))
                || !self.args.set.again && done.fresh(&digest, tree.as_ref()).is_some();
            if is_known && !done.failed_last(task, &key) {
                continue;
            }
            self.bench.runner.place.bead = task.id.to_string();
            if before::acting(&check).is_some() {
                if self.only.is_some() {
                    let why = "acts, so it is not run again: its evidence stays as it is";
                    tool::note(&format!("gate-run: check {key} of task '{}' {why}", task.id));
                    statuses.push(Status::Fault);
                }
                continue;
            }
            let began = SystemTime::now();
            let mut gate = self.bench.runner.run(&check)?;
            let mut after = self.tree(&done)?;
            if after != tree
                && self.bench.records.settle(&done.field.plan.source.path, &done.field.ground, began)?
            {
                after = self.tree(&done)?;
                tree.clone_from(&after);
            }
            bind(&mut gate, tree.as_ref(), after.as_ref());
            tree = after;
            entries.push(self.entry(&done, task, &gate, key, &digest));
            self.say(task, &gate);
            out.document(&gate, self.args.show.pretty)?;
            statuses.push(gate.status);
            match gate.status {
                Status::Pass => drop(passed.insert((digest, tree.clone()))),
                _ if self.args.set.fail_fast => break,
                _ => {}
            }
        }
        Ok((statuses, entries))
    }

    /// The checks of ticked tasks; of those with evidence in the history only what does not fit, and the gates as well.
    fn wanted<'t>(&self, done: &'t Ticked) -> Result<Vec<(&'t Task, Check, Evidenced)>, Fail> {
        let budget = |gate| Budget::of(&self.args.budget, None, &self.catalog.config, gate);
        let is_asked = |task: &Task, key: &str| {
            self.only.is_none_or(|only| only.contains(&(task.id.clone(), key.to_owned())))
        };
        let own = done.checks().filter(|(task, criterion)| is_asked(task, &criterion.id));
        let mut out: Vec<_> = own
            .map(|(task, criterion)| {
                let evidenced = Evidenced { key: criterion.id.clone(), digest: proof::digest_of(criterion) };
                (task, Check::of_criterion(criterion, budget(None)), evidenced)
            })
            .collect();
        if self.only.is_none() {
            return Ok(out);
        }
        for task in &done.tasks {
            for gate in &self.catalog.config.gates {
                let key = proof::gate_key(&gate.id);
                if is_asked(task, &key) {
                    let rule = self.catalog.resolved(gate, &self.args.set.set)?;
                    let evidenced = Evidenced { key, digest: proof::digest(&gate.invocation, "") };
                    out.push((task, Check::of_gate(&rule, budget(Some(gate))), evidenced));
                }
            }
        }
        Ok(out)
    }

    /// The tree that the proofs of tasks are bound to: without our own files, and with the plan's marks blanked.
    fn tree(&self, done: &Ticked) -> Result<Option<TreeHash>, Fail> {
        Ok(Tree::now(self.home, &done.field.ground)?.map(|tree| tree.hash))
    }

    fn entry(&self, done: &Ticked, task: &Task, gate: &Gate, key: String, digest: &str) -> Entry {
        Entry {
            plan: done.field.plan.source.path.clone(),
            task: Some(task.id.clone()),
            fingerprint: Some(done.fingerprint(task)),
            tree: gate.tree_after.clone(),
            source: SourceKind::Gate,
            data: json!({ "gate": gate, "again": true }),
            source_hash: Some(digest.to_owned()),
            ..self.bench.records.entry(kind_of(gate.status), key)
        }
    }

    /// Always reports a check that no longer holds; reports the others only to a person.
    fn say(&self, task: &Task, gate: &Gate) {
        let now = match gate.status {
            Status::Pass => return one_command::say(self.args, gate),
            Status::Fail => "fails",
            Status::Fault => "has no verdict",
        };
        let measured = gate.measured.as_deref().unwrap_or_default();
        let stands = if is_done(task) { "is ticked" } else { "has its parts done" };
        tool::note(&format!(
            "gate-run: task '{}' {stands}, and its check {} {now} on the tree that is left: '{}', {measured}",
            task.id, gate.gate_id, gate.invocation
        ));
    }
}
