//! The tree that an attempt is compared with: the one that it found, or, where it takes the place of an attempt that was
//! interrupted, the one that was found then. What a worker had made when it was killed belongs to the task all the same.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use toolkit::root::Home;
use toolkit::tree::Tree;
use toolkit::{Fail, fs};
use wire::order::ResumeStep;
use wire::punch::Type;
use wire::{Order, Punch};

/// What the interrupted attempt found, without what others have done since; kept beside this attempt too, until it ends.
pub(crate) fn of(
    home: &Home,
    order: &Order,
    folder: &Path,
    now: &Tree,
    records: &[Punch],
) -> Result<Tree, Fail> {
    let mut tree = now.clone();
    if let Some(found) = interrupted(home, order)? {
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
    fs::create(&kept(folder), &bytes)?;
    Ok(tree)
}

/// An attempt that has ended needs it no more.
pub(crate) fn forget(folder: &Path) -> Result<(), Fail> {
    fs::remove(&kept(folder))
}

fn interrupted(home: &Home, order: &Order) -> Result<Option<BTreeMap<String, String>>, Fail> {
    let Some(resume) = order.resume.as_ref().filter(|r| r.step == ResumeStep::Work) else { return Ok(None) };
    let old = order.attempt.saturating_sub(1);
    let folder = home.path(&format!("work/{}/{}/{old}", resume.run, order.task.key));
    // One that was cut before it was whole is as good as none.
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
