//! Ticks an order on evidence that is derived again.

mod error_note;
pub(crate) mod issue_tracker;
pub(crate) mod landed;

use crate::plan_file::PlanFile;
use crate::{STAGE, adapt};
use config::ConfigArgs;
use config::proof::Accept;
use dialects::PlanSnapshot;
use dialects::write::{self, Change};
use ledger::changed;
use ledger::leases;
use ledger::level::{self, Allowed, Evidence};
use ledger::proof::{self, ProofContext};
use ledger::recorder::Recorder;
use ledger::unclear;
use ledger::verdict::{self, Scope};
use repo::landing;
use repo::tree::Tree;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;
use toolkit::cli::env;
use toolkit::files::lock;
use toolkit::files::root::{Home, inside};
use toolkit::stream::stage::{order_of, set};
use toolkit::{Exit, Fail};
use wire::order::{Category, Halt, NOT_ACCEPTED, Tick};
use wire::plan::Criterion;
use wire::punch::{Punch, SourceKind, Trust, Type};
use wire::{Level, Order, OrderLine, State, Task};

/// The stage.
pub(crate) struct Ticker<'a> {
    adapt: bool,
    config: &'a ConfigArgs,
    desk: &'a Recorder,
    accept: Option<&'a AcceptOnce>,
}

/// A person's word about a run: this level ticks, for this reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AcceptOnce {
    pub(crate) level: Accept,
    pub(crate) reason: String,
}

/// The code of a refusal for want of evidence.
const NO_PROOF: &str = "no-proof";

/// Why an order is not ticked: a code word and a sentence.
pub(crate) type Refusal = (&'static str, String);

/// How often a plan that is being saved is read again before that is a failure.
const TRIES: u32 = 5;

impl<'a> Ticker<'a> {
    /// A stage that takes a person's word about the run, if there is one.
    pub(crate) fn new(
        adapt: bool,
        config: &'a ConfigArgs,
        desk: &'a Recorder,
        accept: Option<&'a AcceptOnce>,
    ) -> Result<Self, Fail> {
        if accept.is_some() && env::is_inside_attempt() {
            let message =
                "'--accept' is for a person; a worker or a check does not decide which evidence ticks";
            return Err(Fail::new(Exit::No, "inside-attempt", message));
        }
        Ok(Self { adapt, config, desk, accept })
    }

    /// Ticks one order's task, if the evidence is accepted, and sets `tick`.
    pub(crate) fn tick(&self, line: &mut OrderLine) -> Result<(), Fail> {
        let order = order_of(line)?;
        if let Some(halt) = &order.halt {
            let skipped = Some(format!("halted by {}: {}", halt.stage, halt.code));
            let adapted = if self.adapt { adapt::add(self.desk, &order, halt)? } else { None };
            error_note::write(self.desk, &order, halt)?;
            return set(line, "tick", &Tick { skipped, adapted, ..Tick::default() });
        }
        let mut tries = 0;
        let outcome = loop {
            tries += 1;
            match self.settle(&order) {
                // The plan was saved at this moment: read it again, and derive everything again.
                Err(fail) if fail.code == "file-changed" && tries < TRIES => {}
                other => break other?,
            }
        };
        match outcome {
            Ok(tick) => set(line, "tick", &tick),
            Err((code, message)) => self.refuse(line, &order, code, message),
        }
    }

    fn settle(&self, order: &Order) -> Result<Result<Tick, Refusal>, Fail> {
        let root = Path::new(&order.plan.root);
        let home = Home::of(root)?;
        let config = self.config.load(root)?;
        let path = inside(root, &order.plan.path)?;
        // While several runs share the plan, no other run may undo the landing that is being ticked.
        let _turn = landed::is_shared(order).then(|| landing::lock(&home, STAGE)).transpose()?;
        let landing = match landed::of(order, &home)? {
            Ok(landing) => landing,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let lock = order.shares_its_tree().then(|| lock::of_tree(&home, STAGE)).transpose()?;
        let mut file = PlanFile::lock(&home, &path, Some(&order.plan.dialect))?;
        let whole = Tree::now(&home, &file.field.ground)?;
        drop(lock);
        if let Some(refusal) = landed::moved(landing.as_ref(), &home, whole.as_ref())? {
            return Ok(Err(refusal));
        }
        let tree = whole.as_ref().map(|t| t.hash.clone());
        self.record_accept(order)?;
        let records = self.records(order)?;
        if let Err(message) = leases::still_of(&records, order) {
            return Ok(Err((leases::LOST, message)));
        }
        let Some(task) = file.field.handed_out(order) else {
            let message = format!("task '{}' changed after it was handed out", order.task.id);
            return Ok(Err(("plan-changed", message)));
        };
        let profile = config.profile(&order.plan.dialect)?;
        let ground = ProofContext::new(&config, &profile, root);
        let view = whole.as_ref().map(Tree::view);
        let evidence = level::of(&records, &order.plan.path, &task, &order.run, view, ground);
        let accept = profile.accepts();
        let allowed = match evidence.allows(&records, &order.plan.path, &task, &order.run, accept) {
            Ok(allowed) => allowed,
            Err(message) if evidence.level == Level::Unproved => return Ok(Err((NO_PROOF, message))),
            Err(message) => return Ok(Err((NOT_ACCEPTED, message))),
        };
        if let Err(message) = card_passed(&records, order, ground) {
            return Ok(Err((NO_PROOF, message)));
        }
        let passed: Vec<&Criterion> =
            task.criteria.iter().filter(|c| c.boxed && is_ticked_with(&records, order, &task, c)).collect();
        let now = &self.desk.clock.now();
        let change = Change { task: &task, state: State::Completed, criteria: &passed, now, reason: "" };
        let edits = match write::edits(&file.field, &change) {
            Err(fail) if matches!(fail.code, "no-box" | "no-mark") => {
                return Ok(Err((fail.code, fail.message)));
            }
            other => other?,
        };
        let unclear = unclear::noted(&records, &order.plan.path, &task).map(str::to_owned);
        let (mark, level) = (Some(mark(&file.field, &task)), Some(allowed.level));
        let tick = Tick { changed: false, mark, level, unclear, ..left(&task, &passed) };
        // The record comes first: a crash between the two leaves a tick to repeat, never a forgotten commit.
        let mut entry = self.desk.entry(order, Type::Tick, task.id.to_string());
        entry.tree = tree;
        let files = judged_files(&records, order, whole.as_ref());
        entry.data = json!({ "tick": tick, "files": files, "evidence": shown(&evidence, &allowed) });
        drop(records);
        let ledger = self.desk.ledger(order)?;
        if let Err(message) =
            ledger.append_if(entry, || Ok(leases::still_of(&self.records(order)?, order)))?
        {
            return Ok(Err((leases::LOST, message)));
        }
        let changed = if issue_tracker::owns(&file.field) {
            issue_tracker::tell(&file.field, &change)?
        } else {
            file.set(&edits)?
        };
        Ok(Ok(Tick { changed, ..tick }))
    }

    /// The records that decide about the order's task: those about it, and those about the plan as a whole.
    fn records(&self, order: &Order) -> Result<Vec<Punch>, Fail> {
        self.desk.ledger(order)?.read_about(&order.plan.path, &order.task.id)
    }

    fn refuse(&self, line: &mut OrderLine, order: &Order, code: &str, message: String) -> Result<(), Fail> {
        set(line, "tick", &Tick { skipped: Some(message.clone()), ..Tick::default() })?;
        let halt = Halt {
            stage: STAGE.into(),
            code: code.into(),
            category: Category::Unknown,
            message,
            // A person must find out what changes the main tree, and decide which evidence is enough.
            retry: !matches!(code, landed::MOVED | NOT_ACCEPTED),
            // Being too late is not a failure, and neither is work that waits for a person's word.
            counts: !matches!(code, leases::LOST | landed::LOST | NOT_ACCEPTED),
            not_before: None,
        };
        let detail = json!({ "level": order.verdict_level() });
        self.desk.halt_with(line, order, &halt, &detail)
    }

    /// Puts a person's word about the run on record, once.
    fn record_accept(&self, order: &Order) -> Result<(), Fail> {
        let Some(AcceptOnce { level, reason }) = self.accept else { return Ok(()) };
        let known = level::accepted_in(&self.records(order)?, &order.plan.path, &order.run);
        if known.is_some_and(|(known, why)| known == *level && why == *reason) {
            return Ok(());
        }
        let mut entry = self.desk.entry(order, Type::Override, level::ACCEPT);
        (entry.task, entry.fingerprint, entry.attempt) = (None, None, None);
        (entry.source, entry.trust) = (SourceKind::Human, Trust::Typed);
        entry.data = json!({ "level": level.word(), "reason": reason });
        self.desk.ledger(order)?.append(entry).map(|_| ())
    }
}

/// The new mark of the task: the text of its own box, or the sign used elsewhere.
fn mark(field: &PlanSnapshot, task: &Task) -> String {
    let boxed = task.criteria.iter().rev().find(|c| c.boxed).map(|c| &c.span);
    let span = task.mark.as_ref().or(boxed);
    span.map_or("✓", |span| field.word(span, State::Completed)).to_owned()
}

/// The criteria in a tick: those that are ticked with it, and those that need a person.
fn left(task: &Task, passed: &[&Criterion]) -> Tick {
    let manual = task.criteria.iter().filter(|c| !c.runnable && c.skip.is_none());
    Tick {
        criteria: passed.iter().filter(|c| !c.checked).map(|c| c.id.clone()).collect(),
        manual: manual.map(|c| c.id.clone()).collect(),
        ..Tick::default()
    }
}

/// The files that the attempts at the task changed, as they are in the tree that was judged: an owed commit is
/// compared with this if something else has changed since.
fn judged_files(records: &[Punch], order: &Order, tree: Option<&Tree>) -> BTreeMap<String, String> {
    tree.map_or_else(BTreeMap::new, |tree| {
        changed::files(records, &order.plan.path, &order.task.id, tree.view())
    })
}

/// Whether a criterion's box is ticked: it passed. A task without a box of its own has the state of its boxes, so
/// those without a command are ticked with it.
fn is_ticked_with(records: &[Punch], order: &Order, task: &Task, criterion: &Criterion) -> bool {
    has_passed(records, order, criterion) || (task.mark.is_none() && !criterion.runnable)
}

/// The evidence of a tick for its record: what the work did to each check of the task's own, and a person's reason.
fn shown(evidence: &Evidence, allowed: &Allowed) -> serde_json::Value {
    let of = |wanted: level::Turn| -> Vec<&str> {
        evidence.turns.iter().filter(|(_, turn)| *turn == wanted).map(|(key, _)| key.as_str()).collect()
    };
    json!({
        "level": evidence.level, "changed": evidence.changed, "made_true": of(level::Turn::MadeTrue),
        "true_before": of(level::Turn::TrueBefore), "before_unknown": of(level::Turn::Unknown),
        "accepted_because": allowed.reason,
    })
}

/// Whether a card passed if one is required; otherwise why not.
fn card_passed(records: &[Punch], order: &Order, ground: ProofContext<'_>) -> Result<(), String> {
    let Some(card) = &ground.config.defaults.card else { return Ok(()) };
    let judged = records.iter().rev().find(|p| {
        scope_of(order).holds(p)
            && p.kind == Type::Checkpoint
            && p.key == *card
            && p.attempt == Some(order.attempt)
    });
    match judged.and_then(|p| p.data.pointer("/card/status")).and_then(|v| v.as_str()) {
        Some("pass") => Ok(()),
        Some(other) => Err(format!("card '{card}' did not pass: {other}")),
        None => Err(format!("card '{card}' was not judged")),
    }
}

fn has_passed(records: &[Punch], order: &Order, criterion: &Criterion) -> bool {
    let last = verdict::latest(records, &Scope { key: Some(&criterion.id), ..scope_of(order) });
    last.is_some_and(|p| verdict::counts(p, &proof::digest_of(criterion), p.tree.as_ref()))
}

/// The records about the order's task in its run.
fn scope_of(order: &Order) -> Scope<'_> {
    Scope { run: Some(&order.run), ..Scope::of_task(&order.plan.path, &order.task) }
}
