//! Results before the work that are taken after the fact, in a scratch worktree of the tree before it.
//!
//! Tests that a task wrote must fail on the code that was there: a check that runs tests is judged on the tree before the
//! work plus this task's test files. Where the work was landed from a tree of its own, before is the merged base without
//! it. A failure there counts only if the check passes in the same scratch tree with the whole work in it: otherwise the
//! scratch tree lacks something that git ignores, and there is no result. Files that say which tests a runner runs are no
//! work on the code: where they alone make the tests pass, the work made nothing true.

use crate::order::acts;
use crate::order::before::{self, BASE, ON};
use crate::order::checks::{Ran, Round};
use crate::order::flaky::flaky;
use crate::order::known_failures::{fails_tests, reports_tests};
use crate::order::test_files::{defines, is_code, is_setting, is_test, names, runs_tests};
use crate::run::budget::Budget;
use crate::run::check::{Check, What};
use crate::run::missing::lacks_target;
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

    /// Files that say which tests a runner runs.
    fn settings(&self) -> Vec<String> {
        self.files.iter().filter(|path| is_setting(path)).cloned().collect()
    }

    /// New files that are no code, no tests and no settings of them: a test may read them, and so may the code.
    fn data(&self) -> Vec<String> {
        let is_data = |path: &&String| {
            self.new.contains(*path) && !is_test(path) && !is_setting(path) && !is_code(path)
        };
        self.files.iter().filter(is_data).cloned().collect()
    }

    /// Files that say what a command does.
    fn definitions(&self, line: &str) -> Vec<String> {
        self.files.iter().filter(|path| !is_test(path) && defines(line, path)).cloned().collect()
    }

    /// Tests that were there before.
    fn changed_tests(&self) -> Vec<String> {
        self.tests().into_iter().filter(|path| !self.new.contains(path)).collect()
    }

    fn without(&self, files: &[String]) -> Vec<String> {
        self.files.iter().filter(|path| !files.contains(path)).cloned().collect()
    }
}

/// The files of the work that may let a check pass without work on the code.
#[derive(Default)]
struct Apart {
    /// Whether the check runs tests.
    runs_tests: bool,
    tests: Vec<String>,
    /// Tests that were there before, where some of them failed or the check is one of them.
    changed: Vec<String>,
    /// Those that are part of the check.
    terms: Vec<String>,
    data: Vec<String>,
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
        let mut late = self.taken_now(ran)?;
        late.extend(self.without_missing_tests(ran, &late)?);
        Ok(late)
    }

    fn taken_now(&self, ran: &mut Ran) -> Result<Vec<Entry>, Fail> {
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
                && (work.merged
                    || self.with_tests(&work, check, asked, &records)
                    || !self.terms(&work, check, asked, &records).is_empty()
                    || self.could_not_look(&records, check, asked))
        };
        let asked: Vec<_> = self.asked(rule)?.into_iter().filter(wanted).collect();
        if asked.is_empty() && red.is_none() {
            return Ok(Vec::new());
        }
        // Other tasks may have changed the tree since the first attempt at this one.
        let own = before::changed_files(&records, self.order);
        let is_own = |path: &&String| own.is_empty() || own.contains(path.as_str());
        let mut files = work.files.iter().filter(is_own);
        let is_only_tests =
            !work.merged && red.is_none() && files.all(|path| is_test(path) || is_setting(path));
        let (untold, asked): (Vec<_>, Vec<_>) = asked
            .into_iter()
            .partition(|(check, asked)| is_only_tests && self.with_tests(&work, check, asked, &records));
        let mut entries = self.only_tests(&untold, ran, &work, &records)?;
        if asked.is_empty() && red.is_none() {
            return Ok(entries);
        }
        let scratch = Scratch::make(self, &work)?;
        for (check, asked) in &asked {
            if self.watch.is_over() {
                break;
            }
            let found = self.look(&scratch, &work, check, asked, &records)?;
            if let Some(gate) = ran.gates.iter_mut().find(|gate| found.gate.flaky && gate.gate_id == check.id)
            {
                flaky(gate, found.gate.measured.clone().unwrap_or_default());
            }
            let data = json!({ ON: found.on, BASE: work.base });
            entries.push(self.before_entry(asked, &found.gate, found.tree, data));
        }
        if let Some(command) = red {
            ran.gates.extend(self.red(&scratch, &work, command)?);
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

    /// The work is nothing but tests and settings of their runners. Tests that were there and were changed pass on the code
    /// before the work as well, and so do tests that failed and pass with other settings. Otherwise nothing tells the code
    /// before the tests apart, and there is no result before the work.
    fn only_tests(
        &self,
        asked: &[(Check, Asked)],
        ran: &Ran,
        work: &Work,
        records: &[Punch],
    ) -> Result<Vec<Entry>, Fail> {
        let runner = self.runner()?;
        let changed = work.tests().iter().any(|path| !work.new.contains(path));
        let has_settings = !work.settings().is_empty();
        let said = "the work is nothing but tests, so that nothing tells the code before them apart";
        let outcome = outcome::fault(StopReason::Ambiguous, said);
        let mut entries = Vec::new();
        for (check, asked) in asked {
            let failed = has_settings
                && match self.recorded(records, asked) {
                    Some(gate) => fails_tests(self.home.root(), &gate)?,
                    None => false,
                };
            let passed =
                ran.gates.iter().find(|gate| (changed || failed) && gate.gate_id == check.id).cloned();
            let gate = passed.unwrap_or_else(|| runner.document(check, &outcome, None, Vec::new(), None));
            entries.push(self.before_entry(asked, &gate, ran.tree.clone(), json!({ ON: WITH_TESTS })));
        }
        Ok(entries)
    }

    /// The last result of a check before the work that is on record.
    fn recorded(&self, records: &[Punch], asked: &Asked) -> Option<Gate> {
        let task = Scope::of_task(&self.order.plan.path, self.task);
        let scope = Scope { key: Some(&asked.key), digest: Some(&asked.digest), ..task };
        let last = verdict::befores(records, &scope).next()?;
        serde_json::from_value(last.record.data.get("gate")?.clone()).ok()
    }

    /// Whether a check runs tests, by its command or by the report that it gave before the work, and the work has tests or
    /// settings of them.
    fn with_tests(&self, work: &Work, check: &Check, asked: &Asked, records: &[Punch]) -> bool {
        let What::Line(line) = &check.what else { return false };
        let tests = work.tests();
        let reported = || {
            let gate = self.recorded(records, asked);
            gate.is_some_and(|gate| reports_tests(self.home.root(), &gate).unwrap_or_default())
        };
        (!tests.is_empty() || !work.settings().is_empty()) && (runs_tests(line, &tests) || reported())
    }

    /// The files of the work that are part of the check and not of the code: the settings of the tests that it runs, and what
    /// defines a command that was there and failed.
    fn terms(&self, work: &Work, check: &Check, asked: &Asked, records: &[Punch]) -> Vec<String> {
        let What::Line(line) = &check.what else { return Vec::new() };
        let settings =
            if self.with_tests(work, check, asked, records) { work.settings() } else { Vec::new() };
        let failed = self.recorded(records, asked).is_none_or(|gate| was_defined(&gate));
        let defined = if failed { work.definitions(line) } else { Vec::new() };
        let more = defined.into_iter().filter(|path| !settings.contains(path));
        settings.iter().cloned().chain(more).collect()
    }

    /// Whether a check had nothing to look at before the work, since what it needs was not there: the work may be what
    /// it needs.
    fn could_not_look(&self, records: &[Punch], check: &Check, asked: &Asked) -> bool {
        self.recorded(records, asked).is_some_and(|gate| {
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
        check: &Check,
        asked: &Asked,
        records: &[Punch],
    ) -> Result<Found, Fail> {
        let with_tests = self.with_tests(work, check, asked, records);
        let terms = self.terms(work, check, asked, records);
        let on = match () {
            () if with_tests => WITH_TESTS,
            () if work.merged => "the merged base",
            () => "before",
        };
        scratch.begin(work)?;
        let mut changed = if with_tests { work.changed_tests() } else { Vec::new() };
        if !changed.is_empty() {
            let before = match self.recorded(records, asked) {
                Some(before) => before,
                None => scratch.runner.run(check)?,
            };
            let is_named = |path: &String| matches!(&check.what, What::Line(line) if names(line, path));
            let failed = before.status == Status::Fail && changed.iter().any(is_named);
            if !failed && !fails_tests(self.home.root(), &before)? {
                changed.clear();
            }
        }
        if with_tests {
            scratch.put(&work.base, &work.done, &work.tests())?;
        }
        let tree = Tree::now(&scratch.home, &self.field.ground)?.map(|tree| tree.hash);
        let known = tree.as_ref().and_then(|tree| before::reusable(records, &asked.digest, tree));
        // What these files do is tried in the scratch tree, where the whole work must pass.
        let gate = if let Some((gate, _)) = known.filter(|_| terms.is_empty()) {
            gate
        } else {
            let failed = self.recorded(records, asked).is_some_and(|gate| gate.status == Status::Fail);
            self.on_scratch(scratch, work, check, !failed)?
        };
        let apart = match () {
            () if with_tests => {
                let (tests, data) = (work.tests(), work.data());
                Apart { runs_tests: true, tests, changed, terms, data }
            }
            () if was_defined(&gate) => Apart { terms, ..Apart::default() },
            () => Apart::default(),
        };
        let gate = self.told_apart(scratch, work, check, &apart, gate)?;
        Ok(Found { gate, tree, on })
    }

    /// Runs a check in the scratch tree as it is. What does not pass there must pass with the whole work. With `is_first` it
    /// has not failed before the work so far, and what it leaves behind must not make it pass.
    fn on_scratch(
        &self,
        scratch: &Scratch<'_>,
        work: &Work,
        check: &Check,
        is_first: bool,
    ) -> Result<Gate, Fail> {
        let mut gate = if is_first {
            self.run_before(&scratch.runner, &scratch.home, check)?
        } else {
            scratch.runner.run(check)?
        };
        let ended =
            matches!(gate.stop_reason, StopReason::Timeout | StopReason::Stall | StopReason::Interrupted);
        let plain =
            matches!(&check.what, What::Line(line) if acts::only_reads(line)) && gate.status == Status::Fail;
        // Where what is missing would meet the check, its fault says nothing.
        let vacuous = gate.status == Status::Fault && before::asks_for_absence(check);
        if gate.status == Status::Pass || gate.flaky || plain || ended || vacuous || self.watch.is_over() {
            return Ok(gate);
        }
        scratch.put(&work.base, &work.done, &work.files)?;
        let control = scratch.runner.run(check)?;
        if control.status == Status::Pass {
            // What cannot even begin without the work, such as tests that cannot be collected, fails for want of it.
            gate.status = Status::Fail;
        } else {
            let said = control.measured.unwrap_or_default();
            gate = untold(gate, &format!("in a scratch tree with the work, {said}"));
        }
        Ok(gate)
    }

    /// A failure with the task's tests counts if the code is its cause. Where the check passes once new files that are no
    /// code are there too, what the tests read cannot be told apart from the work. Where tests failed and files that are part
    /// of the check alone let it pass, it passed before the work; where no test tells, there is no result.
    fn told_apart(
        &self,
        scratch: &Scratch<'_>,
        work: &Work,
        check: &Check,
        Apart { runs_tests, tests, changed, terms, data }: &Apart,
        gate: Gate,
    ) -> Result<Gate, Fail> {
        if gate.status != Status::Fail || self.watch.is_over() {
            return Ok(gate);
        }
        let run_with = |files: &[String]| {
            scratch.begin(work)?;
            scratch.put(&work.base, &work.done, files)?;
            scratch.runner.run(check)
        };
        let pass_with = |files: &[String]| {
            format!("it passes on the code before the work once {} is there", files.join(", "))
        };
        let mut needed: Vec<&[String]> = Vec::new();
        if !terms.is_empty() {
            let failed = fails_tests(self.home.root(), &gate)?;
            let found = run_with(&[&tests[..], terms].concat())?;
            if found.status == Status::Pass {
                let said = pass_with(terms);
                return Ok(if failed { Gate { measured: Some(said), ..found } } else { untold(gate, &said) });
            }
            // These files need the rest of the work to run at all.
            if (failed || !runs_tests) && !fails_tests(self.home.root(), &found)? {
                needed.push(terms);
            }
        }
        if !changed.is_empty() {
            needed.push(changed);
        }
        // Without what is part of the check the work must pass as well: tests that failed as they were, commands as they were.
        for files in needed {
            if run_with(&work.without(files))?.status != Status::Pass {
                let said = format!("the work passes only once {} is there", files.join(", "));
                return Ok(untold(gate, &said));
            }
        }
        if !data.is_empty() && run_with(&[&tests[..], terms, data].concat())?.status == Status::Pass {
            return Ok(untold(gate, &pass_with(data)));
        }
        Ok(gate)
    }

    /// Whether the task's tests fail on the code that was there, as its RED step asks.
    fn red(&self, scratch: &Scratch<'_>, work: &Work, command: &str) -> Result<Option<Gate>, Fail> {
        let check = Check::of_line(level::RED.to_owned(), command, self.budget());
        scratch.begin(work)?;
        scratch.put(&work.base, &work.done, &work.tests())?;
        let gate = self.on_scratch(scratch, work, &check, false)?;
        let (terms, data) = (work.settings(), work.data());
        let apart = Apart { runs_tests: true, tests: work.tests(), terms, data, ..Apart::default() };
        let mut gate = self.told_apart(scratch, work, &check, &apart, gate)?;
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

/// Whether a command failed although its target was there.
fn was_defined(gate: &Gate) -> bool {
    // A log may have standard output alone.
    gate.status == Status::Fail && !lacks_target(&gate.last_output_lines.join("\n"))
}

/// The same result as none, with the reason.
fn untold(mut gate: Gate, why: &str) -> Gate {
    (gate.status, gate.stop_reason) = (Status::Fault, StopReason::Ambiguous);
    gate.measured = Some(format!("no result before the work: {why}"));
    gate
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
