//! The checks of one order: the plan's criteria, the gates set for tasks, the steps of a runbook, and the commands
//! that the worker reports for criteria that only a person can judge.

use crate::args::Args;
use crate::builtin::Base;
use crate::gates::catalog::Catalog;
use crate::gates::records::{bind, name_files};
use crate::order::guard::Guard;
use crate::order::known_failures::Fixed;
use crate::order::{acts, before, known_failures, worker_left};
use crate::restore;
use crate::run::budget::Budget;
use crate::run::check::{Check, What};
use crate::run::logs::{self, Keep};
use crate::run::missing::Markers;
use crate::run::outcome::{self, Outcome};
use crate::run::products::{self, NewFiles, Written};
use crate::run::progress::Progress;
use crate::run::runner::{RunLocation, Runner};
use config::GateRule;
use config::profile::Profile;
use config::proof::Acts;
use dialects::PlanSnapshot;
use ledger::Ledger;
use ledger::changed;
use ledger::proof;
use ledger::read_cache::Records;
use ledger::recorder::Recorder;
use ledger::verdict::{self, Scope};
use repo::git::Git;
use repo::tree::Tree;
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, SystemTime};
use toolkit::Fail;
use toolkit::files::redact::Redact;
use toolkit::files::root::Home;
use wire::gate::{Status, StopReason};
use wire::order::{Halt, Worker};
use wire::plan::Criterion;
use wire::punch::Type;
use wire::{Gate, Order, Task, TreeHash};

/// The value of `[defaults] accept` that lets the worker's own commands count.
pub(crate) const WORKER_COMMANDS: &str = "worker-commands";

/// The key of the record by which a person lets checks act in a run.
pub(crate) const ALLOW_ACTS: &str = "allow-acts";

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
pub(crate) struct Ran {
    /// The checks of the plan and the configuration.
    pub(crate) gates: Vec<Gate>,
    /// The worker's commands, by criterion.
    pub(crate) of_worker: Vec<Gate>,
    pub(crate) tree: Option<TreeHash>,
    /// The same with its files.
    pub(crate) whole: Option<Tree>,
    /// The tree before the checks, and when they began.
    pub(crate) before: Option<TreeHash>,
    pub(crate) began: SystemTime,
    /// Files of the task's own work that the checks changed.
    pub(crate) made: Vec<String>,
    /// The known failures that the task fixed.
    pub(crate) fixed: Fixed,
    /// Whether the task has no check of its own, and its attempts changed nothing.
    pub(crate) unchanged: bool,
}

impl Round<'_> {
    /// Runs all checks, not only up to the first failure. Fixes run once, and then all checks run again on the new
    /// tree.
    pub(crate) fn run(&self) -> Result<Ran, Fail> {
        self.run_with(&[], true)
    }

    /// The same once more, after the products of the checks are known. What acted does not act again.
    pub(crate) fn run_again(&self, first: &Ran) -> Result<Ran, Fail> {
        let acts = |gate: &&Gate| acts::acting(&gate.invocation).is_some();
        let acted: Vec<Gate> = first.gates.iter().filter(acts).cloned().collect();
        self.run_with(&acted, false)
    }

    /// The checks changed files of the work that git does not track and no task declares: a worker that ran the tests
    /// itself leaves such files too. Without them the checks run once more, and those that come back are products,
    /// unless the work is nothing else. Yes if some are; the halt if the checks touched what they must not.
    pub(crate) fn finds_products(
        &self,
        ran: &Ran,
        guard: &Guard,
    ) -> Result<Result<bool, (Halt, Value)>, Fail> {
        let written = self.written(ran.began, NewFiles::Products, None)?;
        let declared = self.declared();
        let status = Git::new(self.place.clone()).status()?;
        let untracked: HashSet<&str> =
            status.iter().filter(|(letters, _)| letters == "??").map(|(_, path)| path.as_str()).collect();
        let may_be = |path: &&String| untracked.contains(path.as_str()) && !declared.contains(*path);
        let candidates: Vec<&String> = ran.made.iter().filter(may_be).collect();
        let acts = ran.gates.iter().any(|gate| acts::acting(&gate.invocation).is_some());
        if acts || candidates.is_empty() {
            return Ok(Ok(false));
        }
        let aside = self.home.folder(&format!("aside/{}", self.order.run))?;
        let top = self.place.root();
        let kept = |at: usize| aside.join(format!("{}-{at}", self.order.task.key));
        let rename = |from: &Path, to: &Path| std::fs::rename(from, to).map_err(|e| Fail::io(from, &e));
        for (at, path) in candidates.iter().enumerate() {
            rename(&top.join(path), &kept(at))?;
        }
        let again = self.run_again(ran);
        let touched = guard.touched(PlanSnapshot::of(&self.order.plan).ok().as_ref())?;
        let made: Vec<String> =
            candidates.iter().filter(|path| top.join(path).exists()).map(|path| (*path).clone()).collect();
        let is_work = |path: &String| !declared.contains(path) && !made.contains(path);
        let is_clean = again.is_ok() && touched.is_none();
        let found = is_clean && !made.is_empty() && written.mine.iter().any(is_work);
        for (at, path) in candidates.iter().enumerate() {
            if !found || !made.contains(*path) {
                rename(&kept(at), &top.join(path))?;
            }
        }
        if let Some(touched) = touched {
            return Ok(Err(touched));
        }
        if found {
            products::announce(&written, made)?;
        }
        self.settle_products(again?.began)?;
        // Files that were put back are older than the next look by the clock of the file system.
        std::thread::sleep(Duration::from_millis(20));
        Ok(Ok(found))
    }

    /// Sorts out what the checks wrote, and returns the files of the task's own work that they changed.
    pub(crate) fn settle_products(&self, began: SystemTime) -> Result<Vec<String>, Fail> {
        self.settle_written(began, NewFiles::Products, None)
    }

    /// The same with a say in what becomes of new files.
    pub(crate) fn settle_written(
        &self,
        began: SystemTime,
        new_files: NewFiles,
        changed_before: Option<HashSet<String>>,
    ) -> Result<Vec<String>, Fail> {
        self.written(began, new_files, changed_before)?.settle()
    }

    /// The files that tasks of the plan declare or commit.
    fn declared(&self) -> HashSet<String> {
        let files = self.field.plan.tasks.iter().flat_map(|task| &task.files);
        let named =
            self.field.plan.tasks.iter().filter_map(|task| task.commit.as_ref()).flat_map(|rule| &rule.files);
        files
            .map(|file| &file.path)
            .chain(named)
            .map(|path| path.trim_start_matches("./").to_owned())
            .collect()
    }

    /// Whose files are whose.
    fn written(
        &self,
        began: SystemTime,
        new_files: NewFiles,
        changed_before: Option<HashSet<String>>,
    ) -> Result<Written<'_>, Fail> {
        let records = self.desk.ledger(self.order)?.read_of(&self.order.plan.path)?;
        let scope = Scope::of_task(&self.order.plan.path, self.task);
        let (changed, prior) = products::of_plan(&records, &self.order.plan.path, |p| scope.holds(p));
        let now = self.order.worker.iter().flat_map(|worker| worker.changed_files.clone());
        Ok(Written {
            home: &self.home,
            place: &self.place,
            plan: &self.order.plan.path,
            run: &self.order.run,
            now: self.desk.clock.now(),
            ground: &self.field.ground,
            mine: changed.into_iter().chain(now).chain(self.declared()).collect(),
            // Before the first attempt the caller knows what was changed.
            prior: prior.or(changed_before),
            began,
            new_files,
        })
    }

    fn run_with(&self, acted: &[Gate], is_first: bool) -> Result<Ran, Fail> {
        let combined = self.is_combined();
        // What a worker leaves is inspected in its own tree; where it commits, also after its commits have landed.
        let steps = if combined && !self.profile.worker_commits {
            Vec::new()
        } else {
            worker_left::checks(self.order, self.task, self.field, self.profile, &self.home, &self.place)?
        };
        let runner = self.runner()?;
        let mut began = SystemTime::now();
        // The tree that the worker left is the tree before the checks, unless others worked after it or this is a
        // later round.
        let alone = |w: &&Worker| {
            w.batch.unwrap_or(1) <= 1 && w.worktree.is_none() && self.order.resume.is_none() && !combined
        };
        let left = self.order.worker.as_ref().filter(alone).and_then(|w| w.tree_after.clone());
        let left = left.filter(|_| is_first);
        let mut before = if left.is_some() { left } else { self.tree()? };
        let checks: Vec<Check> = self
            .in_order()?
            .into_iter()
            .filter(|check| acted.iter().all(|gate| gate.gate_id != check.id))
            .collect();
        let mut gates = self.all(&runner, &checks)?;
        // Fixes apply only to the task's own tree: the combined one may have to be restored.
        let fixes = if combined { Vec::new() } else { self.fixes(&runner, &checks, &gates)? };
        if fixes.iter().any(Option::is_some) {
            (before, began) = (self.tree()?, SystemTime::now());
            gates = self.all(&runner, &checks)?;
            for (gate, fix) in gates.iter_mut().zip(fixes) {
                gate.attempts = 2;
                gate.fix = fix;
            }
        }
        gates.extend(acted.iter().cloned());
        let of_worker = self.all(&runner, &self.reported())?;
        // A check that fails says more than the outputs that are missing with it.
        let is_failed = gates.iter().any(|gate| gate.status != Status::Pass);
        for (id, outcome, found) in steps.into_iter().filter(|(id, ..)| *id != proof::OUTPUTS || !is_failed) {
            gates.push(runner.document(&self.step(id), &outcome, None, found, None));
        }
        let whole = self.whole_tree()?;
        let tree = whole.as_ref().map(|tree| tree.hash.clone());
        let made = Vec::new();
        Ok(Ran { gates, of_worker, tree, whole, before, began, made, fixed: Fixed::new(), unchanged: false })
    }

    /// Looks at the tree again, once what the checks wrote is sorted out.
    pub(crate) fn look_again(&self, ran: &mut Ran) -> Result<(), Fail> {
        ran.whole = self.whole_tree()?;
        ran.tree = ran.whole.as_ref().map(|tree| tree.hash.clone());
        Ok(())
    }

    /// Binds the results to the tree that they ran on: a check that changed the work, or that gave two results on one
    /// tree, has no verdict.
    pub(crate) fn close(&self, ran: &mut Ran) -> Result<(), Fail> {
        let Ran { gates, of_worker, before, tree, made, .. } = ran;
        let all = gates.iter_mut().chain(of_worker.iter_mut());
        all.for_each(|gate| bind(gate, before.as_ref(), tree.as_ref()));
        name_files(gates.iter_mut().chain(of_worker), made);
        let (plan, task) = (&self.order.plan.path, &self.order.task.id);
        ran.fixed = known_failures::allow(self.catalog, &self.home, plan, Some(task), gates)?;
        self.name_flaky(gates, tree.as_ref(), ran.began)?;
        ran.unchanged = self.is_unchanged(ran.whole.as_ref())?;
        Ok(())
    }

    pub(crate) fn tree(&self) -> Result<Option<TreeHash>, Fail> {
        Ok(self.whole_tree()?.map(|t| t.hash))
    }

    fn whole_tree(&self) -> Result<Option<Tree>, Fail> {
        Tree::now(&self.place, &self.field.ground)
    }

    /// Whether the task has no check of its own, and nothing changed.
    fn is_unchanged(&self, tree: Option<&Tree>) -> Result<bool, Fail> {
        if proof::checks(self.task, self.ground()).iter().any(|check| check.own) {
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

    /// Whether the work was judged in its own tree before and is now judged on the combined tree.
    pub(crate) fn is_combined(&self) -> bool {
        self.order.land.is_some()
    }

    pub(crate) fn runner(&self) -> Result<Runner<'_>, Fail> {
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

    /// Whether checks that act may run: the project or a person says so.
    pub(crate) fn may_act(&self) -> Result<bool, Fail> {
        if self.catalog.config.proof.acts == Acts::Allow || self.args.allow_acts.is_some() {
            return Ok(true);
        }
        let records = self.desk.ledger(self.order)?.read_of(&self.order.plan.path)?;
        Ok(records.iter().any(|p| p.kind == Type::Override && p.key == ALLOW_ACTS && p.run == self.order.run))
    }

    /// The checks of this round. Those that act come last; in a tree of the task's own they do not run, since they run
    /// once, where the work lands.
    fn in_order(&self) -> Result<Vec<Check>, Fail> {
        let (acts, plain): (Vec<_>, Vec<_>) =
            self.checks()?.into_iter().partition(|c| before::acting(c).is_some());
        let apart = self.place.root() != self.home.root();
        Ok(plain.into_iter().chain(acts.into_iter().filter(|_| !apart)).collect())
    }

    /// The result of a check that acts without running it: not allowed, not yet, or done already on this tree.
    fn instead_of_acting(
        &self,
        check: &Check,
        all_well: bool,
    ) -> Result<Option<Result<Gate, Outcome>>, Fail> {
        let Some(what) = before::acting(check) else { return Ok(None) };
        if !self.may_act()? {
            return Ok(Some(Err(outcome::fault(StopReason::Acts, &before::not_allowed(&check.id, &what)))));
        }
        if !all_well {
            let said = "acts, and was not run because another check did not pass";
            return Ok(Some(Err(outcome::fault(StopReason::Acts, said))));
        }
        let (Some(tree), plan) = (self.tree()?, &self.order.plan.path) else { return Ok(None) };
        let known = proof::checks(self.task, self.ground()).into_iter().find(|asked| asked.key == check.id);
        let records = self.desk.ledger(self.order)?.read_of(plan)?;
        let task = Scope::of_task(plan, self.task);
        let last = known.and_then(|asked| {
            let scope =
                Scope { key: Some(&asked.key), digest: Some(&asked.digest), tree: Some(&tree), ..task };
            verdict::latest_observed(&*records, &scope).filter(|p| p.kind == Type::GatePass).cloned()
        });
        Ok(last.and_then(|p| serde_json::from_value(p.data.get("gate")?.clone()).ok()).map(Ok))
    }

    /// The plan's own criteria, then the gates for the task.
    pub(crate) fn checks(&self) -> Result<Vec<Check>, Fail> {
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
        let mut out: Vec<Gate> = Vec::new();
        for check in checks {
            if self.watch.is_over() {
                let outcome = outcome::fault(StopReason::Interrupted, "was not begun");
                out.push(runner.document(check, &outcome, None, Vec::new(), None));
                continue;
            }
            let all_well = out.iter().all(|gate| gate.status == Status::Pass);
            out.push(match self.instead_of_acting(check, all_well)? {
                Some(Ok(known)) => known,
                Some(Err(outcome)) => runner.document(check, &outcome, None, Vec::new(), None),
                None => runner.run(check)?,
            });
        }
        Ok(out)
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

    /// The bounds of a gate, or of a command without any.
    pub(crate) fn gate_budget(&self, gate: Option<&GateRule>) -> Budget {
        Budget::of(&self.args.budget, None, &self.catalog.config, gate)
    }

    /// A check of a step, which starts no program.
    fn step(&self, id: &str) -> Check {
        let budget = Budget::of(&self.args.budget, None, &self.catalog.config, None);
        Check { what: What::Line(id.to_owned()), ..Check::of_line(id.to_owned(), id, budget) }
    }
}

/// The bead that the plan is about, where it names one: a contract about a gate is filed under it.
pub(crate) fn bead_of(plan: &wire::Plan) -> Option<String> {
    plan.extra
        .get("bead_id")
        .and_then(|bead| bead.as_str())
        .filter(|bead| !bead.is_empty())
        .map(str::to_owned)
}
