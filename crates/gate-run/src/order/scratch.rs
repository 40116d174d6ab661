//! Results before the work that are taken after the fact, in a scratch worktree of the tree before it.
//!
//! Tests that a task wrote must fail on the code that was there: a check that runs tests is judged on the tree before the
//! work plus this task's test files. Where the work was landed from a tree of its own, before is the merged base without
//! it. A failure there counts only if the check passes in the same scratch tree with the whole work in it: otherwise the
//! scratch tree lacks something that git ignores, and there is no result.

use crate::order::acts;
use crate::order::before::{self, BASE, ON};
use crate::order::checks::{Ran, Round};
use crate::order::test_files::{is_code, is_test, runs_tests};
use crate::run::budget::Budget;
use crate::run::check::{Check, What};
use crate::run::outcome;
use crate::run::runner::Runner;
use config::proof::BeforeRule;
use ledger::proof::Check as Asked;
use ledger::verdict::{self, Scope};
use ledger::{Entry, level};
use repo::git::Git;
use repo::landing::Landing;
use repo::snapshot::{self, Change};
use repo::tree::Tree;
use repo::worktree;
use serde_json::json;
use std::cell::Cell;
use std::collections::HashSet;
use std::time::Duration;
use toolkit::Fail;
use toolkit::files::root::{Home, has_git};
use toolkit::files::sha;
use wire::gate::{Status, StopReason};
use wire::punch::Punch;
use wire::{Gate, TreeHash};

/// How long the setup of a scratch tree may take where the configuration does not say.
const SETUP_SECONDS: u64 = 600;

/// The words for a check on the tree before the work plus the task's test files.
const WITH_TESTS: &str = "before plus the task's tests";

/// The tree before the work, the work, and the files in which they differ.
struct Work {
    base: String,
    done: String,
    files: Vec<String>,
    /// Those that were not there before.
    new: HashSet<String>,
    /// Whether `base` is the main tree to which other tasks' work was added meanwhile.
    merged: bool,
}

impl Work {
    fn tests(&self) -> Vec<String> {
        self.files.iter().filter(|path| is_test(path)).cloned().collect()
    }

    /// New files that are no code and no tests: a test may read them, and so may the code.
    fn data(&self) -> Vec<String> {
        let is_data = |path: &&String| self.new.contains(*path) && !is_test(path) && !is_code(path);
        self.files.iter().filter(is_data).cloned().collect()
    }
}

/// What a check gave before the work, with the words for the record.
struct Found {
    gate: Gate,
    tree: Option<TreeHash>,
    on: &'static str,
}

impl Round<'_> {
    /// The records of results before the work that can be taken only now, and whether the task's tests were red there.
    pub(crate) fn before_after_the_fact(&self, ran: &mut Ran) -> Result<Vec<Entry>, Fail> {
        let own_tree = self.place.root() != self.home.root();
        let passes = !ran.gates.is_empty() && ran.gates.iter().all(|gate| gate.status == Status::Pass);
        let rule = self.catalog.config.proof.before;
        if own_tree || !passes || rule == BeforeRule::Off || !has_git(self.home.root()) {
            return Ok(Vec::new());
        }
        let records = self.desk.ledger(self.order)?.read_of(&self.order.plan.path)?;
        let first = before::Earlier::of(&records, self.order).tree;
        if first.is_some() && first == ran.tree {
            return self.same_as_before(&records, ran, rule);
        }
        let Some(work) = self.work(&records)? else { return Ok(Vec::new()) };
        let tests = work.tests();
        let red = level::red_command(self.task).filter(|_| !tests.is_empty());
        let wanted = |(check, asked): &(Check, Asked)| {
            before::acting(check).is_none()
                && (work.merged || with_tests(check, &tests) || self.could_not_look(&records, check, asked))
        };
        let asked: Vec<_> = self.asked(rule)?.into_iter().filter(wanted).collect();
        if asked.is_empty() && red.is_none() {
            return Ok(Vec::new());
        }
        let is_only_tests = !work.merged && red.is_none() && tests.len() == work.files.len();
        let (untold, asked): (Vec<_>, Vec<_>) =
            asked.into_iter().partition(|(check, _)| is_only_tests && with_tests(check, &tests));
        let all_new = tests.iter().all(|path| work.new.contains(path));
        let mut entries = self.only_tests(&untold, ran, all_new)?;
        if asked.is_empty() && red.is_none() {
            return Ok(entries);
        }
        let scratch = Scratch::make(self, &work)?;
        for (check, asked) in &asked {
            if self.watch.is_over() {
                break;
            }
            let found = self.look(&scratch, &work, &tests, check, asked, &records)?;
            let data = json!({ ON: found.on, BASE: work.base });
            entries.push(self.before_entry(asked, &found.gate, found.tree, data));
        }
        if let Some(command) = red {
            ran.gates.extend(self.red(&scratch, &work, &tests, command)?);
        }
        Ok(entries)
    }

    /// The tree is the one from which the first attempt began: what passes now passed before the work.
    fn same_as_before(&self, records: &[Punch], ran: &Ran, rule: BeforeRule) -> Result<Vec<Entry>, Fail> {
        let untaken = |(check, asked): &(Check, Asked)| {
            before::acting(check).is_none() && !self.is_on_record(records, asked)
        };
        let asked = self.asked(rule)?.into_iter().filter(untaken);
        let entry = |(check, asked): (Check, Asked)| {
            let gate = ran.gates.iter().find(|gate| gate.gate_id == check.id)?;
            Some(self.before_entry(&asked, gate, ran.tree.clone(), json!({ ON: "the same tree" })))
        };
        Ok(asked.filter_map(entry).collect())
    }

    /// The work is nothing but tests. Where all of them are new, nothing tells the code before them apart, and there is no
    /// result before the work. Tests that were there and were changed pass on the code before the work as well.
    fn only_tests(&self, asked: &[(Check, Asked)], ran: &Ran, all_new: bool) -> Result<Vec<Entry>, Fail> {
        let runner = self.runner()?;
        let passed = |id: &str| ran.gates.iter().find(|gate| !all_new && gate.gate_id == id).cloned();
        let said = "the work is nothing but tests, so that nothing tells the code before them apart";
        let outcome = outcome::fault(StopReason::Ambiguous, said);
        let entry = |(check, asked): &(Check, Asked)| {
            let untold = || runner.document(check, &outcome, None, Vec::new(), None);
            let gate = passed(&check.id).unwrap_or_else(untold);
            self.before_entry(asked, &gate, ran.tree.clone(), json!({ ON: WITH_TESTS }))
        };
        Ok(asked.iter().map(entry).collect())
    }

    /// Whether a check had nothing to look at before the work, since what it needs was not there: the work may be what
    /// it needs.
    fn could_not_look(&self, records: &[Punch], check: &Check, asked: &Asked) -> bool {
        let task = Scope::of_task(&self.order.plan.path, self.task);
        let scope = Scope { key: Some(&asked.key), digest: Some(&asked.digest), ..task };
        let last = verdict::befores(records, &scope).next();
        let gate =
            last.and_then(|last| serde_json::from_value::<Gate>(last.record.data.get("gate")?.clone()).ok());
        gate.is_some_and(|gate| {
            gate.status == Status::Fault
                && matches!(gate.stop_reason, StopReason::EnvMissing | StopReason::Ambiguous)
        }) && !before::asks_for_absence(check)
    }

    /// The work whose base is known: landed from a tree of its own, or done in the main tree after a snapshot.
    fn work(&self, records: &[Punch]) -> Result<Option<Work>, Fail> {
        let ours = |path: &String| self.field.ground.is_own(path) || self.field.ground.is_plan(path);
        let landing = if self.is_combined() { Landing::read(&self.home)? } else { None };
        if let Some(landing) =
            landing.filter(|landing| landing.is_of(self.order) && !landing.files.is_empty())
        {
            let Landing { before: base, after: done, files, .. } = landing;
            let changed = snapshot::changed(&Git::new(self.home.clone()), &base, &done)?;
            return Ok(Some(Work { base, done, files, new: new_files(&changed), merged: true }));
        }
        let scope = Scope::of_task(&self.order.plan.path, self.task);
        let base = verdict::befores(records, &scope)
            .find_map(|before| Some(before.record.data.get(BASE)?.as_str()?.to_owned()));
        let Some(base) = base else { return Ok(None) };
        let git = Git::new(self.place.clone());
        let done = snapshot::take(&git, git.head()?.as_deref())?;
        let changed = snapshot::changed(&git, &base, &done)?;
        let new = new_files(&changed);
        let files: Vec<String> =
            changed.into_iter().map(|(path, _)| path).filter(|path| !ours(path)).collect();
        Ok((!files.is_empty()).then_some(Work { base, done, files, new, merged: false }))
    }

    /// Runs a check on the tree before the work, with the task's tests if it runs tests.
    fn look(
        &self,
        scratch: &Scratch<'_>,
        work: &Work,
        tests: &[String],
        check: &Check,
        asked: &Asked,
        records: &[Punch],
    ) -> Result<Found, Fail> {
        let with_tests = with_tests(check, tests);
        let on = match () {
            () if with_tests => WITH_TESTS,
            () if work.merged => "the merged base",
            () => "before",
        };
        scratch.begin(work)?;
        if with_tests {
            scratch.put(&work.base, &work.done, tests)?;
        }
        let tree = Tree::now(&scratch.home, &self.field.ground)?.map(|tree| tree.hash);
        let known = tree.as_ref().and_then(|tree| before::reusable(records, &asked.digest, tree));
        let gate = match known {
            Some((gate, _)) => gate,
            None => self.on_scratch(scratch, work, check)?,
        };
        let gate = if with_tests { self.told_apart(scratch, work, tests, check, gate)? } else { gate };
        Ok(Found { gate, tree, on })
    }

    /// Runs a check in the scratch tree as it is. What does not pass there must pass with the whole work.
    fn on_scratch(&self, scratch: &Scratch<'_>, work: &Work, check: &Check) -> Result<Gate, Fail> {
        let mut gate = scratch.runner.run(check)?;
        let ended =
            matches!(gate.stop_reason, StopReason::Timeout | StopReason::Stall | StopReason::Interrupted);
        let plain =
            matches!(&check.what, What::Line(line) if acts::only_reads(line)) && gate.status == Status::Fail;
        // Where what is missing would meet the check, its fault says nothing.
        let vacuous = gate.status == Status::Fault && before::asks_for_absence(check);
        if gate.status == Status::Pass || plain || ended || vacuous || self.watch.is_over() {
            return Ok(gate);
        }
        scratch.put(&work.base, &work.done, &work.files)?;
        let control = scratch.runner.run(check)?;
        if control.status == Status::Pass {
            // What cannot even begin without the work, such as tests that cannot be collected, fails for want of it.
            gate.status = Status::Fail;
        } else {
            gate.status = Status::Fault;
            gate.stop_reason = StopReason::Ambiguous;
            let said = control.measured.unwrap_or_default();
            gate.measured =
                Some(format!("no result before the work: in a scratch tree with the work, {said}"));
        }
        Ok(gate)
    }

    /// A failure with the task's tests counts if the code is its cause: where the check passes once the new files that are
    /// no code are there too, what the tests read cannot be told apart from the work.
    fn told_apart(
        &self,
        scratch: &Scratch<'_>,
        work: &Work,
        tests: &[String],
        check: &Check,
        mut gate: Gate,
    ) -> Result<Gate, Fail> {
        let data = work.data();
        if gate.status != Status::Fail || data.is_empty() || self.watch.is_over() {
            return Ok(gate);
        }
        scratch.begin(work)?;
        scratch.put(&work.base, &work.done, &[tests, &data].concat())?;
        if scratch.runner.run(check)?.status == Status::Pass {
            (gate.status, gate.stop_reason) = (Status::Fault, StopReason::Ambiguous);
            gate.measured = Some(format!(
                "no result before the work: the tests pass on the code before it once {} is there",
                data.join(", ")
            ));
        }
        Ok(gate)
    }

    /// Whether the task's tests fail on the code that was there, as its RED step asks.
    fn red(
        &self,
        scratch: &Scratch<'_>,
        work: &Work,
        tests: &[String],
        command: &str,
    ) -> Result<Option<Gate>, Fail> {
        let check = Check::of_line(level::RED.to_owned(), command, self.budget());
        scratch.begin(work)?;
        scratch.put(&work.base, &work.done, tests)?;
        let gate = self.on_scratch(scratch, work, &check)?;
        let mut gate = self.told_apart(scratch, work, tests, &check, gate)?;
        let (status, measured) = match gate.status {
            Status::Pass => (Status::Fail, "not red: the task's tests pass on the code before it".to_owned()),
            Status::Fail => {
                let said = gate.measured.unwrap_or_default();
                (Status::Pass, format!("red: the task's tests fail on the code before it ({said})"))
            }
            // Without a result nothing speaks against the work.
            Status::Fault => return Ok(None),
        };
        (gate.status, gate.measured, gate.stop_reason) = (status, Some(measured), StopReason::Exited);
        Ok(Some(gate))
    }

    fn budget(&self) -> Budget {
        self.gate_budget(None)
    }
}

/// The paths that were not there before.
fn new_files(changed: &[(String, Change)]) -> HashSet<String> {
    changed.iter().filter(|(_, change)| *change == Change::New).map(|(path, _)| path.clone()).collect()
}

/// Whether a check runs tests, so that this task's test files belong to the tree before the work.
fn with_tests(check: &Check, tests: &[String]) -> bool {
    matches!(&check.what, What::Line(line) if !tests.is_empty() && runs_tests(line, tests))
}

/// A worktree of the tree before the work, removed at the end.
struct Scratch<'r> {
    home: Home,
    git: Git,
    runner: Runner<'r>,
    main: Git,
    name: String,
    /// Whether a check ran in it.
    is_used: Cell<bool>,
    /// Keeps others from taking it for a stale one.
    _making: toolkit::files::lock::Lock,
}

impl<'r> Scratch<'r> {
    fn make(round: &'r Round<'_>, work: &Work) -> Result<Self, Fail> {
        let main = Git::new(round.home.clone());
        let making = worktree::making(&round.home, crate::STAGE)?;
        let what = format!("{}\0{}\0before", round.order.run, round.order.task.key);
        let name = format!("before-{}", &sha::hex(what.as_bytes())[..8]);
        let tree = worktree::make_detached(&main, &name, &work.base)?;
        let home = Home::of(&worktree::path_of(round.home.root(), &tree)?)?;
        let mut runner = round.runner()?;
        runner.place.cwd = home.root().to_path_buf();
        let rule = &round.catalog.config.worktree;
        let (git, is_used) = (Git::new(home.clone()), Cell::new(false));
        let scratch = Self { git, home, runner, main, name, is_used, _making: making };
        if let Some(setup) = &rule.setup {
            let limit = Duration::from_secs(rule.setup_seconds.unwrap_or(SETUP_SECONDS));
            let budget = Budget { timeout: Some(limit), ..round.budget() };
            scratch.runner.run(&Check::of_line("setup".to_owned(), setup, budget))?;
        }
        Ok(scratch)
    }

    /// Before a check: takes back what the last one needed of the work.
    fn begin(&self, work: &Work) -> Result<(), Fail> {
        if self.is_used.replace(true) { self.put(&work.done, &work.base, &work.files) } else { Ok(()) }
    }

    /// Gives files their content in another tree.
    fn put(&self, from: &str, to: &str, files: &[String]) -> Result<(), Fail> {
        snapshot::put(&self.git, from, to, files)
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        // One that cannot be removed is stale, and the next run removes it.
        let _ = worktree::remove(&self.main, &self.name);
    }
}
