//! The tree that an attempt is compared with: the one that it found, or, where it takes the place of an attempt that was
//! interrupted, the one that was found then. What a worker had made when it was killed belongs to the task all the same.

use crate::choose::is_errand;
use crate::watch::Before;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use toolkit::git::Git;
use toolkit::root::{Home, has_git};
use toolkit::stage::Desk;
use toolkit::tree::Tree;
use toolkit::{Fail, fs, theirs};
use wire::order::ResumeStep;
use wire::punch::Type;
use wire::{Order, Punch};

/// Looks at what was there before: by an interrupted attempt, and by a person. `alone` is who works in the main tree.
pub(crate) fn look_back(
    home: &Home,
    desk: &Desk,
    order: &Order,
    folder: &Path,
    before: &mut Before,
    alone: bool,
) -> Result<(), Fail> {
    let records = desk.ledger(order)?.read()?;
    if has_git(home.root()) && !is_errand(order) {
        before.theirs = theirs::now(&Git::new(home.clone()), &before.field.ground, order, &records)?;
    }
    if let Some(now) = before.tree.as_ref().filter(|_| alone) {
        before.found = Some(of(home, order, folder, now, &records, &mut before.since)?);
    }
    Ok(())
}

/// What the interrupted attempt found, without what others have done since; kept beside this attempt too, until it ends.
/// `began` becomes the time when the first of them did.
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

/// A time as a record has it.
pub(crate) fn millis_of(time: SystemTime) -> u64 {
    u64::try_from(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}

/// An attempt that has ended needs it no more.
pub(crate) fn forget(folder: &Path) -> Result<(), Fail> {
    fs::remove(&kept(folder))
}

type Found = (BTreeMap<String, String>, SystemTime);

fn interrupted(home: &Home, order: &Order) -> Result<Option<Found>, Fail> {
    let Some(resume) = order.resume.as_ref().filter(|r| r.step == ResumeStep::Work) else { return Ok(None) };
    let old = order.attempt.saturating_sub(1);
    let folder = home.path(&format!("work/{}/{}/{old}", resume.run, order.task.key));
    let path = kept(&folder);
    // One that was cut before it was whole is as good as none.
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
