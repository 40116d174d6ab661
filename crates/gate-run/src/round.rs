//! The checks of one order: the plan's criteria, the gates set for tasks, the steps of a runbook, and what the worker
//! says that it ran for criteria that only a person can judge.

use crate::args::Args;
use crate::budget::Budget;
use crate::builtin::Base;
use crate::catalog::Catalog;
use crate::check::{Check, What};
use crate::logs::{self, Keep};
use crate::missing::Markers;
use crate::records::{bind, name_files};
use crate::runner::{Place, Runner};
use crate::watch::Watch;
use crate::{outcome, restore, step};
use dialects::Field;
use std::time::{Duration, SystemTime};
use toolkit::config::GateRule;
use toolkit::git::Git;
use toolkit::kept::Records;
use toolkit::ledger::Ledger;
use toolkit::proof;
use toolkit::redact::Redact;
use toolkit::root::{Home, has_git};
use toolkit::stage::Desk;
use toolkit::tree::Tree;
use toolkit::{Fail, fs};
use wire::gate::{Status, StopReason};
use wire::order::Worker;
use wire::plan::Criterion;
use wire::{Gate, Order, Task, TreeHash};

/// How far the times of files may be behind.
const CLOCK: Duration = Duration::from_millis(10);

/// The word in `[defaults] accept` that lets the worker's own commands count.
pub(crate) const WORKER_COMMANDS: &str = "worker-commands";

/// Everything that the checks of one order need.
pub(crate) struct Round<'a> {
    pub(crate) args: &'a Args,
    pub(crate) desk: &'a Desk,
    pub(crate) watch: &'a Watch,
    pub(crate) order: &'a Order,
    pub(crate) task: &'a Task,
    pub(crate) field: &'a Field,
    pub(crate) catalog: &'a Catalog,
    pub(crate) home: Home,
    /// The tree that is judged: the root's, or the task's own.
    pub(crate) place: Home,
}

/// What was run.
#[derive(Default)]
pub(crate) struct Ran {
    /// The plan's and the configuration's own checks.
    pub(crate) gates: Vec<Gate>,
    /// The worker's commands, by the criterion that they are for.
    pub(crate) of_worker: Vec<Gate>,
    pub(crate) tree: Option<TreeHash>,
    /// Files that the checks themselves made or changed, where the tree moved under them.
    pub(crate) made: Vec<String>,
}

impl Round<'_> {
    /// Runs all of them, not only up to the first failure. A fix is run once, and then everything again on its tree.
    pub(crate) fn run(&self) -> Result<Ran, Fail> {
        let combined = self.is_combined();
        // A step is looked at where its worker was, and once.
        let steps = if combined {
            Vec::new()
        } else {
            step::checks(self.order, self.field, &self.home, &self.place)?
        };
        let runner = self.runner()?;
        let began = SystemTime::now();
        // The tree that the worker left is the one before the checks, unless others worked on after it or this is a
        // later round.
        let alone = |w: &&Worker| {
            w.batch.unwrap_or(1) <= 1 && w.worktree.is_none() && self.order.resume.is_none() && !combined
        };
        let left = self.order.worker.as_ref().filter(alone).and_then(|w| w.tree_after.clone());
        let mut before = if left.is_some() { left } else { self.tree()? };
        let checks = self.checks()?;
        let mut gates = self.all(&runner, &checks)?;
        // What mends a tree mends the task's own: the combined one may have to be what it was.
        let fixes = if combined { Vec::new() } else { self.fixes(&runner, &checks, &gates)? };
        if fixes.iter().any(Option::is_some) {
            before = self.tree()?;
            gates = self.all(&runner, &checks)?;
            for (gate, fix) in gates.iter_mut().zip(fixes) {
                gate.attempts = 2;
                gate.fix = fix;
            }
        }
        let mut of_worker = self.all(&runner, &self.reported())?;
        for (id, outcome, found) in steps {
            gates.push(runner.document(&self.step(id), &outcome, None, found, None));
        }
        let tree = self.tree()?;
        gates.iter_mut().chain(&mut of_worker).for_each(|gate| bind(gate, before.as_ref(), tree.as_ref()));
        let made = if before == tree { Vec::new() } else { self.made_since(began)? };
        name_files(gates.iter_mut().chain(&mut of_worker), &made);
        Ok(Ran { gates, of_worker, tree, made })
    }

    fn tree(&self) -> Result<Option<TreeHash>, Fail> {
        Ok(Tree::now(&self.place, &self.field.ground)?.map(|t| t.hash))
    }

    /// What is not committed and changed since then, as far as files tell.
    fn made_since(&self, began: SystemTime) -> Result<Vec<String>, Fail> {
        if !has_git(self.place.root()) {
            return Ok(Vec::new());
        }
        // Files have times that are a little behind.
        let is_new = |path: &String| {
            let changed = fs::changed_at(&self.place.root().join(path));
            changed.is_some_and(|changed| changed + CLOCK >= began)
        };
        let ground = &self.field.ground;
        let mut changed = Git::new(self.place.clone()).changed()?;
        changed.retain(|path| !ground.is_own(path) && !ground.is_plan(path) && is_new(path));
        Ok(changed)
    }

    /// Whether the work was judged in a tree of its own before and is judged with everybody's now.
    pub(crate) fn is_combined(&self) -> bool {
        self.order.land.is_some()
    }

    fn runner(&self) -> Result<Runner<'_>, Fail> {
        let config = &self.catalog.config;
        let logs = self.home.folder(&format!("logs/{}", self.order.run))?;
        logs::prune(&self.home, &config.logs, &logs);
        let declared = self.task.files.iter().map(|file| file.path.clone()).collect();
        Ok(Runner {
            place: Place {
                cwd: self.place.root().to_path_buf(),
                root: self.home.root().to_path_buf(),
                logs: Some(logs),
                bead: self.task.id.to_string(),
                started: self.desk.clock.now(),
            },
            watch: self.watch,
            redact: Redact::of(&config.redact)?,
            markers: Markers::new(&config.defaults.env_markers)?,
            keep: Keep::of(&self.args.keep, &config.logs),
            base: Base::of(&self.place, &self.args.set.base, declared, &config.suppressions)?,
        })
    }

    /// The plan's own criteria, then the gates that are for the task.
    fn checks(&self) -> Result<Vec<Check>, Fail> {
        let config = &self.catalog.config;
        let profile = self.catalog.profile(self.args.set.profile.as_deref())?;
        let budget = |gate: Option<&GateRule>| Budget::of(&self.args.budget, profile, config, gate);
        let own = self.task.criteria.iter().filter(|c| c.runnable && c.skip.is_none());
        let own = own.map(|c| Ok(Check::of_criterion(c, budget(None))));
        // Only a gate of the configuration can have been fitted; without one nothing need be looked up.
        let any = config.gates.iter().any(|gate| proof::is_for(self.task, gate));
        let records = if any { Ledger::new(self.home.clone()).read()? } else { Records::default() };
        let gates = config.gates.iter().filter(|gate| proof::is_for(self.task, gate)).map(|gate| {
            let gate = self.catalog.resolved(gate, &self.args.set.set)?;
            let own = budget(Some(&gate));
            let fitted = restore::fitted_with(&records, &gate.id);
            let check =
                Check::of_gate(&gate, fitted.map_or(own, |fitted| fitted.applied(own, &config.defaults)));
            Ok(Check { id: proof::gate_key(&gate.id), ..check })
        });
        own.chain(gates).collect()
    }

    /// Each check with a verdict; one that was not begun because we must stop has none.
    fn all(&self, runner: &Runner<'_>, checks: &[Check]) -> Result<Vec<Gate>, Fail> {
        let run = |check: &Check| {
            if self.watch.is_over() {
                let outcome = outcome::fault(StopReason::Interrupted, "was not begun");
                return Ok(runner.document(check, &outcome, None, Vec::new(), None));
            }
            runner.run(check)
        };
        checks.iter().map(run).collect()
    }

    /// Runs the fix of each check that failed and has one; says which were run.
    fn fixes(
        &self,
        runner: &Runner<'_>,
        checks: &[Check],
        gates: &[Gate],
    ) -> Result<Vec<Option<String>>, Fail> {
        let mut out = Vec::new();
        for (check, gate) in checks.iter().zip(gates) {
            let fix = check.fix.as_ref().filter(|_| gate.status == Status::Fail && !self.watch.is_over());
            out.push(match fix {
                None => None,
                Some(fix) => {
                    let fixed =
                        runner.run(&Check::of_line(format!("{}-fix", check.id), fix, check.budget))?;
                    Some(format!("{} ({})", fixed.invocation, fixed.measured.unwrap_or_default()))
                }
            });
        }
        Ok(out)
    }

    /// What the worker says that it ran for criteria that no program can judge by the plan alone. Who may only edit must
    /// not get a shell by saying so: without the configuration's word for it nothing of it is run.
    fn reported(&self) -> Vec<Check> {
        if !self.catalog.takes_commands() {
            return Vec::new();
        }
        let budget = Budget::of(&self.args.budget, None, &self.catalog.config, None);
        let for_people = self.task.criteria.iter().filter(|c| !c.runnable && c.skip.is_none());
        let claimed = for_people.filter_map(|c| Some((c, self.claimed(c)?)));
        claimed.map(|(c, line)| Check::of_line(c.id.clone(), line, budget)).collect()
    }

    /// The command that the worker reports for a criterion.
    pub(crate) fn claimed(&self, criterion: &Criterion) -> Option<&str> {
        let claims = self.order.worker.iter().flat_map(|worker| &worker.claims);
        let about = claims.filter(|c| c.id == criterion.id || c.description.trim() == criterion.text.trim());
        about.map(|claim| claim.command.trim()).find(|command| !command.is_empty())
    }

    /// A check of a step, which starts no program.
    fn step(&self, id: &str) -> Check {
        let budget = Budget::of(&self.args.budget, None, &self.catalog.config, None);
        Check { what: What::Line(id.to_owned()), ..Check::of_line(id.to_owned(), id, budget) }
    }
}
