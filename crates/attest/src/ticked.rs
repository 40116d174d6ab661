//! The ticked tasks of a plan, tasks whose parts are all ticked, and their records.

use dialects::{Ask, PlanSnapshot};
use ledger::Ledger;
use ledger::read_cache::Records;
use ledger::verdict::{self, Scope};
use std::path::Path;
use toolkit::Fail;
use toolkit::files::root::Home;
use wire::plan::Criterion;
use wire::punch::{Punch, Type};
use wire::{Fingerprint, State, Task, TreeHash};

/// The tasks, and what is on record.
pub struct Ticked {
    /// The plan.
    pub field: PlanSnapshot,
    /// The tasks, including their own files.
    pub tasks: Vec<Task>,
    /// The records of the plan; none in a clone.
    pub records: Records,
    /// The records of all plans, and of none, since the last worker ended, of whatever plan: a gate of the project belongs to
    /// no plan.
    since: Vec<Punch>,
}

impl Ticked {
    /// Reads a plan and its records.
    pub fn read(path: &Path, home: &Home) -> Result<Self, Fail> {
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
        if tasks.is_empty() {
            return Ok(Self { field, tasks, records: Records::default(), since: Vec::new() });
        }
        let ledger = Ledger::new(home.clone());
        let records = ledger.read_of(&field.plan.source.path)?;
        let is_end = |p: &&Punch| p.kind == Type::AttemptEnd;
        let own = records.iter().rev().find(is_end).or(records.first()).map_or(u64::MAX, |p| p.seq);
        // The worker of another plan may have changed the tree since.
        let later = ledger.read_since(own)?;
        let worked = later.iter().rposition(|p| is_end(&p)).map_or(0, |at| at + 1);
        let since = later[worked..].to_vec();
        Ok(Self { field, tasks, records, since })
    }

    /// Every runnable check that no person has decided.
    pub fn checks(&self) -> impl Iterator<Item = (&Task, &Criterion)> {
        let judged = self.tasks.iter().filter(|task| self.by_hand(task).is_none());
        judged.flat_map(move |task| {
            let own = task.criteria.iter().filter(|c| c.runnable && c.skip.is_none());
            own.filter(move |c| !self.is_decided(task, c)).map(move |c| (task, c))
        })
    }

    /// The record by which the same command passed on this tree, if it has not failed there since.
    pub fn fresh(&self, digest: &str, tree: Option<&TreeHash>) -> Option<&Punch> {
        // A worker can change more than the tree (ignored files, empty folders, tags), so a pass from before the last
        // worker does not count.
        let scope = Scope { digest: Some(digest), tree, ..Scope::default() };
        let last = verdict::latest_observed(&self.since, &scope);
        last.filter(|p| tree.is_some() && p.kind == Type::GatePass)
    }

    /// Whether the last result of a check of the task is no pass: what the same command gave for another task does not tell.
    pub fn failed_last(&self, task: &Task, key: &str) -> bool {
        let is_result =
            |p: &&Punch| p.key == key && matches!(p.kind, Type::GatePass | Type::GateFail | Type::GateFault);
        self.about(task).rev().find(is_result).is_some_and(|p| p.kind != Type::GatePass)
    }

    /// The record by which a person ticked the task.
    pub fn by_hand(&self, task: &Task) -> Option<&Punch> {
        let by_hand = |p: &Punch| p.kind == Type::Override && p.key == "tick";
        let last = self.about(task).rev().find(|p| matches!(p.kind, Type::Tick | Type::Untick) || by_hand(p));
        last.filter(|record| by_hand(record))
    }

    /// Whether a person decided that the check holds, or deferred it.
    pub fn is_decided(&self, task: &Task, criterion: &Criterion) -> bool {
        let decided = |p: &Punch| p.kind == Type::Override && p.data["criterion"] == criterion.id.as_str();
        self.about(task).any(decided)
    }

    /// The records about the current version of the task.
    pub fn about(&self, task: &Task) -> impl DoubleEndedIterator<Item = &Punch> {
        let prints = self.fingerprints(task).map(Some);
        let (plan, id) = (&self.field.plan.source.path, task.id.clone());
        self.records.iter().filter(move |p| {
            p.plan == *plan && p.task.as_ref() == Some(&id) && prints.contains(&p.fingerprint)
        })
    }

    /// The fingerprint that the task was ticked with: a task with its own file has two.
    pub fn fingerprint(&self, task: &Task) -> Fingerprint {
        let ticked = self.about(task).rev().find(|p| p.kind == Type::Tick);
        let ticked = ticked.and_then(|p| p.fingerprint.clone());
        ticked.unwrap_or_else(|| self.fingerprints(task)[1].clone())
    }

    /// The fingerprints of the task: with its own file, and as in the plan itself.
    pub fn fingerprints(&self, task: &Task) -> [Fingerprint; 2] {
        let listed = self.field.plan.tasks.iter().find(|own| own.id == task.id);
        [task.fingerprint.clone(), listed.map_or_else(Fingerprint::default, |own| own.fingerprint.clone())]
    }
}

/// Whether a task is ticked.
pub fn is_done(task: &Task) -> bool {
    task.state == State::Completed
}
