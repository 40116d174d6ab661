//! Checks that give two results on one tree, and checks whose result depends on what an earlier run of them left behind.
//!
//! A check that fails before the work and leaves files in the tree, ignored ones included, runs a second time with them. If it
//! passes then, it needs no work to become true, and has no verdict. The cost is one more run of such a check for each task.
//! State outside the tree, and a check that needs more than one run to become true, are not found here; where the tree is the
//! same before and after, the comparison of the two results finds them.

use crate::order::acts;
use crate::order::checks::{Ran, Round};
use crate::order::known_failures::missing_tests;
use crate::run::check::{Check, What};
use crate::run::runner::Runner;
use config::proof::BeforeRule;
use ledger::Entry;
use ledger::pins::SINCE;
use ledger::proof;
use ledger::verdict::{self, Scope};
use repo::git::{Call, Git};
use repo::tree::Tree;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};
use toolkit::Fail;
use toolkit::files::fs;
use toolkit::files::root::{Home, has_git};
use wire::gate::{Status, StopReason};
use wire::punch::{Punch, Type};
use wire::{Gate, TreeHash};

/// The clock of the file system may be this much behind.
const COARSE: Duration = Duration::from_millis(20);

/// Takes the verdict from a check.
pub(crate) fn flaky(gate: &mut Gate, why: String) {
    (gate.status, gate.stop_reason, gate.flaky) = (Status::Fault, StopReason::Ambiguous, true);
    gate.measured = Some(why);
}

impl Round<'_> {
    /// Runs a check on a tree without the work; a second time if it fails and left files behind.
    pub(crate) fn run_before(&self, runner: &Runner<'_>, place: &Home, check: &Check) -> Result<Gate, Fail> {
        let began = SystemTime::now();
        let tree = || Ok::<_, Fail>(Tree::now(place, &self.field.ground)?.map(|tree| tree.hash));
        let writes = !matches!(&check.what, What::Line(line) if acts::only_reads(line) && !line.contains('>'))
            && has_git(place.root());
        let before = if writes { tree()? } else { None };
        let mut gate = runner.run(check)?;
        if !writes || gate.status != Status::Fail || self.watch.is_over() {
            return Ok(gate);
        }
        if before == tree()? && !ignored_changed(place, began, None)? {
            return Ok(gate);
        }
        let again = runner.run(check)?;
        match again.status {
            _ if again.stop_reason == StopReason::Interrupted => return Ok(again),
            Status::Pass => {
                let said = "flaky: before the work it failed, and passed when it ran again with the files that it had left";
                flaky(&mut gate, said.to_owned());
            }
            Status::Fail | Status::Fault => {}
        }
        gate.attempts = 2;
        Ok(gate)
    }

    /// A check that gave another result on the same tree, before the work or in this run, has no verdict. Work that git
    /// ignores may be the cause, and then it has.
    pub(crate) fn name_flaky(
        &self,
        gates: &mut [Gate],
        tree: Option<&TreeHash>,
        checked: SystemTime,
    ) -> Result<(), Fail> {
        let Some(tree) = tree else { return Ok(()) };
        let plan = &self.order.plan.path;
        let records = self.desk.ledger(self.order)?.read_about(plan, &self.task.id)?;
        let known = proof::checks(self.task, self.ground());
        for gate in gates.iter_mut().filter(|gate| gate.status != Status::Fault) {
            let Some(asked) = known.iter().find(|asked| asked.key == gate.gate_id) else { continue };
            let task = Scope::of_task(plan, self.task);
            let anywhere = Scope { key: Some(&asked.key), digest: Some(&asked.digest), ..task };
            if let Some(said) = flaky_before(&records, &anywhere) {
                flaky(gate, said);
                continue;
            }
            let scope = Scope { tree: Some(tree), ..anywhere };
            let before = verdict::before(&records, &scope).map(|before| (before.status, "before the work"));
            let in_run = Scope { run: Some(&self.order.run), ..scope };
            let earlier = verdict::latest_observed(&records, &in_run).and_then(|p| match p.kind {
                Type::GatePass => Some((Status::Pass, "in an earlier attempt")),
                Type::GateFail => Some((Status::Fail, "in an earlier attempt")),
                _ => None,
            });
            let other = [before, earlier].into_iter().flatten().find(|(status, _)| *status != gate.status);
            let Some((was, when)) = other else { continue };
            if self.ignored_work(&records, checked)? {
                continue;
            }
            let word = |status| if status == Status::Pass { "passed" } else { "failed" };
            let said =
                format!("flaky: it {} {when} and {} now, on the same tree", word(was), word(gate.status));
            flaky(gate, said);
        }
        Ok(())
    }

    /// Whether files that git ignores changed since the task's first attempt began and before its checks did: those that
    /// a check writes, such as a cache, are no work.
    fn ignored_work(&self, records: &[Punch], checked: SystemTime) -> Result<bool, Fail> {
        let scope = Scope::of_task(&self.order.plan.path, self.task);
        let begun = records.iter().find(|p| p.kind == Type::AttemptBegin && scope.holds(p));
        let since = begun.and_then(|p| p.data.get(SINCE)?.as_u64()).map(Duration::from_millis);
        let Some(since) = since.map(|since| SystemTime::UNIX_EPOCH + since) else { return Ok(false) };
        ignored_changed(&self.place, since + COARSE, Some(checked))
    }

    /// The records of results before the work that do not count, since tests that ran then are missing after it: those that
    /// failed may be among them.
    pub(crate) fn without_missing_tests(&self, ran: &Ran, late: &[Entry]) -> Result<Vec<Entry>, Fail> {
        let rule = self.catalog.config.proof.before;
        if self.place.root() != self.home.root() || rule == BeforeRule::Off {
            return Ok(Vec::new());
        }
        let records = self.desk.ledger(self.order)?.read_about(&self.order.plan.path, &self.task.id)?;
        let mut entries = Vec::new();
        for (check, asked) in self.asked(rule)? {
            let task = Scope::of_task(&self.order.plan.path, self.task);
            let scope = Scope { key: Some(&asked.key), digest: Some(&asked.digest), ..task };
            let taken = late.iter().rev().find(|entry| entry.key == asked.key).map(|entry| &entry.data);
            let recorded = verdict::befores(&records, &scope).next().map(|before| &*before.record.data);
            let Some(data) = taken.or(recorded) else { continue };
            let Some(before) = gate_of(data).filter(|gate| gate.status == Status::Fail) else { continue };
            let after = ran.gates.iter().find(|gate| gate.gate_id == check.id && gate.status == Status::Pass);
            let Some(after) = after else { continue };
            let root = self.home.root();
            if let Some(missing) = missing_tests(root, &before, after)? {
                let said = format!("no result before the work: {missing}");
                let (status, stop_reason) = (Status::Fault, StopReason::Ambiguous);
                let gate = Gate { status, stop_reason, measured: Some(said), ..before };
                let mut data = data.clone();
                data["gate"] = json!(gate);
                entries.push(self.before_entry(&asked, &gate, ran.tree.clone(), data));
            }
        }
        Ok(entries)
    }
}

/// What the last result before the work says, if the check turned out to be flaky there.
fn flaky_before(records: &[Punch], scope: &Scope<'_>) -> Option<String> {
    let gate = gate_of(&verdict::befores(records, scope).next()?.record.data)?;
    gate.measured.filter(|_| gate.flaky)
}

fn gate_of(data: &Value) -> Option<Gate> {
    serde_json::from_value(data.get("gate")?.clone()).ok()
}

/// Whether a file that git ignores changed after a moment, and well before another one where that is given.
fn ignored_changed(place: &Home, since: SystemTime, until: Option<SystemTime>) -> Result<bool, Fail> {
    let list = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard"];
    let listed = Git::new(place.clone()).run(&Call::of(&list))?.out;
    let changed = |path: &[u8]| {
        let path = String::from_utf8_lossy(path).into_owned();
        !path.starts_with(".plantools/")
            && fs::changed_at(&place.root().join(path)).is_some_and(|changed| {
                changed + COARSE >= since && until.is_none_or(|until| changed + COARSE < until)
            })
    };
    Ok(listed.split(|b| *b == 0).filter(|path| !path.is_empty()).any(changed))
}
