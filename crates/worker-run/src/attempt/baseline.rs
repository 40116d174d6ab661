//! The tree that an attempt is compared with: the one that it found or, if it replaces an interrupted attempt, the
//! one that the interrupted attempt found. The work of a killed worker still belongs to the task.

use crate::attempt::choose_worker::is_errand;
use crate::guard::Before;
use ledger::recorder::Recorder;
use repo::git::Git;
use repo::prior_changes;
use repo::tree::Tree;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use toolkit::Fail;
use toolkit::files::fs;
use toolkit::files::root::{Home, has_git};
use wire::order::ResumeStep;
use wire::punch::Type;
use wire::{Order, Punch};

/// Looks at earlier changes by an interrupted attempt and by a person. `alone` is set if the worker uses the main
/// tree.
pub(crate) fn look_back(
    home: &Home,
    desk: &Recorder,
    order: &Order,
    folder: &Path,
    before: &mut Before,
    alone: bool,
) -> Result<(), Fail> {
    let records = desk.ledger(order)?.read()?;
    if has_git(home.root()) && !is_errand(order) {
        let git = Git::new(home.clone());
        before.theirs =
            prior_changes::now(&git, &before.field.ground, &order.plan.path, &order.run, &records)?;
    }
    if let Some(now) = before.tree.as_ref().filter(|_| alone) {
        before.found = Some(of(home, order, folder, now, &records, &mut before.since)?);
    }
    Ok(())
}

/// The tree that the interrupted attempt found, without later changes by others; also kept with this attempt until it
/// ends. `began` becomes the time when the first of these attempts began.
fn of(
    home: &Home,
    order: &Order,
    folder: &Path,
    now: &Tree,
    records: &[Punch],
    began: &mut SystemTime,
) -> Result<Tree, Fail> {
    let mut tree = now.clone();
    if let Some((found, then)) = interrupted(home, order)? {
        *began = then.min(*began);
        let others = by_others(order, records);
        let all: Vec<String> = now.entries.keys().chain(found.keys()).cloned().collect();
        for path in all.into_iter().filter(|path| !others.contains(path.as_str())) {
            match found.get(&path) {
                Some(what) => tree.entries.insert(path, what.clone()),
                None => tree.entries.remove(&path),
            };
        }
    }
    let bytes = serde_json::to_vec(&tree.entries).map_err(|e| Fail::data("bad-tree", e.to_string()))?;
    let path = kept(folder);
    fs::create(&path, &bytes)?;
    let file = std::fs::File::options().append(true).open(&path);
    file.and_then(|file| file.set_modified(*began)).map_err(|e| Fail::io(&path, &e))?;
    Ok(tree)
}

/// A time in the form of a record.
pub(crate) fn millis_of(time: SystemTime) -> u64 {
    u64::try_from(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

/// An ended attempt no longer needs it.
pub(crate) fn forget(folder: &Path) -> Result<(), Fail> {
    fs::remove(&kept(folder))
}

type Found = (BTreeMap<String, String>, SystemTime);

fn interrupted(home: &Home, order: &Order) -> Result<Option<Found>, Fail> {
    let Some(resume) = order.resume.as_ref().filter(|r| r.step == ResumeStep::Work) else { return Ok(None) };
    let old = order.attempt.saturating_sub(1);
    let folder = home.path(&format!("work/{}/{}/{old}", resume.run, order.task.key));
    let path = kept(&folder);
    // A truncated file counts as missing.
    let found = fs::read_if_there(&path)?.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let began = path.metadata().and_then(|about| about.modified()).ok();
    Ok(found.zip(began))
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
