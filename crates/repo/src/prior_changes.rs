//! Files with uncommitted changes of a person when a run began. They are on record from then on, and are left
//! alone.
//!
//! The record is made by `commit-run pending`, with which `orchestrate` begins, or else by the first attempt of a run.

use crate::git::Git;
use crate::landing::Landing;
use crate::tree::{OwnFiles, Tree};
use ledger::pins::SINCE;
use ledger::{Entry, Ledger};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use toolkit::Fail;
use toolkit::files::fs;
use wire::punch::{Punch, SourceKind, Trust, Type};
use wire::{RunId, TaskId};

/// The field of a record that lists them.
pub const CHANGED_BEFORE: &str = "changed_before";

/// At most this many paths are recorded; tracked ones come first.
const MANY: usize = 10_000;

/// The record of a run that has not begun an attempt yet.
const RECORD: (Type, &str, SourceKind, Trust) =
    (Type::Message, "changed-before", SourceKind::Tool, Trust::Observed);

/// The files that the last run of a plan found, according to the ledger.
pub fn on_record(records: &[Punch], plan: &str) -> HashSet<String> {
    worked_on(records, plan).into_keys().collect()
}

/// The same, each path with the task of the plan whose work has changed it since.
pub fn worked_on(records: &[Punch], plan: &str) -> HashMap<String, Option<TaskId>> {
    let mut paths: HashMap<String, Option<TaskId>> = HashMap::new();
    for record in records.iter().filter(|p| p.plan == plan) {
        if let Some(list) = found(record) {
            let list = list.iter().filter_map(Value::as_str);
            paths = list.map(|path| (path.to_owned(), paths.remove(path).flatten())).collect();
        } else if record.kind == Type::AttemptEnd {
            let changed = record.data.get("changed_files").and_then(Value::as_array);
            for path in changed.into_iter().flatten().filter_map(Value::as_str) {
                if let Some(task) = paths.get_mut(path) {
                    task.clone_from(&record.task);
                }
            }
        }
    }
    paths
}

/// The files that a run found, according to a record.
fn found(record: &Punch) -> Option<&Vec<Value>> {
    let is_note = (record.kind, record.key.as_str(), record.source.kind, record.trust) == RECORD;
    let says = record.kind == Type::AttemptBegin || is_note;
    if says { record.data.get(CHANGED_BEFORE)?.as_array() } else { None }
}

/// Records the files with uncommitted changes, unless the ledger has the same list already.
pub fn note(git: &Git, ground: &OwnFiles, plan: &str, run: &RunId, now: String) -> Result<(), Fail> {
    let ledger = Ledger::new(git.home().clone());
    let records = ledger.read_of(plan)?;
    let Some(paths) = self::now(git, ground, plan, run, &records)? else { return Ok(()) };
    if paths.iter().cloned().collect::<HashSet<_>>() == on_record(&records, plan) {
        return Ok(());
    }
    let (kind, key, source, trust) = RECORD;
    let data = json!({ CHANGED_BEFORE: paths });
    let entry = Entry::new(run.clone(), kind, key, now);
    ledger.append(Entry { plan: plan.to_owned(), source, trust, data, ..entry }).map(|_| ())
}

/// The files with uncommitted changes, without those that the plan's workers and our own stages left in an earlier
/// run; `None` if this run has recorded them already.
pub fn now(
    git: &Git,
    ground: &OwnFiles,
    plan: &str,
    run: &RunId,
    records: &[Punch],
) -> Result<Option<Vec<String>>, Fail> {
    let is_begun = |p: &Punch| p.run == *run && p.plan == *plan && found(p).is_some();
    if records.iter().any(is_begun) || git.head()?.is_none() {
        return Ok(None);
    }
    let known = on_record(records, plan);
    let ours = Ours::of(records, plan);
    let open = open_since(records, plan);
    // Another run may be landing the work of its worker.
    let lands = Landing::read(git.home()).ok().flatten().map(|landing| landing.files).unwrap_or_default();
    let has_run = records.iter().any(|p| p.kind == Type::AttemptBegin && p.plan == *plan);
    let is_theirs = |path: &String, tree: &Tree| {
        // Changes of an interrupted attempt belong to the task.
        let is_cut = || {
            let changed = fs::changed_at(&git.home().root().join(path));
            open.is_some_and(|open| changed.is_none_or(|changed| changed >= open))
        };
        // Before the first worker handoff makes the context files, empty.
        let is_empty = || matches!(fs::read_if_there(&git.home().root().join(path)), Ok(Some(bytes)) if bytes.len() <= 3);
        let of_stages = ground.is_own(path) && (has_run || is_empty()) || lands.contains(path);
        known.contains(path) || !of_stages && !ours.has(path, tree) && !is_cut()
    };
    let mut status = git.status()?;
    status.retain(|(_, path)| !path.starts_with(".plantools/") && !ground.is_plan(path));
    let tree = if status.is_empty() { None } else { Tree::now(git.home(), ground)? }.unwrap_or_default();
    status.retain(|(_, path)| is_theirs(path, &tree));
    status.sort_by_key(|(letters, _)| letters == "??");
    let mut paths: Vec<String> = status.into_iter().map(|(_, path)| path).take(MANY).collect();
    // A worker that was cut off may have committed them; the next attempt undoes that when it starts.
    paths.extend(known.into_iter().filter(|_| open.is_some()));
    paths.sort();
    paths.dedup();
    Ok(Some(paths))
}

/// The state in which attempts left files and ticks found them, and the files that checks created.
#[derive(Default)]
struct Ours<'r> {
    left: HashSet<(&'r str, Option<&'r str>)>,
    made: HashSet<&'r str>,
}

impl<'r> Ours<'r> {
    fn of(records: &'r [Punch], plan: &str) -> Self {
        let mut out = Self::default();
        for record in records.iter().filter(|p| p.plan == plan) {
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

    /// Whether a file is as one of our attempts left it; false if it was edited since.
    fn has(&self, path: &str, tree: &Tree) -> bool {
        self.left.contains(&(path, tree.at(path))) || self.made.contains(path)
    }
}

/// When the first of a plan's attempts that have not ended began.
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
