//! What a person had changed and not committed when a run began: the first attempt of a run has it on record.

use crate::git::Git;
use crate::landing::Landing;
use crate::tree::{Ground, Tree};
use crate::{Fail, fs, pins::SINCE};
use serde_json::Value;
use std::collections::HashSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use wire::punch::{Punch, Type};
use wire::{Order, TaskId};

/// Where a record has it.
pub const CHANGED_BEFORE: &str = "changed_before";

/// No more paths than this are recorded; those that git tracks come first.
const MANY: usize = 2000;

/// What the last run of a plan found, as the ledger has it.
pub fn on_record(records: &[Punch], plan: &str) -> HashSet<String> {
    let mut begun = records.iter().rev().filter(|p| p.kind == Type::AttemptBegin && p.plan == plan);
    let list = begun.find_map(|p| p.data.get(CHANGED_BEFORE)?.as_array());
    list.into_iter().flatten().filter_map(|path| path.as_str().map(str::to_owned)).collect()
}

/// What is changed and not committed now, without what workers and our own stages left of an earlier run; `None` where
/// this run has it on record already.
pub fn now(
    git: &Git,
    ground: &Ground,
    order: &Order,
    records: &[Punch],
) -> Result<Option<Vec<String>>, Fail> {
    let plan = &order.plan.path;
    let is_begun = |p: &Punch| p.run == order.run && p.plan == *plan && p.data.get(CHANGED_BEFORE).is_some();
    if records.iter().any(is_begun) || git.head()?.is_none() {
        return Ok(None);
    }
    let known = on_record(records, plan);
    let ours = Ours::of(records);
    let open = open_since(records, plan);
    // Another run may be bringing in what a worker of its did.
    let lands = Landing::read(git.home()).ok().flatten().map(|landing| landing.files).unwrap_or_default();
    let has_run = records.iter().any(|p| p.kind == Type::AttemptBegin && p.plan == *plan);
    let is_theirs = |path: &String, tree: &Tree| {
        // What an interrupted attempt made is the task's.
        let is_cut = || {
            let changed = fs::changed_at(&git.home().root().join(path));
            open.is_some_and(|open| changed.is_none_or(|changed| changed >= open))
        };
        let of_stages = has_run && ground.is_own(path) || lands.contains(path);
        known.contains(path) || !of_stages && !ours.has(path, tree) && !is_cut()
    };
    let mut status = git.status()?;
    status.retain(|(_, path)| !path.starts_with(".plantools/") && !ground.is_plan(path));
    let tree = if status.is_empty() { None } else { Tree::now(git.home(), ground)? }.unwrap_or_default();
    status.retain(|(_, path)| is_theirs(path, &tree));
    status.sort_by_key(|(letters, _)| letters == "??");
    let mut paths: Vec<String> = status.into_iter().map(|(_, path)| path).take(MANY).collect();
    paths.sort();
    paths.dedup();
    Ok(Some(paths))
}

/// How attempts left files and ticks found them, and what checks made.
#[derive(Default)]
struct Ours<'r> {
    left: HashSet<(&'r str, Option<&'r str>)>,
    made: HashSet<&'r str>,
}

impl<'r> Ours<'r> {
    fn of(records: &'r [Punch]) -> Self {
        let mut out = Self::default();
        for record in records {
            let proved = record.data.get("files").filter(|_| record.kind == Type::Tick);
            let left = [proved, record.data.get("left"), record.data.pointer("/detail/left")];
            for (path, what) in left.into_iter().flatten().filter_map(Value::as_object).flatten() {
                out.left.insert((path, what.as_str().filter(|what| !what.is_empty())));
            }
            let made = record.data.pointer("/detail/made").and_then(Value::as_array);
            out.made.extend(made.into_iter().flatten().filter_map(Value::as_str));
        }
        out
    }

    /// Whether a file is as one of ours left it; what somebody made of it since is not.
    fn has(&self, path: &str, tree: &Tree) -> bool {
        self.left.contains(&(path, tree.at(path))) || self.made.contains(path)
    }
}

/// When the first of a plan's attempts began that have not ended.
fn open_since(records: &[Punch], plan: &str) -> Option<SystemTime> {
    let mut open: Vec<(Option<&TaskId>, u64)> = Vec::new();
    for record in records.iter().filter(|p| p.plan == plan) {
        match record.kind {
            Type::AttemptBegin => {
                let since = record.data.get(SINCE).and_then(Value::as_u64);
                open.extend(since.map(|since| (record.task.as_ref(), since)));
            }
            Type::AttemptEnd => open.retain(|(task, _)| *task != record.task.as_ref()),
            _ => {}
        }
    }
    let first = open.into_iter().map(|(_, since)| since).min()?;
    Some(UNIX_EPOCH + Duration::from_millis(first))
}
