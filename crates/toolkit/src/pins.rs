//! What must not change behind our back while a plan is carried out.
//!
//! The digests of the configuration and of git's own configuration and hooks are pinned at the plan's first
//! attempt, a task's fingerprint at the task's first attempt. A change needs to be accepted, on record: a
//! worker that weakens its own checks gains nothing.

use crate::{Fail, config, fitter, fs, git_setup, sha};
use serde::{Deserialize, Serialize};
use std::path::Path;
use wire::punch::{Punch, Type};
use wire::{Fingerprint, TaskId};

/// The `key` of the record that accepts a change.
pub const ACCEPT: &str = "accept-change";
/// The `code` of the halt that says that a worker changed the plan.
pub const PLAN_TOUCHED: &str = "plan-touched";
/// The `code` of the halt that says that a worker or a check changed what is pinned.
pub const PINS_TOUCHED: &str = "pins-touched";

/// In the record that begins an attempt: the digest of the plan with its marks blanked.
pub const PLAN_BEFORE: &str = "plan_blanked";
/// In the record that begins an attempt: when, by the clock of the files, in milliseconds.
pub const SINCE: &str = "since";
/// In the record of a stage that changes the plan's text: the digest after it. The one before it stands beside it.
pub const PLAN_AFTER: &str = "plan_after";

/// Digests of everything that decides what a check means, the task apart.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins {
    /// SHA-256 of `plantools.toml`, and of the gates' file that it names; empty where there is none.
    pub config: String,
    /// SHA-256 over what decides what git does here: its settings, hooks, attributes, what it ignores.
    pub git: String,
    /// SHA-256 over `.plantools/prompts`.
    pub prompts: String,
}

impl Pins {
    /// As things are now.
    pub fn now(root: &Path) -> Result<Self, Fail> {
        let config = fs::read_if_there(&root.join(config::NAME))?;
        let config = match config {
            None => String::new(),
            // What the configuration takes in from elsewhere decides as much as itself.
            Some(bytes) => sha::hex(&bytes) + &fitter::digest(root, &bytes)?,
        };
        let git = git_setup::digest(root)?;
        let prompts = digest_of(&root.join(".plantools/prompts"))?;
        Ok(Self { config, git, prompts })
    }

    /// What differs, in words.
    pub fn changed_since(&self, before: &Pins) -> Vec<&'static str> {
        let mut out = Vec::new();
        let mut note = |differs: bool, what| {
            if differs {
                out.push(what);
            }
        };
        note(self.config != before.config, "plantools.toml");
        note(self.git != before.git, "git configuration or hooks");
        note(self.prompts != before.prompts, "prompts");
        out
    }
}

/// What the ledger pinned for a plan: the last acceptance, else the first attempt.
pub fn pinned(records: &[Punch], plan: &str) -> Option<Pins> {
    let of = |p: &Punch| p.data.get("pins").and_then(|v| serde_json::from_value(v.clone()).ok());
    let mine = || records.iter().filter(|p| p.plan == plan);
    let accepted = mine().rev().find(|p| p.kind == Type::Override && p.key == ACCEPT).and_then(of);
    accepted.or_else(|| mine().find(|p| p.kind == Type::AttemptBegin).and_then(of))
}

/// The fingerprint that the ledger pinned for a task: the last acceptance, else the first attempt.
pub fn pinned_fingerprint<'a>(records: &'a [Punch], plan: &str, task: &TaskId) -> Option<&'a Fingerprint> {
    let mine = || records.iter().filter(|p| p.plan == plan && p.task.as_ref() == Some(task));
    let accepted = mine().rev().find(|p| p.kind == Type::Override && p.key == ACCEPT);
    accepted.or_else(|| mine().find(|p| p.kind == Type::AttemptBegin)).and_then(|p| p.fingerprint.as_ref())
}

/// If a worker changed the plan and nobody has accepted that: which task's, and the digest to go back to.
pub fn touched_plan<'a>(records: &'a [Punch], plan: &str) -> Option<(&'a Punch, &'a str)> {
    let last = records.iter().rev().filter(|p| p.plan == plan).find(|p| {
        (p.kind == Type::Halt && p.key == PLAN_TOUCHED) || (p.kind == Type::Override && p.key == ACCEPT)
    })?;
    if last.kind == Type::Override {
        return None;
    }
    Some((last, last.data.pointer("/detail/plan_before")?.as_str()?))
}

/// The digest that a plan of the digest `start` has after what our own stages changed of its text. A change that was made
/// on top of anything else is not followed: it must not make good what somebody else wrote before it.
pub fn plan_after<'a>(records: &[&'a Punch], plan: &str, start: &'a str) -> &'a str {
    let word = |record: &'a Punch, name: &str| record.data.get(name).and_then(|value| value.as_str());
    records.iter().filter(|record| record.plan == plan).fold(start, |now, record| {
        let follows = record.kind == Type::Override && word(record, PLAN_BEFORE) == Some(now);
        word(record, PLAN_AFTER).filter(|_| follows).unwrap_or(now)
    })
}

/// An attempt that was begun and has no end, if the plan's text was another when it began: its worker runs, or was cut off
/// before anybody could look.
pub fn open_since<'a>(records: &'a [Punch], plan: &str, blanked: &str) -> Option<&'a Punch> {
    let mine: Vec<&Punch> = records.iter().filter(|p| p.plan == plan).collect();
    let accepted = mine.iter().rposition(|p| p.kind == Type::Override && p.key == ACCEPT).unwrap_or(0);
    let mut seen: Vec<&TaskId> = Vec::new();
    for (at, punch) in mine.iter().enumerate().skip(accepted).rev() {
        let Some(task) = punch.task.as_ref() else { continue };
        // Who only refuses to hand it out again has not looked at what the worker did.
        let ends = matches!(punch.kind, Type::AttemptEnd | Type::Tick)
            || punch.data.pointer("/halt/stage").is_some_and(|stage| stage == "worker-run");
        if !ends && punch.kind != Type::AttemptBegin || seen.contains(&task) {
            continue;
        }
        seen.push(task);
        let Some(before) = punch.data.get(PLAN_BEFORE).and_then(|v| v.as_str()).filter(|_| !ends) else {
            continue;
        };
        if plan_after(&mine[at..], plan, before) != blanked {
            return Some(punch);
        }
    }
    None
}

/// Each file of a folder, in the order of their names.
fn digest_of(folder: &Path) -> Result<String, Fail> {
    let mut hasher = sha::Hasher::new();
    let files = files_of(folder);
    for file in &files {
        hasher.update(file.to_string_lossy().as_bytes());
        hasher.update(b"\0");
        let bytes = if file.is_file() { fs::read_if_there(file)?.unwrap_or_default() } else { Vec::new() };
        hasher.update(sha::hex(&bytes).as_bytes());
    }
    Ok(if files.is_empty() { String::new() } else { hasher.finish() })
}

fn files_of(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}
