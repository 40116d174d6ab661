//! The level of evidence of a task, derived again from ledger, plan, configuration and tree.
//!
//! A check counts if plan, task, fingerprint, the digest of the plan's or configuration's own command, tree and run
//! all equal what is derived now, if `gate-run` observed it itself, and if no later record contradicts it. The
//! ledger alone never ticks anything.

use crate::changed::{self, TreeView};
use crate::pins;
use crate::proof::{self, Check, ProofContext};
use crate::unclear;
use crate::verdict::{self, Scope};
use config::proof::{Accept, Prose};
use wire::gate::Status;
use wire::plan::{BEFORE_ONLY, Criterion, Kind};
use wire::punch::{Punch, SourceKind, Type};
use wire::{Level, RunId, Task};

/// The key of the record by which a person lets an unproved task pass.
pub const ACCEPT_UNPROVED: &str = "accept-unproved";
/// The key of the record by which a person accepts a level for one run.
pub const ACCEPT: &str = "accept";

/// The evidence for a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Its level.
    pub level: Level,
    /// Why it is unproved.
    pub lack: Option<Lack>,
    /// Whether the work on the task changed the tree.
    pub changed: bool,
    /// Each check of its own, and what the work did to it.
    pub turns: Vec<(String, Turn)>,
}

/// What the work did to a check that passes now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It failed before.
    MadeTrue,
    /// It passed before.
    TrueBefore,
    /// The result before the work is unknown.
    Unknown,
}

/// Why a task is unproved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// The task has no check to run.
    NothingToRun,
    /// These checks have no record that counts.
    Missing(Vec<String>),
    /// Everything passed, but the task has no check of its own, and nothing changed.
    Unchanged,
    /// Criteria that the project wants a person to judge.
    Prose(Vec<String>),
    /// These checks are unclear, each in words.
    Unclear(Vec<String>),
}

impl Lack {
    /// What is missing, and how to fix it.
    pub fn words(&self, task: &Task) -> String {
        match self {
            Lack::NothingToRun => "no check ran for it".to_owned(),
            Lack::Missing(keys) => format!("no pass on the present tree for {}", keys.join(", ")),
            Lack::Unchanged => format!(
                "task {} has no check of its own, and the worker changed nothing: add \"Verify: `command`\" below it{}",
                task.id,
                if task.kind == Kind::Checkpoint { ", or a gate with when = [\"phase\"]" } else { "" }
            ),
            Lack::Unclear(checks) => checks.join("; "),
            Lack::Prose(ids) => format!(
                "a person has to judge {}: checkbox criterion ID --reason WHY, or [proof] prose = \"leave\"",
                ids.join(", ")
            ),
        }
    }
}

/// The evidence for a task, from the records alone.
pub fn of(
    records: &[Punch],
    plan: &str,
    task: &Task,
    run: &RunId,
    tree: Option<TreeView<'_>>,
    ground: ProofContext<'_>,
) -> Evidence {
    let checks = proof::checks(task, ground);
    let scope = Scope { run: Some(run), ..Scope::of_task(plan, task) };
    let hash = tree.map(|tree| tree.hash);
    let passed = |check: &&Check| {
        let last = verdict::latest(records, &Scope { key: Some(&check.key), ..scope });
        last.is_some_and(|last| verdict::counts(last, &check.digest, hash))
    };
    let mut missing: Vec<_> = checks.iter().filter(|c| !passed(c)).map(|c| c.key.clone()).collect();
    let red = verdict::latest(records, &Scope { key: Some(RED), ..scope });
    missing.extend(red.filter(|red| red.kind == Type::GateFail).map(|red| red.key.clone()));
    missing.extend(proof::missing_outputs(records, plan, task).map(|refused| refused.key.clone()));
    let own: Vec<&Check> = checks.iter().filter(|check| check.own).collect();
    let changed = changed::is_there(records, plan, task, tree);
    let turns: Vec<(String, Turn)> =
        own.iter().map(|check| (check.key.clone(), turn(records, plan, task, check, tree))).collect();
    let prose = open_prose(records, plan, task, ground);
    let unclear = unclear::open(records, plan, task);
    let lack = match () {
        () if !unclear.is_empty() => Some(Lack::Unclear(unclear.into_iter().map(unclear::words).collect())),
        () if checks.is_empty() => Some(Lack::NothingToRun),
        () if !missing.is_empty() => Some(Lack::Missing(missing)),
        () if own.is_empty() && !changed => Some(Lack::Unchanged),
        () if !prose.is_empty() => Some(Lack::Prose(prose)),
        () => None,
    };
    let any = |wanted| turns.iter().any(|(_, turn)| *turn == wanted);
    let level = match &lack {
        // A person's word replaces missing checks and missing work, never a check that does not pass.
        Some(Lack::NothingToRun | Lack::Unchanged) if is_accepted(records, &scope) => Level::Accepted,
        Some(_) => Level::Unproved,
        None if own.is_empty() && is_reviewed(records, plan, task, tree) => Level::Reviewed,
        None if own.is_empty() => Level::GatesOnly,
        None if any(Turn::MadeTrue) => Level::Proved,
        None if any(Turn::Unknown) => Level::Passes,
        None => Level::AlreadyTrue,
    };
    let lack = lack.filter(|_| level == Level::Unproved);
    Evidence { level, lack, changed, turns }
}

/// Whether a check was adopted although empty files meet it, see `gate-run try`.
fn is_existence_only(records: &[Punch], plan: &str, task: &Task, check: &Check) -> bool {
    let own = task.criteria.iter().find(|criterion| criterion.id == check.key);
    let Some(command) = own.and_then(|criterion| criterion.command.as_deref()) else { return false };
    let adoptions = records.iter().filter(|record| {
        record.kind == Type::Override
            && record.key == pins::ADOPT
            && record.plan == plan
            && record.task.as_ref() == Some(&task.id)
    });
    let checks = adoptions.filter_map(|record| record.data.get("checks")?.as_array()).flatten();
    checks.filter(|check| check.get("command").and_then(serde_json::Value::as_str) == Some(command)).any(
        |check| {
            check.pointer("/trial/existence_only").and_then(serde_json::Value::as_bool).unwrap_or_default()
        },
    )
}

/// What the work did to a check that passes now.
fn turn(records: &[Punch], plan: &str, task: &Task, check: &Check, tree: Option<TreeView<'_>>) -> Turn {
    let digest = Some(check.digest.as_str());
    let scope = Scope { key: Some(&check.key), digest, ..Scope::of_task(plan, task) };
    match verdict::before(records, &scope) {
        None => Turn::Unknown,
        Some(before) if before.status == Status::Pass => Turn::TrueBefore,
        // The same tree with another result: something that the tree does not show made the difference.
        Some(before) if tree.is_some() && before.record.tree.as_ref() == tree.map(|tree| tree.hash) => {
            Turn::Unknown
        }
        // No test failed: tests were missing, and cannot be told apart from the code that they are for.
        Some(before) if before.record.data.get(NONE_FAILED).is_some() => Turn::Unknown,
        // An empty file at the right place would have made it true: that is no proof.
        Some(_) if is_existence_only(records, plan, task, check) => Turn::Unknown,
        Some(_) => Turn::MadeTrue,
    }
}

/// Whether a person let the task pass in this run.
fn is_accepted(records: &[Punch], scope: &Scope<'_>) -> bool {
    records.iter().any(|p| p.kind == Type::Override && p.key == ACCEPT_UNPROVED && scope.holds(p))
}

/// Whether another worker agreed to the change that is in this tree: its files are as the reviewer read them. Work that
/// lands beside that of other tasks stays reviewed as long as they leave its files alone.
fn is_reviewed(records: &[Punch], plan: &str, task: &Task, tree: Option<TreeView<'_>>) -> bool {
    let scope = Scope::of_task(plan, task);
    let review = |p: &&Punch| {
        p.kind == Type::Review && p.key == REVIEW && p.source.kind == SourceKind::Worker && scope.holds(p)
    };
    let last = records.iter().rev().find(review);
    let agreed = last.filter(|p| p.data.get("agree").and_then(serde_json::Value::as_bool) == Some(true));
    tree.zip(agreed).is_some_and(|(tree, review)| changed::has_files_of(review, tree))
}

/// The field of a record before the work: a test runner reported no failed test, and the check was not met all the same.
pub const NONE_FAILED: &str = "none_failed";

/// The key of the record of a worker's review.
pub const REVIEW: &str = "change";

/// The key of the record that says whether the task's own tests fail on the code before it.
pub const RED: &str = "step:red";

/// The command by which a task asks to see its tests fail before the work.
pub fn red_command(task: &Task) -> Option<&str> {
    let stated = task.extra.get("verify_red").and_then(|command| command.as_str());
    let is_red = |c: &&Criterion| c.skip.as_deref().is_some_and(|skip| skip.starts_with(BEFORE_ONLY));
    stated.or_else(|| task.criteria.iter().find(is_red)?.command.as_deref())
}

/// Criteria in prose that the project wants a person to judge, and that are undecided.
fn open_prose(records: &[Punch], plan: &str, task: &Task, ground: ProofContext<'_>) -> Vec<String> {
    if ground.config.proof.prose == Prose::Leave {
        return Vec::new();
    }
    let scope = Scope::of_task(plan, task);
    let decided = |id: &str| {
        let by_hand = |p: &Punch| p.kind == Type::Override && p.data["criterion"] == id && scope.holds(p);
        records.iter().any(by_hand)
    };
    let open = task.criteria.iter().filter(|c| !c.runnable && c.skip.is_none() && !c.checked);
    open.filter(|c| !decided(&c.id)).map(|c| c.id.clone()).collect()
}

/// A tick that is allowed: on the evidence itself, or by a person's word for the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    /// The level that the tick stands on.
    pub level: Level,
    /// The person's reason, where the evidence alone does not do.
    pub reason: Option<String>,
}

impl Evidence {
    /// Whether the evidence ticks the task where the project accepts `accept`; otherwise why it waits, and the ways out.
    pub fn allows(
        &self,
        records: &[Punch],
        plan: &str,
        task: &Task,
        run: &RunId,
        accept: Accept,
    ) -> Result<Allowed, String> {
        if let Some(lack) = &self.lack {
            return Err(lack.words(task));
        }
        let level = self.level;
        if level == Level::Accepted {
            return Ok(Allowed { level, reason: None });
        }
        let idle = level == Level::AlreadyTrue && !self.changed;
        if idle && !matches!(task.kind, Kind::Verification | Kind::Checkpoint) {
            return Err(format!(
                "{}: {} passed before the work, and the worker changed nothing: nothing shows work on task {}; give it \
                 a check that fails until it is done, or tick it by hand (checkbox tick {} --reason WHY)",
                level.shown(),
                self.names(),
                task.id,
                task.id
            ));
        }
        // A person's word about a run may be stricter than the project's.
        let asked = accepted_in(records, plan, run);
        let accept = asked
            .as_ref()
            .map(|(asked, _)| *asked)
            .filter(|asked| asked.level() < accept.level())
            .unwrap_or(accept);
        if level <= accept.level() {
            return Ok(Allowed { level, reason: None });
        }
        if let Some((asked, reason)) = asked
            && level <= asked.level()
        {
            return Ok(Allowed { level: Level::Accepted, reason: Some(reason) });
        }
        Err(self.waits(plan, task, accept))
    }

    /// Why it waits, and every way out. Checks are suggested and proposed for tasks without a check of their own.
    fn waits(&self, plan: &str, task: &Task, accept: Accept) -> String {
        let why = match self.level {
            Level::Passes => format!("{} passes, and nothing shows that the work made it true", self.names()),
            Level::AlreadyTrue => format!("{} passed before the work as well", self.names()),
            _ => format!("task {} has no check of its own, and its gates pass for any change", task.id),
        };
        let word = Accept::of(self.level).map_or("gates", Accept::word);
        let find = if self.turns.is_empty() {
            format!(
                "take a suggestion (plan-parse --suggest {plan}), ask for proposals (orchestrate checks {plan}), "
            )
        } else {
            String::new()
        };
        format!(
            "{}: {why}; this project accepts {}: add \"Verify: `command`\" that fails until the work is done, {find}or \
             accept this level with accept = \"{word}\" below [proof] in plantools.toml, or for one run with --accept \
             {word} --reason WHY",
            self.level.shown(),
            accept.word()
        )
    }

    fn names(&self) -> String {
        let names: Vec<&str> = self.turns.iter().map(|(key, _)| key.as_str()).collect();
        if names.len() == 1 { format!("check {}", names[0]) } else { format!("each of {}", names.join(", ")) }
    }
}

/// The level that a person accepts for a run, with the reason: the last record says it.
pub fn accepted_in(records: &[Punch], plan: &str, run: &RunId) -> Option<(Accept, String)> {
    let last = records.iter().rev().find(|p| {
        p.kind == Type::Override && p.key == ACCEPT && p.plan == plan && p.run == *run && p.task.is_none()
    })?;
    let word = |name: &str| last.data.get(name).and_then(|value| value.as_str());
    Some((Accept::parse(word("level")?)?, word("reason").unwrap_or_default().to_owned()))
}

/// The level that a tick on record stands on; ticks of earlier releases have none.
pub fn of_tick(tick: &Punch) -> Option<Level> {
    Level::parse(tick.data.pointer("/tick/level")?.as_str()?)
}
