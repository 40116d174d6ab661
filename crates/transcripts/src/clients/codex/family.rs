//! The rollouts of one Codex run: a sub-agent has a file of its own, whose first line names its parent.

use crate::json::lenient::{Maybe, Word};
use crate::json::lines::first_line;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fs;
use std::path::{Path, PathBuf};

/// The rollouts of all agents that this one started, directly or indirectly, oldest first.
pub(crate) fn children(main: &Path) -> Vec<PathBuf> {
    let Some((id, _)) = identity(main) else { return Vec::new() };
    let folder = main.parent().unwrap_or(Path::new(""));
    let mut paths = rollouts(folder);
    paths.extend(next_day(folder).map(|day| rollouts(&day)).unwrap_or_default());
    let mut known = vec![id];
    let mut found = Vec::new();
    // A child is always later than its parent, so one pass in order finds all of them.
    for path in paths {
        if let Some((id, Some(parent))) = identity(&path)
            && path != main
            && known.contains(&parent)
        {
            known.push(id);
            found.push(path);
        }
    }
    found
}

fn rollouts(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_rollout = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("rollout-") && path.extension().is_some_and(|end| end == "jsonl")
    };
    let mut paths: Vec<_> = paths.filter(is_rollout).collect();
    paths.sort();
    paths
}

/// The next existing day folder: a run may continue past midnight.
fn next_day(day: &Path) -> Option<PathBuf> {
    let later = |folder: &Path| {
        let entries = fs::read_dir(folder.parent()?).ok()?;
        let siblings = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir());
        siblings.filter(|path| path.file_name() > folder.file_name()).min()
    };
    let first = |folder: &Path| {
        fs::read_dir(folder)
            .ok()?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_dir())
            .min()
    };
    let month = day.parent()?;
    later(day).or_else(|| first(&later(month)?)).or_else(|| first(&first(&later(month.parent()?)?)?))
}

/// A rollout's own thread and its parent's.
fn identity(path: &Path) -> Option<(String, Option<String>)> {
    let bytes = first_line(path)?;
    let line: Line<'_> = serde_json::from_slice(&bytes).ok()?;
    let meta = line.payload.get().filter(|_| line.kind.is("session_meta"))?;
    Some((meta.id.owned()?, meta.source.get().and_then(Origin::parent)))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow)]
    payload: Maybe<Meta<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Meta<'a> {
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow)]
    source: Maybe<Origin<'a>>,
}

/// The origin of a thread that was not started by a person.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Origin<'a> {
    /// An object with the parent, or a word such as `review`.
    #[serde(borrow)]
    subagent: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Subagent<'a> {
    #[serde(borrow)]
    thread_spawn: Maybe<Spawn<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Spawn<'a> {
    #[serde(borrow)]
    parent_thread_id: Word<'a>,
}

impl Origin<'_> {
    pub(crate) fn is_sub_agent(&self) -> bool {
        self.subagent.is_some()
    }

    fn parent(&self) -> Option<String> {
        let subagent: Maybe<Subagent<'_>> = serde_json::from_str(self.subagent?.get()).ok()?;
        subagent.get()?.thread_spawn.get()?.parent_thread_id.owned()
    }
}
