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
use dialects::{Ask, PlanSnapshot};
use ledger::proof;
use ledger::read_cache::Records;
use ledger::verdict::{self, Scope};
use ledger::{Entry, Ledger};
use repo::tree::Tree;
use serde_json::json;
use std::path::Path;
use std::time::SystemTime;
use toolkit::Fail;
use toolkit::cli::tool;
use toolkit::files::root::Home;
use toolkit::stream::output::Output;
use wire::gate::Status;
use wire::plan::Criterion;
use wire::punch::{Punch, SourceKind, Type};
use wire::{Fingerprint, Gate, State, Task, TreeHash};

/// The inputs for rechecking ticked tasks.
pub(crate) struct Again<'a, 'b> {
    pub(crate) args: &'a Args,
    pub(crate) catalog: &'a Catalog,
    pub(crate) home: &'a Home,
    pub(crate) bench: &'a mut Bench<'b>,
}

impl Again<'_, '_> {
    /// Runs the checks without a pass on the current tree, records them, and returns their results.
    pub(crate) fn run(&mut self, path: &Path, out: &mut Output) -> Result<Vec<Status>, Fail> {
        let done = Done::read(path, self.home)?;
        let budget = Budget::of(&self.args.budget, None, &self.catalog.config, None);
        let (mut statuses, mut passed) = (Vec::new(), Vec::new());
        let mut tree = self.tree(&done)?;
        for (task, criterion) in done.checks() {
            let digest = proof::digest_of(criterion);
            if self.bench.runner.watch.is_over() {
                break;
            }
            if passed.contains(&(digest.clone(), tree.clone())) || done.is_fresh(&digest, tree.as_ref()) {
                continue;
            }
            self.bench.runner.place.bead = task.id.to_string();
            if before::acting(&Check::of_criterion(criterion, budget)).is_some() {
                continue;
            }
            let began = SystemTime::now();
            let mut gate = self.bench.runner.run(&Check::of_criterion(criterion, budget))?;
            let mut after = self.tree(&done)?;
            if after != tree
                && self.bench.records.settle(&done.field.plan.source.path, &done.field.ground, began)?
            {
                after = self.tree(&done)?;
                tree.clone_from(&after);
            }
            bind(&mut gate, tree.as_ref(), after.as_ref());
            tree = after;
            self.record(&done, task, &gate, &digest)?;
            self.say(task, &gate);
            out.document(&gate, self.args.show.pretty)?;
            statuses.push(gate.status);
            match gate.status {
                Status::Pass => passed.push((digest, tree.clone())),
                _ if self.args.set.fail_fast => break,
                _ => {}
            }
        }
        Ok(statuses)
    }

    /// The tree that the proofs of tasks are bound to: without our own files, and with the plan's marks blanked.
    fn tree(&self, done: &Done) -> Result<Option<TreeHash>, Fail> {
        Ok(Tree::now(self.home, &done.field.ground)?.map(|tree| tree.hash))
    }

    fn record(&self, done: &Done, task: &Task, gate: &Gate, digest: &str) -> Result<(), Fail> {
        let records = &self.bench.records;
        records.append(Entry {
            plan: done.field.plan.source.path.clone(),
            task: Some(task.id.clone()),
            fingerprint: Some(done.fingerprint(task)),
            tree: gate.tree_after.clone(),
            source: SourceKind::Gate,
            data: json!({ "gate": gate, "again": true }),
            source_hash: Some(digest.to_owned()),
            ..records.entry(kind_of(gate.status), gate.gate_id.clone())
        })
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

/// The ticked tasks of a plan, tasks whose parts are all ticked, and their records.
struct Done {
    field: PlanSnapshot,
    /// Including their own files.
    tasks: Vec<Task>,
    records: Records,
}

impl Done {
    fn read(path: &Path, home: &Home) -> Result<Self, Fail> {
        let field = PlanSnapshot::at(path, home.root(), None)?;
        let load = field.plan.tasks.iter().filter(|task| is_done(task) && task.detail.is_some());
        let load: Vec<String> = load.map(|task| task.id.0.clone()).collect();
        let tasks = if load.is_empty() {
            field.plan.tasks.clone()
        } else {
            dialects::open_with(path, home.root(), &Ask { load, ..Ask::default() })?.tasks
        };
        let left: Vec<&Task> = dialects::write::left_to_prove(&field);
        let is_left = |task: &Task| left.iter().any(|own| own.id == task.id);
        let tasks: Vec<Task> = tasks.into_iter().filter(|task| is_done(task) || is_left(task)).collect();
        let records = if tasks.is_empty() { Records::default() } else { Ledger::new(home.clone()).read()? };
        Ok(Self { field, tasks, records })
    }

    /// Every runnable check that no person has decided.
    fn checks(&self) -> impl Iterator<Item = (&Task, &Criterion)> {
        let judged = self.tasks.iter().filter(|task| !self.is_by_hand(task));
        judged.flat_map(move |task| {
            let own = task.criteria.iter().filter(|c| c.runnable && c.skip.is_none());
            own.filter(move |c| !self.is_decided(task, c)).map(move |c| (task, c))
        })
    }

    /// Whether the same command passed on this tree, and has not failed there since.
    fn is_fresh(&self, digest: &str, tree: Option<&TreeHash>) -> bool {
        // A worker can change more than the tree (ignored files, empty folders, tags), so a pass from before the last
        // worker does not count.
        let ended = self.records.iter().rposition(|p| p.kind == Type::AttemptEnd).map_or(0, |at| at + 1);
        let scope = Scope { digest: Some(digest), tree, ..Scope::default() };
        let last = verdict::latest_observed(&self.records[ended..], &scope);
        tree.is_some() && last.is_some_and(|p| p.kind == Type::GatePass)
    }

    /// Whether a person ticked the task.
    fn is_by_hand(&self, task: &Task) -> bool {
        let by_hand = |p: &Punch| p.kind == Type::Override && p.key == "tick";
        let last = self.about(task).rev().find(|p| matches!(p.kind, Type::Tick | Type::Untick) || by_hand(p));
        last.is_some_and(by_hand)
    }

    /// Whether a person decided that the check holds, or deferred it.
    fn is_decided(&self, task: &Task, criterion: &Criterion) -> bool {
        let decided = |p: &Punch| p.kind == Type::Override && p.data["criterion"] == criterion.id.as_str();
        self.about(task).any(decided)
    }

    /// The records about the current version of the task.
    fn about(&self, task: &Task) -> impl DoubleEndedIterator<Item = &Punch> {
        let prints = [Some(task.fingerprint.clone()), self.listed(task).map(|own| own.fingerprint.clone())];
        let (plan, id) = (&self.field.plan.source.path, task.id.clone());
        self.records.iter().filter(move |p| {
            p.plan == *plan && p.task.as_ref() == Some(&id) && prints.contains(&p.fingerprint)
        })
    }

    /// The fingerprint that the task was ticked with: a task with its own file has two.
    fn fingerprint(&self, task: &Task) -> Fingerprint {
        let ticked = self.about(task).rev().find(|p| p.kind == Type::Tick);
        let ticked = ticked.and_then(|p| p.fingerprint.clone());
        ticked.or_else(|| self.listed(task).map(|own| own.fingerprint.clone())).unwrap_or_default()
    }

    /// The task as in the plan itself.
    fn listed(&self, task: &Task) -> Option<&Task> {
        self.field.plan.tasks.iter().find(|own| own.id == task.id)
    }
}

fn is_done(task: &Task) -> bool {
    task.state == State::Completed
}
