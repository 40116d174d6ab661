//! What must not change behind our back while a plan is carried out.
//!
//! The digests of the configuration and of git's own configuration and hooks are pinned at the plan's first
//! attempt, a task's fingerprint at the task's first attempt. A change needs to be accepted, on record: a
//! worker that weakens its own checks gains nothing.

use crate::{Fail, config, fitter, fs, sha};
use serde::{Deserialize, Serialize};
use std::path::Path;
use wire::punch::{Punch, Type};
use wire::{Fingerprint, TaskId};

/// The `key` of the record that accepts a change.
pub const ACCEPT: &str = "accept-change";
/// The `code` of the halt that says that a worker changed the plan.
pub const PLAN_TOUCHED: &str = "plan-touched";

/// Digests of everything that decides what a check means, the task apart.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins {
    /// SHA-256 of `plantools.toml`, and of the gates' file that it names; empty where there is none.
    pub config: String,
    /// SHA-256 over `.git/config` and the hooks.
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
        let git = root.join(".git");
        let git = if git.is_dir() {
            digest(&[&git.join("config"), &git.join("hooks"), &git.join("info")])?
        } else {
            String::new()
        };
        let prompts = digest(&[&root.join(".plantools/prompts")])?;
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

fn digest(paths: &[&Path]) -> Result<String, Fail> {
    let mut hasher = sha::Hasher::new();
    let mut any = false;
    for path in paths {
        for file in files_of(path) {
            any = true;
            hasher.update(file.to_string_lossy().as_bytes());
            hasher.update(b"\0");
            let bytes =
                if file.is_file() { fs::read_if_there(&file)?.unwrap_or_default() } else { Vec::new() };
            hasher.update(sha::hex(&without_user(&bytes)).as_bytes());
        }
    }
    Ok(if any { hasher.finish() } else { String::new() })
}

/// Who commits is no setting that a check depends on: `[user]` of git's configuration is left out.
fn without_user(bytes: &[u8]) -> Vec<u8> {
    let mut user = false;
    let mut kept = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        if line.trim_ascii_start().starts_with(b"[") {
            user = line.trim_ascii().eq_ignore_ascii_case(b"[user]");
        }
        if !user {
            kept.extend_from_slice(line);
        }
    }
    kept
}

/// A file itself, or the files of a folder in the order of their names; samples that git never runs apart.
fn files_of(path: &Path) -> Vec<std::path::PathBuf> {
    if path.is_file() {
        return vec![path.to_path_buf()];
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten().map(|e| e.path());
    let mut files: Vec<_> = entries.filter(|p| p.extension().is_none_or(|e| e != "sample")).collect();
    files.sort();
    files
}
