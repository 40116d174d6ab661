//! Records of gates and commands outside of orders.
//!
//! A gate of the configuration is observed. A command typed by a user is typed: no tick, card or proof counts it.

use crate::args::Args;
use crate::run::products::{self, NewFiles, Written};
use ledger::proof;
use ledger::proof::gate_key;
use ledger::{Entry, Ledger, unclear};
use repo::tree::{OwnFiles, Tree};
use serde_json::{Value, json};
use std::time::SystemTime;
use toolkit::Fail;
use toolkit::cli::clock::Clock;
use toolkit::files::root::Home;
use wire::gate::{Status, StopReason};
use wire::order::Halt;
use wire::plan::Criterion;
use wire::punch::{SourceKind, Trust, Type};
use wire::{Gate, RunId, TreeHash};

/// Writes records of one batch.
pub(crate) struct Records {
    home: Home,
    clock: Clock,
    pub(crate) run: RunId,
}

impl Records {
    pub(crate) fn new(args: &Args, home: Home) -> Result<Self, Fail> {
        let clock = args.run.clock()?;
        let run = args.run.run_id(&clock)?;
        Ok(Self { home, clock, run })
    }

    /// The tree as it is now.
    pub(crate) fn tree(&self) -> Result<Option<TreeHash>, Fail> {
        Ok(Tree::now(&self.home, &OwnFiles::default())?.map(|tree| tree.hash))
    }

    /// Records a gate of the configuration, with its invocation as `written` there.
    pub(crate) fn gate(&self, gate: &Gate, written: &str) -> Result<(), Fail> {
        let entry = self.entry(kind_of(gate.status), gate_key(&gate.gate_id));
        self.verdict(gate, proof::digest(written, ""), Entry { source: SourceKind::Gate, ..entry })
    }

    /// Records a check that a plan sets for the whole plan.
    pub(crate) fn of_plan(&self, gate: &Gate, plan: &str, check: &Criterion) -> Result<(), Fail> {
        let entry = self.entry(kind_of(gate.status), check.id.clone());
        let entry = Entry { source: SourceKind::Gate, plan: plan.to_owned(), ..entry };
        self.verdict(gate, proof::digest_of(check), entry)
    }

    /// Records why a plan must not proceed.
    pub(crate) fn halt(&self, plan: &str, halt: &Halt, detail: &Value) -> Result<(), Fail> {
        let data = json!({ "halt": halt, "detail": detail });
        self.append(Entry { plan: plan.to_owned(), data, ..self.entry(Type::Halt, halt.code.clone()) })
    }

    /// Records a person's word about a check of the whole plan.
    pub(crate) fn decided(&self, plan: &str, check: &Criterion, reason: &str) -> Result<(), Fail> {
        let entry = self.entry(Type::Override, unclear::CRITERION.to_owned());
        self.append(Entry {
            plan: plan.to_owned(),
            source: SourceKind::Human,
            trust: Trust::Typed,
            data: json!({ "criterion": check.id, "text": check.text, "reason": reason }),
            ..entry
        })
    }

    /// Records a command typed by a user.
    pub(crate) fn typed(&self, gate: &Gate) -> Result<(), Fail> {
        let entry = self.entry(kind_of(gate.status), gate.gate_id.clone());
        let entry = Entry { source: SourceKind::Human, trust: Trust::Typed, ..entry };
        self.verdict(gate, proof::digest(&gate.invocation, ""), entry)
    }

    /// Binds a record to the tree that the check ran on and to the digest of its command.
    fn verdict(&self, gate: &Gate, digest: String, entry: Entry) -> Result<(), Fail> {
        let (tree, data) = (gate.tree_after.clone(), json!({ "gate": gate }));
        self.append(Entry { tree, data, source_hash: Some(digest), ..entry })
    }

    /// Sorts out what a check wrote; whether nothing is left that it must not change.
    pub(crate) fn settle(&self, plan: &str, ground: &OwnFiles, began: SystemTime) -> Result<bool, Fail> {
        if plan.is_empty() {
            return Ok(false);
        }
        let records = Ledger::new(self.home.clone()).read_of(plan)?;
        let (changed, prior) = products::of_plan(&records, plan, |_| true);
        let written = Written {
            home: &self.home,
            place: &self.home,
            plan,
            run: &self.run,
            now: self.clock.now(),
            ground,
            mine: changed,
            prior,
            began,
            new_files: NewFiles::Products,
        };
        Ok(written.settle()?.is_empty())
    }

    /// A record of this batch, to be completed by the caller.
    pub(crate) fn entry(&self, kind: Type, key: String) -> Entry {
        Entry::new(self.run.clone(), kind, key, self.clock.now())
    }

    pub(crate) fn append_all(&self, entries: Vec<Entry>) -> Result<(), Fail> {
        if entries.is_empty() {
            return Ok(());
        }
        Ledger::new(self.home.clone()).append_all(entries).map(|_| ())
    }

    pub(crate) fn append(&self, entry: Entry) -> Result<(), Fail> {
        Ledger::new(self.home.clone()).append(entry).map(|_| ())
    }
}

/// The type of a record for a verdict.
pub(crate) fn kind_of(status: Status) -> Type {
    match status {
        Status::Pass => Type::GatePass,
        Status::Fail => Type::GateFail,
        Status::Fault => Type::GateFault,
    }
}

/// Names the files that changed during checks that have no verdict for that reason.
pub(crate) fn name_files<'g>(gates: impl Iterator<Item = &'g mut Gate>, files: &[String]) {
    if files.is_empty() {
        return;
    }
    let more = if files.len() > 3 { ", …" } else { "" };
    let named = format!("{}{more}", files[..files.len().min(3)].join(", "));
    for gate in gates.filter(|gate| gate.stop_reason == StopReason::TreeMoved) {
        gate.measured = Some(format!("files changed while the checks ran: {named}"));
        gate.repro_hints
            .push("what a check makes is for git to ignore, or for the worker to make".to_owned());
    }
}

/// Binds a gate to the tree that it ran on. If the tree changed meanwhile, there is no verdict.
pub(crate) fn bind(gate: &mut Gate, before: Option<&TreeHash>, after: Option<&TreeHash>) {
    gate.tree_before = before.cloned();
    gate.tree_after = after.cloned();
    if before != after && gate.status == Status::Pass {
        gate.status = Status::Fault;
        gate.stop_reason = StopReason::TreeMoved;
        gate.measured = Some("files changed while the checks ran".to_owned());
        gate.repro_hints = vec![gate.invocation.clone(), "git status".to_owned()];
    }
}
