//! The latest verdict of a check in the ledger, and whether it still counts.
//!
//! Proof, freshness, regressions and re-checks are arguments of this one query: a scope says which records are asked, and
//! [`counts`] says whether the latest of them is a pass for this command on this tree.

use wire::gate::Status;
use wire::punch::{Punch, SourceKind, Trust, Type};
use wire::{Fingerprint, RunId, Task, TaskId, TreeHash};

/// Which records are asked; what is `None` does not matter.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scope<'a> {
    /// The plan.
    pub plan: Option<&'a str>,
    /// The task in its present form.
    pub task: Option<(&'a TaskId, &'a Fingerprint)>,
    /// The run.
    pub run: Option<&'a RunId>,
    /// The check.
    pub key: Option<&'a str>,
    /// The digest of its command.
    pub digest: Option<&'a str>,
    /// The tree that it ran on.
    pub tree: Option<&'a TreeHash>,
}

impl<'a> Scope<'a> {
    /// The records about a task of a plan.
    pub fn of_task(plan: &'a str, task: &'a Task) -> Self {
        Self { plan: Some(plan), task: Some((&task.id, &task.fingerprint)), ..Self::default() }
    }

    /// Whether a record is in it.
    pub fn holds(&self, record: &Punch) -> bool {
        let task = |(id, print): (&TaskId, &Fingerprint)| {
            record.task.as_ref() == Some(id) && record.fingerprint.as_ref() == Some(print)
        };
        self.plan.is_none_or(|plan| record.plan == plan)
            && self.task.is_none_or(task)
            && self.run.is_none_or(|run| record.run == *run)
            && self.key.is_none_or(|key| record.key == key)
            && self.digest.is_none_or(|digest| record.source_hash.as_deref() == Some(digest))
            && self.tree.is_none_or(|tree| record.tree.as_ref() == Some(tree))
    }
}

/// The latest verdict in a scope, from any tool: a later one revokes an earlier one.
pub fn latest<'r>(
    records: impl IntoIterator<Item = &'r Punch, IntoIter: DoubleEndedIterator>,
    scope: &Scope<'_>,
) -> Option<&'r Punch> {
    records.into_iter().rev().find(|record| is_verdict(record.kind) && scope.holds(record))
}

/// The latest verdict in a scope that `gate-run` observed itself.
pub fn latest_observed<'r>(
    records: impl IntoIterator<Item = &'r Punch, IntoIter: DoubleEndedIterator>,
    scope: &Scope<'_>,
) -> Option<&'r Punch> {
    let of_gate = |record: &&Punch| is_verdict(record.kind) && is_observed(record) && scope.holds(record);
    records.into_iter().rev().find(of_gate)
}

/// Whether a verdict is a pass that `gate-run` observed for this command on this tree.
pub fn counts(verdict: &Punch, digest: &str, tree: Option<&TreeHash>) -> bool {
    verdict.kind == Type::GatePass
        && is_observed(verdict)
        && verdict.source_hash.as_deref() == Some(digest)
        && verdict.tree.as_ref() == tree
}

/// Why a verdict does not count in a run and on a tree, whatever it says; `None` if it counts.
pub fn refusal(verdict: &Punch, run: &RunId, tree: Option<&TreeHash>) -> Option<String> {
    match () {
        () if verdict.trust != Trust::Observed => Some("was not seen by us".to_owned()),
        () if !is_observed(verdict) => Some("was not written by gate-run".to_owned()),
        () if verdict.run != *run => Some(format!("is of run '{}'", verdict.run)),
        () if verdict.tree.as_ref() != tree => {
            Some("is from another tree than the one that is there now".to_owned())
        }
        () => None,
    }
}

/// Whether `gate-run` saw it itself.
pub fn is_observed(record: &Punch) -> bool {
    record.trust == Trust::Observed && record.source.kind == SourceKind::Gate
}

/// Whether a type is a verdict on a check.
pub fn is_verdict(kind: Type) -> bool {
    matches!(kind, Type::GatePass | Type::GateFail | Type::GateFault)
}

/// A result of the check before the work.
#[derive(Debug, Clone, Copy)]
pub struct Before<'r> {
    /// The record.
    pub record: &'r Punch,
    /// How it came out.
    pub status: Status,
}

/// The latest result before the work that is in a scope; `None` if that check could not look.
pub fn before<'r>(records: &'r [Punch], scope: &Scope<'_>) -> Option<Before<'r>> {
    befores(records, scope).next().filter(|before| before.status != Status::Fault)
}

/// Every result before the work that is in a scope, the latest first.
pub fn befores<'r>(records: &'r [Punch], scope: &Scope<'_>) -> impl Iterator<Item = Before<'r>> {
    let mine = |record: &&Punch| record.kind == Type::Before && is_observed(record) && scope.holds(record);
    records.iter().rev().filter(mine).filter_map(|record| {
        Some(Before {
            record,
            status: serde_json::from_value(record.data.pointer("/gate/status")?.clone()).ok()?,
        })
    })
}
