//! Files that must not change unnoticed while a plan is carried out.
//!
//! The digests of the configuration and of git's own configuration and hooks are pinned at the plan's first
//! attempt, a task's fingerprint at the task's first attempt. A change must be accepted on record: a worker that
//! weakens its own checks gains nothing.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use wire::punch::{Punch, Type};
use wire::{Fingerprint, TaskId};

/// The `key` of the record that accepts a change.
pub const ACCEPT: &str = "accept-change";
/// The `key` of the record that writes suggested checks into the plan.
pub const ADOPT: &str = "adopt";
/// The `key` of the record that takes them out again.
pub const ADOPT_UNDO: &str = "adopt-undo";
/// The `code` of the halt if a worker changed the plan.
pub const PLAN_TOUCHED: &str = "plan-touched";
/// The `code` of the halt if a worker or a check changed a pinned file.
pub const PINS_TOUCHED: &str = "pins-touched";

/// In the record that begins an attempt: the digest of the plan with its marks blanked.
pub const PLAN_BEFORE: &str = "plan_blanked";
/// In the record that begins an attempt: the last line of the ledger when the plan was read, under the plan's lock. What
/// a stage changed in its text between the two is on record before the beginning.
pub const PLAN_SEEN: &str = "plan_seen";
/// In the record that begins an attempt: the time by the file system's clock, in milliseconds.
pub const SINCE: &str = "since";
/// In the record of a stage that changes the plan's text: the digest after the change, next to the one before it.
pub const PLAN_AFTER: &str = "plan_after";

/// Digests of everything that decides what a check means, except the task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins {
    /// SHA-256 of `plantools.toml` and of the gates' file that it names; empty if there is none.
    pub config: String,
    /// SHA-256 over the files that control git here: settings, attributes, ignore rules.
    pub git: String,
    /// SHA-256 over the hooks and the setting that says where they are.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hooks: String,
    /// What people's tools add while a plan is carried out: remotes, branches that follow them, submodules. A new one changes
    /// nothing; another value of one that was there does.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub added: BTreeMap<String, String>,
    /// The commit that was checked out. Hooks that it has may be switched on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// SHA-256 over `.plantools/prompts`.
    pub prompts: String,
}

impl Pins {
    /// The changed parts, in words.
    pub fn changed_since(&self, before: &Pins) -> Vec<&'static str> {
        let mut out = Vec::new();
        let mut note = |differs: bool, what| {
            if differs {
                out.push(what);
            }
        };
        note(self.config != before.config, "plantools.toml");
        let differs =
            |(name, value): (&String, &String)| before.added.get(name).is_some_and(|old| old != value);
        let git = self.git != before.git || self.hooks != before.hooks || self.added.iter().any(differs);
        note(git, "git configuration or hooks");
        note(self.prompts != before.prompts, "prompts");
        out
    }
}

/// The pins of a plan in the ledger: the last acceptance, else the first attempt.
pub fn pinned(records: &[Punch], plan: &str) -> Option<Pins> {
    let of = |p: &Punch| p.data.get("pins").and_then(|v| serde_json::from_value(v.clone()).ok());
    let mine = || records.iter().filter(|p| p.plan == plan);
    let accepted = mine().rev().find(|p| p.kind == Type::Override && p.key == ACCEPT).and_then(of);
    accepted.or_else(|| mine().find(|p| p.kind == Type::AttemptBegin).and_then(of))
}

/// The pinned fingerprint of a task in the ledger: the last acceptance, else the first attempt.
pub fn pinned_fingerprint<'a>(records: &'a [Punch], plan: &str, task: &TaskId) -> Option<&'a Fingerprint> {
    let mine = || records.iter().filter(|p| p.plan == plan && p.task.as_ref() == Some(task));
    // A person who adopts a check accepts the task with it.
    let accepts = |p: &Punch| [ACCEPT, ADOPT, ADOPT_UNDO].contains(&p.key.as_str());
    let accepted = mine().rev().find(|p| p.kind == Type::Override && accepts(p));
    accepted.or_else(|| mine().find(|p| p.kind == Type::AttemptBegin)).and_then(|p| p.fingerprint.as_ref())
}

/// If a worker changed the plan and the change was not accepted: the halt of its task, and the digest to restore.
pub fn touched_plan<'a>(records: &'a [Punch], plan: &str) -> Option<(&'a Punch, &'a str)> {
    let last = records.iter().rev().filter(|p| p.plan == plan).find(|p| {
        (p.kind == Type::Halt && p.key == PLAN_TOUCHED) || (p.kind == Type::Override && p.key == ACCEPT)
    })?;
    if last.kind == Type::Override {
        return None;
    }
    Some((last, last.data.pointer("/detail/plan_before")?.as_str()?))
}

/// The digest of a plan that began as `start`, after the changes that our own stages made to its text. A change on
/// top of any other text is not followed: it must not legitimize an edit made before it.
pub fn plan_after<'a>(records: &[&'a Punch], plan: &str, start: &'a str) -> &'a str {
    let word = |record: &'a Punch, name: &str| record.data.get(name).and_then(|value| value.as_str());
    records.iter().filter(|record| record.plan == plan).fold(start, |now, record| {
        let follows = record.kind == Type::Override && word(record, PLAN_BEFORE) == Some(now);
        word(record, PLAN_AFTER).filter(|_| follows).unwrap_or(now)
    })
}

/// An attempt without an end, if the plan's text was different when it began: its worker is running, or was cut off
/// before the change could be checked.
pub fn open_since<'a>(records: &'a [Punch], plan: &str, blanked: &str) -> Option<&'a Punch> {
    let mine: Vec<&Punch> = records.iter().filter(|p| p.plan == plan).collect();
    let accepted = mine.iter().rposition(|p| p.kind == Type::Override && p.key == ACCEPT).unwrap_or(0);
    let mut seen: HashSet<&TaskId> = HashSet::new();
    for punch in mine.iter().skip(accepted).rev() {
        let Some(task) = punch.task.as_ref() else { continue };
        // A stage that only refuses to hand the task out again has not looked at the worker's changes.
        let ends = match punch.kind {
            Type::AttemptEnd | Type::Tick => true,
            Type::Halt => punch.data.pointer("/halt/stage").is_some_and(|stage| stage == "worker-run"),
            _ => false,
        };
        if !ends && punch.kind != Type::AttemptBegin || !seen.insert(task) {
            continue;
        }
        let Some(before) = punch.data.get(PLAN_BEFORE).and_then(|v| v.as_str()).filter(|_| !ends) else {
            continue;
        };
        let seen = punch.data.get(PLAN_SEEN).and_then(serde_json::Value::as_u64).unwrap_or(punch.seq);
        let later = &mine[mine.partition_point(|record| record.seq <= seen)..];
        if plan_after(later, plan, before) != blanked {
            return Some(punch);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn record(seq: u64, task: &str, kind: &str, data: &Value) -> Punch {
        let text = json!({
            "schema": "punch/1", "seq": seq, "plan": "P", "task": task, "run": "r", "type": kind, "key": "k",
            "observed_at": "2026-01-01T00:00:00Z", "source": { "kind": "gate" }, "trust": "observed", "data": data,
            "prev": "", "hash": "h",
        });
        serde_json::from_value(text).expect("a record")
    }

    #[test]
    fn a_change_of_ours_between_the_look_at_the_plan_and_the_beginning_is_known() {
        let add = || record(2, "1.a", "override", &json!({ PLAN_BEFORE: "old", PLAN_AFTER: "new" }));
        let begin = |data: &Value| [add(), record(3, "3", "attempt_begin", data)];
        let early = begin(&json!({ PLAN_BEFORE: "old", PLAN_SEEN: 1 }));
        assert_eq!(open_since(&early, "P", "new"), None);
        assert!(open_since(&early, "P", "other").is_some());
        // What it had seen already does not excuse the old text.
        let late = begin(&json!({ PLAN_BEFORE: "new", PLAN_SEEN: 2 }));
        assert_eq!(open_since(&late, "P", "new"), None);
        assert!(open_since(&late, "P", "old").is_some());
        let old = begin(&json!({ PLAN_BEFORE: "old" }));
        assert!(
            open_since(&old, "P", "new").is_some(),
            "a record without it says nothing of the time before"
        );
    }
}
