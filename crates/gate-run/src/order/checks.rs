//! The checks of one order: the plan's criteria, the gates set for tasks, the steps of a runbook, and the commands
//! that the worker reports for criteria that only a person can judge.

use crate::args::Args;
use crate::builtin::Base;
use crate::gates::catalog::Catalog;
use crate::gates::records::{bind, name_files};
use crate::order::worker_left;
use crate::restore;
use crate::run::budget::Budget;
use crate::run::check::{Check, What};
use crate::run::logs::{self, Keep};
use crate::run::missing::Markers;
use crate::run::outcome;
use crate::run::progress::Progress;
use crate::run::runner::{RunLocation, Runner};
use config::GateRule;
use config::profile::Profile;
use dialects::PlanSnapshot;
use ledger::Ledger;
use ledger::changed;
use ledger::proof;
use ledger::read_cache::Records;
use ledger::recorder::Recorder;
use repo::git::Git;
use repo::tree::Tree;
use std::time::{Duration, SystemTime};
use toolkit::Fail;
use toolkit::files::fs;
use toolkit::files::redact::Redact;
use toolkit::files::root::{Home, has_git};
use wire::gate::{Status, StopReason};
use wire::order::Worker;
use wire::plan::Criterion;
use wire::{Gate, Order, Task, TreeHash};

/// How far the time stamps of files may lag behind.
const CLOCK: Duration = Duration::from_millis(10);

/// The value of `[defaults] accept` that lets the worker's own commands count.
pub(crate) const WORKER_COMMANDS: &str = "worker-commands";

/// Everything that the checks of one order need.
pub(crate) struct Round<'a> {
    pub(crate) args: &'a Args,
    pub(crate) desk: &'a Recorder,
    pub(crate) watch: &'a Progress,
    pub(crate) order: &'a Order,
    pub(crate) task: &'a Task,
    pub(crate) field: &'a PlanSnapshot,
    pub(crate) catalog: &'a Catalog,
    /// The policy of the plan's workflow.
    pub(crate) profile: &'a Profile,
    pub(crate) home: Home,
    /// The tree to judge: the root's, or the task's own.
    pub(crate) place: Home,
}

/// The results.
#[derive(Default)]
pub(crate) struct Ran {
    /// The checks of the plan and the configuration.
    pub(crate) gates: Vec<Gate>,
    /// The worker's commands, by criterion.
    pub(crate) of_worker: Vec<Gate>,
    pub(crate) tree: Option<TreeHash>,
    /// Files that the checks themselves created or changed, if the tree changed during the checks.
    pub(crate) made: Vec<String>,
    /// Whether the task has no check of its own, and its attempts changed nothing.
    pub(crate) unchanged: bool,
}

impl Round<'_> {
    /// Runs all checks, not only up to the first failure. Fixes run once, and then all checks run again on the new
    /// tree.
    pub(crate) fn run(&self) -> Result<Ran, Fail> {
        let combined = self.is_combined();
        // A runbook step is inspected only once, in its worker's tree.
        let steps = if combined {
            Vec::new()
        } else {
            worker_left::checks(self.order, self.task, self.field, self.profile, &self.home, &self.place)?
        };
        let runner = self.runner()?;
        let began = SystemTime::now();
        // The tree that the worker left is the tree before the checks, unless others worked after it or this is a
        // later round.
        let alone = |w: &&Worker| {
            w.batch.unwrap_or(1) <= 1 && w.worktree.is_none() && self.order.resume.is_none() && !combined
        };
        let left = self.order.worker.as_ref().filter(alone).and_then(|w| w.tree_after.clone());
        let mut before = if left.is_some() { left } else { self.tree()? };
        let checks = self.checks()?;
        let mut gates = self.all(&runner, &checks)?;
        // Fixes apply only to the task's own tree: the combined one may have to be restored.
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
        let whole = self.whole_tree()?;
        let tree = whole.as_ref().map(|tree| tree.hash.clone());
        gates.iter_mut().chain(&mut of_worker).for_each(|gate| bind(gate, before.as_ref(), tree.as_ref()));
        let made = if before == tree { Vec::new() } else { self.made_since(began)? };
        name_files(gates.iter_mut().chain(&mut of_worker), &made);
        let unchanged = self.is_unchanged(whole.as_ref())?;
        Ok(Ran { gates, of_worker, tree, made, unchanged })
    }

    fn tree(&self) -> Result<Option<TreeHash>, Fail> {
        Ok(self.whole_tree()?.map(|t| t.hash))
    }

    fn whole_tree(&self) -> Result<Option<Tree>, Fail> {
        Tree::now(&self.place, &self.field.ground)
    }

    /// Whether only gates for all tasks could prove the task, and nothing changed.
    fn is_unchanged(&self, tree: Option<&Tree>) -> Result<bool, Fail> {
        if !proof::needs_change(self.task, self.ground()) {
            return Ok(false);
        }
        let plan = &self.order.plan.path;
        let records = Ledger::new(self.home.clone()).read_of(plan)?;
        Ok(!changed::is_there(&records, plan, self.task, tree.map(Tree::view)))
    }

    /// The other inputs of the task's proof besides its own criteria.
    pub(crate) fn ground(&self) -> proof::ProofContext<'_> {
        proof::ProofContext::new(&self.catalog.config, self.profile, self.home.root())
    }

    /// Uncommitted files changed since then, by their time stamps.
    fn made_since(&self, began: SystemTime) -> Result<Vec<String>, Fail> {
        if !has_git(self.place.root()) {
            return Ok(Vec::new());
        }
        // Time stamps of files lag a little behind.
        let is_new = |path: &String| {
            let changed = fs::changed_at(&self.place.root().join(path));
            changed.is_some_and(|changed| changed + CLOCK >= began)
        };
        let ground = &self.field.ground;
        let mut changed = Git::new(self.place.clone()).changed()?;
        changed.retain(|path| !ground.is_own(path) && !ground.is_plan(path) && is_new(path));
        Ok(changed)
    }

    /// Whether the work was judged in its own tree before and is now judged on the combined tree.
    pub(crate) fn is_combined(&self) -> bool {
        self.order.land.is_some()
    }

    fn runner(&self) -> Result<Runner<'_>, Fail> {
        let config = &self.catalog.config;
        let logs = self.home.folder(&format!("logs/{}", self.order.run))?;
        logs::prune(&self.home, &config.logs, &logs);
        let declared = self.task.files.iter().map(|file| file.path.clone()).collect();
        Ok(Runner {
            place: RunLocation {
                cwd: self.place.root().to_path_buf(),
                root: self.home.root().to_path_buf(),
                logs: Some(logs),
                bead: bead_of(&self.field.plan).unwrap_or_else(|| self.task.id.to_string()),
                started: self.desk.clock.now(),
            },
            watch: self.watch,
            redact: Redact::of(&config.redact)?,
            markers: Markers::new(&config.defaults.env_markers)?,
            keep: Keep::of(&self.args.keep, &config.logs),
            base: Base::of(&self.place, &self.args.set.base, declared, &config.suppressions)?
                .map(|base| base.for_plan(&self.home, &self.order.plan.path)),
        })
    }

    /// The plan's own criteria, then the gates for the task.
    fn checks(&self) -> Result<Vec<Check>, Fail> {
        let config = &self.catalog.config;
        let named = self.catalog.profile(self.args.set.profile.as_deref())?;
        let budget = |gate: Option<&GateRule>| Budget::of(&self.args.budget, named, config, gate);
        let own = self.task.criteria.iter().filter(|c| c.runnable && c.skip.is_none());
        let own = own.map(|c| Ok(Check::of_criterion(c, budget(None))));
        // Only a gate of the configuration can have been fitted; without one nothing need be looked up.
        let any = config.gates.iter().any(|gate| proof::is_for(self.task, gate, self.profile));
        let records = if any { Ledger::new(self.home.clone()).read()? } else { Records::default() };
        let gates =
            config.gates.iter().filter(|gate| proof::is_for(self.task, gate, self.profile)).map(|gate| {
                let gate = self.catalog.resolved(gate, &self.args.set.set)?;
                let own = budget(Some(&gate));
                let fitted = restore::fitted_with(&records, &gate.id);
                let check =
                    Check::of_gate(&gate, fitted.map_or(own, |fitted| fitted.applied(own, &config.defaults)));
                Ok(Check { id: proof::gate_key(&gate.id), ..check })
            });
        own.chain(gates).collect()
    }

    /// A result for each check; a check that was not started because we must stop has no verdict.
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

    /// Runs the fix of each failed check that has one; returns which were run.
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

    /// The commands that the worker reports for criteria that no program can judge by the plan alone. A worker that
    /// may only edit must not get a shell by reporting commands: without the configuration's permission none is run.
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

/// The bead that the plan is about, where it names one: a contract about a gate is filed under it.
fn bead_of(plan: &wire::Plan) -> Option<String> {
    plan.extra
        .get("bead_id")
        .and_then(|bead| bead.as_str())
        .filter(|bead| !bead.is_empty())
        .map(str::to_owned)
}
