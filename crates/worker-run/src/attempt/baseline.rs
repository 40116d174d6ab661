//! The tree that an attempt is compared with: the one that it found or, if it replaces an interrupted attempt, the
//! one that the interrupted attempt found. The work of a killed worker still belongs to the task.

use crate::attempt::choose_worker::is_errand;
use crate::guard::Before;
use ledger::pins::SINCE;
use ledger::recorder::Recorder;
use repo::git::Git;
use repo::prior_changes;
use repo::tree::Tree;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use toolkit::Fail;
use toolkit::files::root::{Home, has_git, inside};
use toolkit::files::stamp::Stamp;
use toolkit::files::{fs, sha};
use wire::digest::Sealed;
use wire::order::ResumeStep;
use wire::punch::Type;
use wire::{Order, Punch, RunId};

/// Looks at earlier changes by an interrupted attempt and by a person. `alone` is set if the worker uses the main
/// tree: then the record of the attempt's start says how it found it.
pub(crate) fn look_back(
    home: &Home,
    desk: &Recorder,
    order: &Order,
    folder: &Path,
    before: &mut Before,
    alone: bool,
) -> Result<Option<Value>, Fail> {
    let records = desk.ledger(order)?.read_of(&order.plan.path)?;
    if has_git(home.root()) && !is_errand(order) {
        let git = Git::new(home.clone());
        before.theirs =
            prior_changes::now(&git, &before.field.ground, &order.plan.path, &order.run, &records)?;
    }
    let Some(now) = before.tree.as_ref().filter(|_| alone) else { return Ok(None) };
    let tree = of(home, desk, order, now, &records, &mut before.since)?;
    let kept = keep(home, folder, &tree.entries)?;
    before.found = Some(tree);
    Ok(Some(kept))
}

/// The tree that the interrupted attempt found, without later changes by others. `began` becomes the time when the first
/// of these attempts began.
fn of(
    home: &Home,
    desk: &Recorder,
    order: &Order,
    now: &Tree,
    records: &[Punch],
    began: &mut SystemTime,
) -> Result<Tree, Fail> {
    let mut tree = now.clone();
    if let Some((found, then)) = interrupted(home, order, records)? {
        *began = then.min(*began);
        // Those of other plans too.
        let all_records = desk.ledger(order)?.read()?;
        let others = by_others(order, &all_records);
        let all: Vec<String> = now.entries.keys().chain(found.keys()).cloned().collect();
        for path in all.into_iter().filter(|path| !others.contains(path.as_str())) {
            match found.get(&path) {
                Some(what) => tree.entries.insert(path, what.clone()),
                None => tree.entries.remove(&path),
            };
        }
    }
    Ok(tree)
}

/// The field of the record that says what an attempt found.
pub(crate) const FOUND: &str = "found";

/// A tree: a file with all its entries, and what is different from it by now.
#[derive(Serialize, Deserialize)]
struct Found {
    base: Sealed,
    /// `None` for a file that is gone.
    changed: Entries<Option<String>>,
}

type Entries<T> = BTreeMap<String, T>;

/// A file with a tree that this process has written and synced.
struct Base {
    home: PathBuf,
    /// Where the file system tells whether it was touched; else its bytes are read.
    stamp: Option<Stamp>,
    sealed: Sealed,
    entries: Entries<String>,
}

static BASE: Mutex<Option<Base>> = Mutex::new(None);

/// The most that may differ from a base before there is another one: each record lists it.
const MOST: usize = 32;

/// Keeps a tree for a run after a crash. The record of the start is synced anyway, so it carries what the worker before
/// it changed; the whole tree is written once for many attempts.
fn keep(home: &Home, folder: &Path, entries: &Entries<String>) -> Result<Value, Fail> {
    let mut last = BASE.lock().unwrap_or_else(PoisonError::into_inner);
    let is_there = |base: &&Base| {
        let path = home.root().join(&base.sealed.path);
        let is_same = || fs::read(&path).is_ok_and(|bytes| sha::hex(&bytes) == base.sealed.sha256);
        base.home == home.root() && base.stamp.map_or_else(is_same, |stamp| stamp.holds(&path))
    };
    if let Some(base) = last.as_ref().filter(is_there)
        && let Some(changed) = difference(&base.entries, entries)
    {
        return Ok(json!(Found { base: base.sealed.clone(), changed }));
    }
    let bytes = serde_json::to_vec(entries).map_err(|e| Fail::data("bad-tree", e.to_string()))?;
    let path = kept(folder);
    let sealed = fs::seal(home.root(), &path, &bytes)?;
    let found = Found { base: sealed.clone(), changed: Entries::new() };
    // Attempts beside this one may still need the old base.
    *last = Some(Base {
        home: home.root().to_path_buf(),
        stamp: Stamp::of(&path),
        sealed,
        entries: entries.clone(),
    });
    Ok(json!(found))
}

/// What differs; `None` if that is too much for a record.
fn difference(before: &Entries<String>, now: &Entries<String>) -> Option<Entries<Option<String>>> {
    let mut out = Entries::new();
    let (mut old, mut new) = (before.iter().peekable(), now.iter().peekable());
    while out.len() <= MOST {
        let (path, what) = match (old.peek(), new.peek()) {
            (None, None) => return Some(out),
            (Some(a), Some(b)) if a == b => {
                old.next();
                new.next();
                continue;
            }
            (Some((a, _)), Some((b, what))) if a >= b => (*b, Some((*what).clone())),
            (None, Some((b, what))) => (*b, Some((*what).clone())),
            (Some((a, _)), _) => (*a, None),
        };
        old.next_if(|(a, _)| *a == path);
        new.next_if(|(b, _)| *b == path);
        out.insert(path.clone(), what);
    }
    None
}

/// A time in the form of a record.
pub(crate) fn millis_of(time: SystemTime) -> u64 {
    u64::try_from(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

fn interrupted(
    home: &Home,
    order: &Order,
    records: &[Punch],
) -> Result<Option<(Entries<String>, SystemTime)>, Fail> {
    let Some(resume) = order.resume.as_ref().filter(|r| r.step == ResumeStep::Work) else { return Ok(None) };
    let old = order.attempt.saturating_sub(1);
    let begun = records.iter().rev().find(|record| {
        record.kind == Type::AttemptBegin
            && record.run == resume.run
            && record.task.as_ref() == Some(&order.task.id)
            && record.plan == order.plan.path
            && record.attempt == Some(old)
    });
    let found = begun.and_then(|begun| begun.data.get(FOUND).cloned());
    let found = found.and_then(|found| serde_json::from_value::<Found>(found).ok());
    let since = begun.and_then(|begun| begun.data.get(SINCE)?.as_u64()).map(Duration::from_millis);
    let Some(found) = found else { return Ok(whole(home, order, &resume.run, old)?.zip(began(since))) };
    let path = inside(home.root(), &found.base.path)?;
    let bytes = fs::read_if_there(&path)?.filter(|bytes| sha::hex(bytes) == found.base.sha256);
    let Some(mut entries) = bytes.and_then(|bytes| serde_json::from_slice::<Entries<String>>(&bytes).ok())
    else {
        return Ok(None);
    };
    for (path, what) in found.changed {
        match what {
            Some(what) => entries.insert(path, what),
            None => entries.remove(&path),
        };
    }
    Ok(Some(entries).zip(began(since)))
}

fn began(since: Option<Duration>) -> Option<SystemTime> {
    since.map(|since| UNIX_EPOCH + since)
}

/// The tree of an attempt whose record does not say what it found: its own file has all of it. One that a crash cut off
/// counts as missing.
fn whole(home: &Home, order: &Order, run: &RunId, attempt: u32) -> Result<Option<Entries<String>>, Fail> {
    let folder = home.path(&format!("work/{run}/{}/{attempt}", order.task.key));
    Ok(fs::read_if_there(&kept(&folder))?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// The files that attempts at other tasks changed since the interrupted one began.
fn by_others<'r>(order: &Order, records: &'r [Punch]) -> HashSet<&'r str> {
    let ours =
        |record: &Punch| record.task.as_ref() == Some(&order.task.id) && record.plan == order.plan.path;
    let begun = records.iter().rposition(|record| record.kind == Type::AttemptBegin && ours(record));
    let since = records.iter().skip(begun.unwrap_or(records.len()));
    since
        .filter(|record| record.kind == Type::AttemptEnd && !ours(record))
        .filter_map(|record| record.data.get("changed_files")?.as_array())
        .flatten()
        .filter_map(|path| path.as_str())
        .collect()
}

fn kept(folder: &Path) -> PathBuf {
    folder.join("tree.json")
}

#[cfg(test)]
mod tests {
    use super::{Entries, MOST, difference};

    fn tree(files: &[(&str, &str)]) -> Entries<String> {
        files.iter().map(|(path, what)| ((*path).to_owned(), (*what).to_owned())).collect()
    }

    #[test]
    fn what_differs_from_a_base_is_all_that_a_record_lists() {
        let before = tree(&[("a", "1"), ("b", "1"), ("d", "1"), ("f", "1")]);
        let now = tree(&[("a", "1"), ("b", "2"), ("c", "1"), ("f", "1"), ("g", "1")]);
        let changed = difference(&before, &now).unwrap();
        let listed: Vec<(&str, Option<&str>)> =
            changed.iter().map(|(path, what)| (path.as_str(), what.as_deref())).collect();
        assert_eq!(listed, [("b", Some("2")), ("c", Some("1")), ("d", None), ("g", Some("1"))]);
        assert!(difference(&now, &now).unwrap().is_empty());
    }

    #[test]
    fn a_record_does_not_list_a_large_change() {
        let now: Entries<String> = (0..=MOST).map(|n| (n.to_string(), String::new())).collect();
        assert!(difference(&Entries::new(), &now).is_none());
        assert!(difference(&now, &Entries::new()).is_none());
    }
}
