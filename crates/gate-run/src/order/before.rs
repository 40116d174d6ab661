//! `gate-run --before`: the checks of a task on the tree from which its first attempt begins.
//!
//! A check that passed before the work says nothing about the work. The results are on record once for each task and
//! fingerprint; a crash between this stage and the worker finds them there. Results that the ledger has for the same tree
//! and command are taken over. Nothing that acts runs here.

use crate::args::Args;
use crate::gates::catalog::Catalog;
use crate::order::checks::Round;
use crate::order::guard::Guard;
use crate::order::{acts, halting, known_failures, later_task, test_files};
use crate::run::check::{Check, Wanted, What};
use crate::run::products::{self, NewFiles};
use crate::run::progress::Progress;
use checks::commands::class::nature;
use config::proof::BeforeRule;
use dialects::PlanSnapshot;
use ledger::proof::{self, Check as Asked};
use ledger::recorder::Recorder;
use ledger::verdict::{self, Scope};
use ledger::{Entry, level};
use repo::git::Git;
use repo::snapshot;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;
use std::time::SystemTime;
use toolkit::cli::signals;
use toolkit::files::root::{Home, has_git};
use toolkit::stream::input::Input;
use toolkit::stream::orders::{Item, Orders};
use toolkit::stream::output::Output;
use toolkit::stream::stage::{order_of, set};
use toolkit::{Exit, Fail};
use wire::gate::{Status, StopReason};
use wire::order::{Before, BeforeResult, Category, Halt, ResumeStep};
use wire::plan::clause::{Clause, Op};
use wire::punch::{Punch, SourceKind, Type};
use wire::{Gate, Order, OrderLine, TreeHash};

/// The name that halts of this stage bear.
pub(crate) const STAGE: &str = "gate-run --before";

/// The field of a record that says what the check ran on.
pub(crate) const ON: &str = "on";
/// The field of a record with the commit of the whole tree before the work.
pub(crate) const BASE: &str = "base";

/// Takes the results for each order. The orders of a round go on together: the first worker must not change the tree on
/// which the checks of the next task run.
pub(crate) fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let desk = Recorder::new(STAGE, &args.run)?;
    let watch = Progress::stage(args);
    let mut orders = Orders::new(Input::open(args.file.as_deref())?);
    signals::outlive_the_first();
    let mut waiting: Vec<Box<OrderLine>> = Vec::new();
    while let Some(item) = orders.read()? {
        match item {
            Item::Order(mut line) => {
                watch.next_order();
                let order = order_of(&line)?;
                take(args, &desk, &watch, &order, &mut line)?;
                if order.follow { out.line(line.text())? } else { waiting.push(line) }
            }
            Item::End(_, text) => {
                waiting.drain(..).try_for_each(|line| out.line(line.text()))?;
                out.line(&text)?;
            }
        }
    }
    waiting.iter().try_for_each(|line| out.line(line.text()))?;
    Ok(Exit::Ok)
}

/// Takes the results for one order, records them, and sets `before`.
fn take(
    args: &Args,
    desk: &Recorder,
    watch: &Progress,
    order: &Order,
    line: &mut OrderLine,
) -> Result<(), Fail> {
    let mut skip =
        |why: &str| set(line, "before", &Before { skipped: Some(why.to_owned()), ..Before::default() });
    if let Some(why) = needs_none(order) {
        return skip(&why);
    }
    let root = Path::new(&order.plan.root);
    let catalog = Catalog::load(&args.config, root)?;
    let rule = catalog.config.proof.before;
    let field = PlanSnapshot::of(&order.plan)?;
    let Some(task) = field.handed_out(order).filter(|task| !task.is_inspection()) else {
        return skip("there is nothing to check before the work");
    };
    let profile = catalog.config.profile(&order.plan.dialect)?;
    let home = Home::of(root)?;
    let round = Round {
        args,
        desk,
        watch,
        order,
        task: &task,
        field: &field,
        catalog: &catalog,
        profile: &profile,
        place: home.clone(),
        home,
    };
    if let Some(halt) = round.stops_at_once()? {
        skip(&halt.message)?;
        return desk.halt(line, order, &halt);
    }
    let records = desk.ledger(order)?.read_of(&order.plan.path)?;
    let (began, changed) = (SystemTime::now(), round.changed_now(&records)?);
    let known = round.known_before(&records)?;
    if !known.is_empty() {
        round.settle_written(began, NewFiles::Aside, changed.clone())?;
        desk.ledger(order)?.append_all(known)?;
    }
    if rule == BeforeRule::Off {
        return skip("[proof] before is off");
    }
    let earlier = Earlier::of(&records, order);
    let mut asked: Vec<(Check, Asked)> = round.asked(rule)?;
    if earlier.is_begun {
        // Criteria that were changed since the work began have no result before it.
        asked.retain(|(_, asked)| !round.is_on_record(&records, asked));
    }
    if asked.is_empty() {
        let why = if earlier.is_begun {
            "the work of an earlier attempt is in the tree"
        } else {
            "the task has no check of its own"
        };
        return skip(why);
    }
    let guard = Guard::of_order(&round.home, &round.place, &field, order)?;
    let mut taken = round.take_before(&records, &asked)?;
    if let Some((halt, detail)) = guard.touched(PlanSnapshot::of(&order.plan).ok().as_ref())? {
        let halt = Halt { stage: STAGE.to_owned(), ..halt };
        skip(&halt.message)?;
        return desk.halt_with(line, order, &halt, &detail);
    }
    if earlier.has_changed {
        taken.keep_failures();
    }
    let mut tree = taken.tree.clone();
    if tree != round.tree()? {
        round.settle_written(taken.began, NewFiles::Aside, changed)?;
        tree = round.tree()?;
    }
    if !taken.entries.is_empty() {
        let base = round.base_of(&asked, &taken)?;
        let bound = |mut entry: Entry| {
            if let Some(base) = &base {
                entry.data[BASE] = json!(base);
            }
            Entry { tree: tree.clone(), ..entry }
        };
        desk.ledger(order)?.append_unsynced(taken.entries.into_iter().map(bound).collect())?;
    }
    set(line, "before", &Before { tree, checks: taken.results, skipped: None })
}

/// Why an order has no results before the work.
fn needs_none(order: &Order) -> Option<String> {
    let is_checked = order.resume.as_ref().is_some_and(|resume| resume.step == ResumeStep::Check);
    match &order.halt {
        Some(halt) => Some(format!("halted by {}: {}", halt.stage, halt.code)),
        None if order.follow => Some(
            "the task gets a tree of its own; its checks run on the merged base when its work lands"
                .to_owned(),
        ),
        None => is_checked.then(|| "the work is there, and is only checked".to_owned()),
    }
}

/// The attempts at a task since its last tick, whatever its text was then.
#[derive(Default)]
pub(crate) struct Earlier {
    is_begun: bool,
    /// The tree from which the first of them began.
    pub(crate) tree: Option<TreeHash>,
    /// Whether one of them changed anything.
    has_changed: bool,
}

impl Earlier {
    pub(crate) fn of(records: &[Punch], order: &Order) -> Self {
        let mut all = Self::default();
        let is_mine = |p: &&Punch| p.plan == order.plan.path && p.task.as_ref() == Some(&order.task.id);
        for record in records.iter().filter(is_mine) {
            match record.kind {
                Type::Tick => all = Self::default(),
                Type::AttemptBegin if !all.is_begun => {
                    (all.is_begun, all.tree) = (true, record.tree.clone());
                }
                Type::AttemptEnd => {
                    let files = record.data.get("changed_files").and_then(Value::as_array);
                    all.has_changed |= files.is_none_or(|files| !files.is_empty());
                }
                _ => {}
            }
        }
        all
    }
}

/// The files that attempts at an order's task have changed since it was last ticked.
pub(crate) fn changed_files<'r>(records: &'r [Punch], order: &Order) -> HashSet<&'r str> {
    let is_mine = |p: &&Punch| p.plan == order.plan.path && p.task.as_ref() == Some(&order.task.id);
    let since = records.iter().rposition(|p| is_mine(&p) && p.kind == Type::Tick).unwrap_or_default();
    let ends = records[since..].iter().filter(is_mine).filter(|p| p.kind == Type::AttemptEnd);
    let files = ends.filter_map(|p| p.data.get("changed_files")?.as_array()).flatten();
    files.filter_map(Value::as_str).collect()
}

/// The results of the checks before the work, with their records.
struct Taken {
    began: SystemTime,
    tree: Option<TreeHash>,
    results: Vec<BeforeResult>,
    entries: Vec<Entry>,
    /// Whether one of them gave the report of a test runner.
    ran_tests: bool,
}

impl Taken {
    /// What passes now may be the work of an earlier attempt.
    fn keep_failures(&mut self) {
        self.entries.retain(|entry| entry.data["gate"]["status"] == json!(Status::Fail));
        self.results.retain(|result| result.status == Some(Status::Fail));
    }
}

impl Round<'_> {
    /// Every file with uncommitted changes; `None` once an attempt has begun, which put them on record.
    fn changed_now(&self, records: &[Punch]) -> Result<Option<HashSet<String>>, Fail> {
        if products::is_begun(records, &self.order.plan.path) {
            return Ok(None);
        }
        if !has_git(self.place.root()) {
            return Ok(Some(HashSet::new()));
        }
        Ok(Some(Git::new(self.place.clone()).status()?.into_iter().map(|(_, path)| path).collect()))
    }

    /// Why the task must not begin: a check of it waits for a later task, or acts and is not allowed to.
    fn stops_at_once(&self) -> Result<Option<Halt>, Fail> {
        let halt = |code: &str, message: String| Halt {
            stage: STAGE.to_owned(),
            retry: false,
            counts: false,
            ..halting::halt(code, Category::PlanError, message)
        };
        if let Some(message) = later_task::waits(self.task, self.field, self.place.root()) {
            return Ok(Some(halt("waits-for-later-task", message)));
        }
        if self.may_act()? {
            return Ok(None);
        }
        let checks = self.checks()?;
        let acting = checks.iter().find_map(|check| Some((check, acting(check)?)));
        Ok(acting.map(|(check, what)| halt("check-acts", not_allowed(&check.id, &what))))
    }

    /// The checks to run before the work, as they run and as they are on record.
    pub(crate) fn asked(&self, rule: BeforeRule) -> Result<Vec<(Check, Asked)>, Fail> {
        let own = |id: &str| self.task.criteria.iter().any(|criterion| criterion.id == id);
        let known = proof::checks(self.task, self.ground());
        let checks = self.checks()?.into_iter().filter(|check| rule == BeforeRule::All || own(&check.id));
        let pair = |check: Check| {
            let asked = known.iter().find(|asked| asked.key == check.id)?.clone();
            Some((check, asked))
        };
        Ok(checks.filter_map(pair).collect())
    }

    fn take_before(&self, records: &[Punch], asked: &[(Check, Asked)]) -> Result<Taken, Fail> {
        let began = SystemTime::now();
        let tree = self.tree()?;
        let runner = self.runner()?;
        let (results, entries) = (Vec::new(), Vec::new());
        let mut taken = Taken { began, tree: tree.clone(), results, entries, ran_tests: false };
        for (check, asked) in asked {
            let known = self.known(records, asked, tree.as_ref());
            if let Some(Known::Before(status)) = known {
                taken.results.push(result(&check.id, Some(status), "on record", true));
                continue;
            }
            if let Some(what) = acting(check) {
                taken.results.push(result(&check.id, None, &format!("acts: {what}"), false));
                continue;
            }
            if self.watch.is_over() {
                taken.results.push(result(&check.id, None, "stopped", false));
                continue;
            }
            let (mut gate, reused) = match known {
                Some(Known::Verdict(gate, seq)) => (*gate, Some(seq)),
                _ => (self.run_before(&runner, &self.place, check)?, None),
            };
            if finds_nothing(check, &gate) {
                gate.status = Status::Fail;
            }
            if gate.stop_reason == StopReason::Interrupted {
                taken.results.push(result(&check.id, None, "stopped", false));
                continue;
            }
            let measured = gate.measured.as_deref().unwrap_or_default();
            taken.results.push(result(&check.id, Some(gate.status), measured, reused.is_some()));
            taken.ran_tests |= known_failures::reports_tests(self.home.root(), &gate)?;
            let none_failed = known_failures::none_failed(self.home.root(), &gate)?.then_some(true);
            let data = json!({ ON: "before", "reused": reused, level::NONE_FAILED: none_failed });
            taken.entries.push(self.before_entry(asked, &gate, tree.clone(), data));
        }
        Ok(taken)
    }

    /// The record of a check before the work.
    pub(crate) fn before_entry(
        &self,
        asked: &Asked,
        gate: &Gate,
        tree: Option<TreeHash>,
        mut data: Value,
    ) -> Entry {
        let mut entry = self.desk.entry(self.order, Type::Before, asked.key.clone());
        (entry.source, entry.tree) = (SourceKind::Gate, tree);
        entry.source_hash = Some(asked.digest.clone());
        data["gate"] = json!(gate);
        if let Some(data) = data.as_object_mut() {
            data.retain(|_, value| !value.is_null());
        }
        entry.data = data;
        entry
    }

    /// Whether a result before the work is on record for this task as it is now.
    pub(crate) fn is_on_record(&self, records: &[Punch], asked: &Asked) -> bool {
        let task = Scope::of_task(&self.order.plan.path, self.task);
        let scope = Scope { key: Some(&asked.key), digest: Some(&asked.digest), ..task };
        verdict::befores(records, &scope).next().is_some()
    }

    /// What the ledger knows about a check on this tree.
    fn known(&self, records: &[Punch], asked: &Asked, tree: Option<&TreeHash>) -> Option<Known> {
        let scope = Scope {
            key: Some(&asked.key),
            digest: Some(&asked.digest),
            ..Scope::of_task(&self.order.plan.path, self.task)
        };
        let mine = verdict::befores(records, &scope).find(|before| before.record.tree.as_ref() == tree);
        if let Some(before) = mine {
            return Some(Known::Before(before.status));
        }
        reusable(records, &asked.digest, tree?).map(|(gate, seq)| Known::Verdict(Box::new(gate), seq))
    }

    /// The whole tree as a commit, where a check may have to run on it again: with the task's own tests, or because it
    /// could not look.
    fn base_of(&self, asked: &[(Check, Asked)], taken: &Taken) -> Result<Option<String>, Fail> {
        let runs = |(check, _): &(Check, Asked)| match &check.what {
            What::Line(line) => test_files::may_run_tests(line) || test_files::may_be_defined(line),
            _ => false,
        };
        let faulted = taken.results.iter().any(|result| result.status == Some(Status::Fault));
        let again =
            faulted || taken.ran_tests || asked.iter().any(runs) || level::red_command(self.task).is_some();
        if !again || !has_git(self.place.root()) {
            return Ok(None);
        }
        let git = Git::new(self.place.clone());
        snapshot::take(&git, git.head()?.as_deref()).map(Some)
    }
}

enum Known {
    /// The result before the work is on record.
    Before(Status),
    /// The same command gave this result on the same tree.
    Verdict(Box<Gate>, u64),
}

/// The last result of a command on a tree that the ledger has, if it is one.
pub(crate) fn reusable(records: &[Punch], digest: &str, tree: &TreeHash) -> Option<(Gate, u64)> {
    let scope = Scope { digest: Some(digest), tree: Some(tree), ..Scope::default() };
    let verdict = verdict::latest_observed(records, &scope);
    let before = verdict::befores(records, &scope).next().map(|before| before.record);
    let last = [verdict, before].into_iter().flatten().max_by_key(|record| record.seq)?;
    let gate: Gate = serde_json::from_value(last.data.get("gate")?.clone()).ok()?;
    (gate.status != Status::Fault).then_some((gate, last.seq))
}

/// The part of a check that acts.
pub(crate) fn acting(check: &Check) -> Option<String> {
    match &check.what {
        What::Line(line) => acts::acting(line),
        _ => None,
    }
}

/// Why a check that acts does not run, and the ways out.
pub(crate) fn not_allowed(id: &str, what: &str) -> String {
    format!(
        "check {id} acts ('{what}') and is not run without permission: set acts = \"allow\" below [proof] in \
         plantools.toml, or run again with --allow-acts WHY"
    )
}

/// Whether a command that only reads had no file to look at. After the work that is no verdict; before it the check is
/// plainly not met, unless it asks for absence, which a missing file would meet.
fn finds_nothing(check: &Check, gate: &Gate) -> bool {
    let What::Line(line) = &check.what else { return false };
    gate.status == Status::Fault
        && gate.stop_reason == StopReason::Ambiguous
        && gate.exit_code.is_some_and(|code| code != 0)
        && acts::only_reads(line)
        && !asks_for_absence(check)
}

/// Whether what is not there meets a check: then a missing file before the work says nothing.
pub(crate) fn asks_for_absence(check: &Check) -> bool {
    let (What::Line(line), Wanted::Clauses(clauses)) = (&check.what, &check.wanted) else { return true };
    let nature = nature(line);
    nature.denies || nature.negated || clauses.iter().any(met_by_nothing)
}

/// Whether an output of nothing, or of a count of zero, meets a clause.
fn met_by_nothing(clause: &Clause) -> bool {
    match clause {
        Clause::Fails | Clause::Empty => true,
        Clause::Exit { code } => *code != 0,
        Clause::Line { text } | Clause::Exactly { text } => text == "0",
        Clause::Stderr { of } => met_by_nothing(of),
        Clause::Number { op, value } => {
            value.trim_end_matches('%').parse::<f64>().ok().is_none_or(|value| match op {
                Op::Eq => value == 0.0,
                Op::Ne => value != 0.0,
                Op::Lt => value > 0.0,
                Op::Le => value >= 0.0,
                Op::Gt => value < 0.0,
                Op::Ge => value <= 0.0,
            })
        }
        _ => false,
    }
}

fn result(id: &str, status: Option<Status>, reason: &str, reused: bool) -> BeforeResult {
    BeforeResult { id: id.to_owned(), status, reason: Some(reason.to_owned()), reused }
}
