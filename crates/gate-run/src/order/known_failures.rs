//! Tests that failed before the first task of a plan: with `[proof] known_failures = "allow"` a gate that was red then
//! passes while no other test fails, no test has vanished, and the runner ended normally.

use crate::gates::catalog::Catalog;
use crate::order::before::ON;
use crate::order::checks::Round;
use crate::order::test_files::{is_code, is_test};
use crate::run::check::Check;
use crate::run::runner::error_log;
use checks::reports::{self, names};
use config::proof::KnownFailures;
use ledger::proof;
use ledger::verdict::{self, Scope};
use ledger::{Entry, Ledger};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toolkit::Fail;
use toolkit::cli::tool;
use toolkit::files::fs;
use toolkit::files::root::{Home, inside};
use wire::gate::{Status, StopReason};
use wire::punch::{Punch, SourceKind, Type};
use wire::{Gate, TaskId};

/// What a gate's report said before the first task.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Known {
    failed: BTreeSet<String>,
    /// Names of tests that passed; empty where the report does not list them.
    passed: BTreeSet<String>,
    /// How many tests there were.
    total: u64,
    /// Whether the report names its failing tests.
    named: bool,
}

/// The field of a record with it.
const KNOWN: &str = "known";

impl Round<'_> {
    /// Runs the gates before the first task of the plan, where the project allows known failures and they are not on
    /// record; the records of them.
    pub(crate) fn known_before(&self, records: &[Punch]) -> Result<Vec<Entry>, Fail> {
        let plan = &self.order.plan.path;
        let begun = records.iter().any(|p| p.kind == Type::AttemptBegin && p.plan == *plan);
        if self.catalog.config.proof.known_failures == KnownFailures::Block || begun {
            return Ok(Vec::new());
        }
        let runner = self.runner()?;
        let mut entries = Vec::new();
        for rule in self.catalog.config.gates.iter().filter(|gate| !gate.runs_at("manual")) {
            let (key, digest) = (proof::gate_key(&rule.id), proof::digest(&rule.invocation, ""));
            if of(records, plan, &key, &digest).is_some() || self.watch.is_over() {
                continue;
            }
            let gate = self.catalog.resolved(rule, &self.args.set.set)?;
            let check = Check::of_gate(&gate, self.gate_budget(Some(&gate)));
            let ran = runner.run(&check)?;
            if ran.stop_reason == StopReason::Interrupted {
                continue;
            }
            let known = read(self.home.root(), &ran)?;
            let mut entry = self.desk.entry(self.order, Type::Before, key);
            (entry.task, entry.fingerprint, entry.attempt) = (None, None, None);
            (entry.source, entry.tree, entry.source_hash) = (SourceKind::Gate, self.tree()?, Some(digest));
            entry.data = json!({ ON: "before the first task", "gate": ran, KNOWN: known });
            entries.push(entry);
        }
        Ok(entries)
    }
}

/// The field of a record of a gate with the known failures that its task fixed.
pub(crate) const FIXED: &str = "fixed";

/// The known failures that are fixed now and were not before this task, by gate.
pub(crate) type Fixed = BTreeMap<String, Vec<String>>;

/// Lets gates pass that only have known failures, and names the tests that are fixed: once, for the task that did it.
pub(crate) fn allow(
    catalog: &Catalog,
    home: &Home,
    plan: &str,
    task: Option<&TaskId>,
    gates: &mut [Gate],
) -> Result<Fixed, Fail> {
    let mut fixed = Fixed::new();
    if catalog.config.proof.known_failures == KnownFailures::Block {
        return Ok(fixed);
    }
    let records = Ledger::new(home.clone()).read_of(plan)?;
    for gate in gates.iter_mut() {
        let id = gate.gate_id.strip_prefix("gate:").unwrap_or(&gate.gate_id);
        let Some(rule) = catalog.config.gates.iter().find(|rule| rule.id == id) else { continue };
        let (key, digest) = (proof::gate_key(&rule.id), proof::digest(&rule.invocation, ""));
        if let Some(known) = of(&records, plan, &key, &digest) {
            let told = told(&records, plan, &key, task);
            let new = judge(home.root(), gate, &known, &told)?;
            if !new.is_empty() {
                tool::note(&format!("gate-run: {}: fixed: {}", gate.gate_id, new.join(", ")));
                fixed.insert(gate.gate_id.clone(), new);
            }
        }
    }
    Ok(fixed)
}

/// The known failures that records of other tasks call fixed.
fn told(records: &[Punch], plan: &str, key: &str, task: Option<&TaskId>) -> BTreeSet<String> {
    let others = records
        .iter()
        .filter(|p| p.kind == Type::GatePass && p.plan == plan && p.key == key && p.task.as_ref() != task);
    let named = others.filter_map(|p| p.data.get(FIXED)?.as_array()).flatten();
    named.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Judges a gate by what was known before the first task; the known failures that are fixed and not told yet.
fn judge(root: &Path, gate: &mut Gate, known: &Known, told: &BTreeSet<String>) -> Result<Vec<String>, Fail> {
    let untold = |mended: &mut dyn Iterator<Item = &String>| -> Vec<String> {
        mended.filter(|name| !told.contains(*name)).cloned().collect()
    };
    if known.failed.is_empty() && known.named || gate.status == Status::Fault {
        return Ok(Vec::new());
    }
    if !known.named {
        if gate.status == Status::Fail {
            let said = "it failed before the first task, and its report names no tests, so that nothing can be allowed";
            gate.measured = Some(format!("{}: {said}", gate.measured.as_deref().unwrap_or_default()));
        }
        return Ok(Vec::new());
    }
    let now = read(root, gate)?;
    let list = |names: &[&str]| names.join(", ");
    if gate.status == Status::Pass {
        return Ok(untold(&mut known.failed.iter()));
    }
    let new: Vec<&str> = now.failed.difference(&known.failed).map(String::as_str).collect();
    let listed: BTreeSet<&String> = now.failed.iter().chain(&now.passed).collect();
    let before = known.failed.iter().chain(&known.passed);
    let gone: Vec<&str> = if known.passed.is_empty() {
        Vec::new()
    } else {
        before.filter(|name| !listed.contains(name)).map(String::as_str).collect()
    };
    let normal = gate.stop_reason == StopReason::Exited && gate.exit_code.is_some_and(|code| code < 126);
    let measured = match () {
        () if !normal || !now.named => return Ok(Vec::new()),
        () if !new.is_empty() => format!("new failures: {}", list(&new)),
        () if !gone.is_empty() => format!("tests have vanished: {}", list(&gone)),
        () if now.total < known.total => format!("{} tests ran, and {} before", now.total, known.total),
        () => {
            gate.status = Status::Pass;
            let left: Vec<&str> = now.failed.iter().map(String::as_str).collect();
            let mended = untold(&mut known.failed.difference(&now.failed));
            let said =
                if mended.is_empty() { String::new() } else { format!("; fixed: {}", mended.join(", ")) };
            gate.measured = Some(format!("known failures: {}{said}", list(&left)));
            return Ok(mended);
        }
    };
    gate.measured = Some(measured);
    Ok(Vec::new())
}

/// What the ledger has about a gate before the first task.
fn of(records: &[Punch], plan: &str, key: &str, digest: &str) -> Option<Known> {
    let scope = Scope { plan: Some(plan), key: Some(key), digest: Some(digest), ..Scope::default() };
    let mut all = verdict::befores(records, &scope).filter(|before| before.record.task.is_none());
    all.find_map(|before| serde_json::from_value(before.record.data.get(KNOWN)?.clone()).ok())
}

/// The names in a gate's output: all of it, if a log was kept.
fn read(root: &Path, gate: &Gate) -> Result<Known, Fail> {
    let text = output(root, gate)?;
    let counts = reports::find(&text).map(|(_, counts)| counts).unwrap_or_default();
    let found = names::find(&text).unwrap_or_default();
    let named = gate.status == Status::Pass || counts.failed + counts.errors == found.failed.len() as u64;
    let named = named && (gate.status == Status::Pass || !found.failed.is_empty());
    Ok(Known { failed: found.failed, passed: found.passed, total: counts.passed + counts.failed, named })
}

/// What a gate printed, on both streams: some runners report on standard error, which has a log of its own.
fn output(root: &Path, gate: &Gate) -> Result<String, Fail> {
    let log = gate.log.as_deref().and_then(|log| inside(root, log).ok());
    let read = |log: &Path| -> Result<Option<String>, Fail> {
        let bytes = fs::read_if_there(log)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    };
    let Some(log) = log else { return Ok(gate.last_output_lines.join("\n")) };
    let Some(stdout) = read(&log)? else { return Ok(gate.last_output_lines.join("\n")) };
    let stderr = read(&error_log(&log))?;
    Ok(stderr.map_or(stdout.clone(), |stderr| format!("{stdout}\n{stderr}")))
}

/// Whether the output is the report of a test runner.
pub(crate) fn reports_tests(root: &Path, gate: &Gate) -> Result<bool, Fail> {
    Ok(!reports::all(&output(root, gate)?).is_empty())
}

/// Whether a test runner reported tests that ran and failed.
pub(crate) fn fails_tests(root: &Path, gate: &Gate) -> Result<bool, Fail> {
    Ok(reports::all(&output(root, gate)?).iter().any(|(_, counts)| counts.failed > 0))
}

/// Which tests ran before the work and not after it, in words; `None` where the reports do not tell of any.
pub(crate) fn missing_tests(root: &Path, before: &Gate, after: &Gate) -> Result<Option<String>, Fail> {
    let (was, now) = (output(root, before)?, output(root, after)?);
    let (Some(had), Some(has)) = (tests_run(&was), tests_run(&now)) else { return Ok(None) };
    if has < had {
        return Ok(Some(format!("{had} tests ran before it, and {has} after it")));
    }
    let (Some(was), Some(now)) = (names::find(&was), names::find(&now)) else { return Ok(None) };
    // Some runners name every test only where one fails.
    let names_all = |names: &names::Names, ran: u64| (names.failed.len() + names.passed.len()) as u64 == ran;
    if !names_all(&was, had) || !names_all(&now, has) {
        return Ok(None);
    }
    // A file that could not be loaded is named in the place of its tests.
    let is_file = |name: &&String| name.contains('/') && is_code(name) && is_test(name);
    let gone = was.failed.difference(&now.passed).filter(|name| !is_file(name));
    let gone: Vec<&str> = gone.map(String::as_str).collect();
    Ok((!gone.is_empty()).then(|| format!("tests that failed before it are gone: {}", gone.join(", "))))
}

/// How many tests ran to their end, by the runner that reported them; `None` where no runner counts its tests.
fn tests_run(output: &str) -> Option<u64> {
    let reports = reports::all(output);
    let counted = reports.iter().filter(|(_, counts)| counts.counted && counts.ran());
    counted.map(|(_, counts)| counts.passed + counts.failed).reduce(|all, more| all + more)
}

/// Whether a test runner reported and no test failed, although the check was not met: none ran, or too few.
pub(crate) fn none_failed(root: &Path, gate: &Gate) -> Result<bool, Fail> {
    if gate.status != Status::Fail {
        return Ok(false);
    }
    let reports = reports::all(&output(root, gate)?);
    Ok(!reports.is_empty() && reports.iter().all(|(_, counts)| counts.failed + counts.errors == 0))
}
