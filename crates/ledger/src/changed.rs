//! Whether the work on a task is in the tree, from the records of its attempts.
//!
//! The only evidence for a task without a check of its own is its changes: a gate that passes shows that the
//! project is in order, not that the task is done.

use std::collections::BTreeMap;
use wire::punch::{Punch, SourceKind, Type};
use wire::{Task, TaskId, TreeHash};

/// The tree as it is now: its hash, and each path with its mode and content.
#[derive(Debug, Clone, Copy)]
pub struct TreeView<'a> {
    /// The hash of the whole tree.
    pub hash: &'a TreeHash,
    /// Each path with its mode and content.
    pub entries: &'a BTreeMap<String, String>,
}

/// Whether attempts at the task changed files and these changes are in this tree. All attempts since the last tick
/// count together: one may have done the work and failed for another reason. The work behind a tick counts as long
/// as its files are as they were then. Without git no changes are known, and the answer is no.
pub fn is_there(records: &[Punch], plan: &str, task: &Task, tree: Option<TreeView<'_>>) -> bool {
    let Some(tree) = tree else { return false };
    let mut past = Past::default();
    let about = |p: &&Punch| {
        p.plan == plan
            && p.task.as_ref() == Some(&task.id)
            && p.fingerprint.as_ref() == Some(&task.fingerprint)
    };
    records.iter().filter(about).for_each(|record| past.take(record));
    past.worked(tree) || past.ticked.is_some_and(|tick| has_files_of(tick, tree))
}

/// The facts from the records so far.
#[derive(Default)]
struct Past<'r> {
    /// The tree before the first attempt.
    found: Option<&'r TreeHash>,
    /// Whether an attempt changed anything.
    changed: bool,
    ticked: Option<&'r Punch>,
}

impl<'r> Past<'r> {
    fn take(&mut self, record: &'r Punch) {
        match record.kind {
            Type::AttemptBegin if self.found.is_none() => self.found = record.tree.as_ref(),
            Type::AttemptEnd if record.source.kind == SourceKind::Supervisor => {
                let files = record.data.get("changed_files").and_then(|files| files.as_array());
                self.changed |= files.is_some_and(|files| !files.is_empty());
            }
            Type::Tick => *self = Self { ticked: Some(record), ..Self::default() },
            // Clearing a state that is not a tick says nothing about the work.
            Type::Untick if self.ticked.is_some() => *self = Self::default(),
            _ => {}
        }
    }

    /// Whether something changed and was not restored to the state before the first attempt.
    fn worked(&self, tree: TreeView<'_>) -> bool {
        self.changed && self.found != Some(tree.hash)
    }
}

/// The files that a task's attempts changed, as they are in a tree; one that is not there has no content.
pub fn files(records: &[Punch], plan: &str, task: &TaskId, tree: TreeView<'_>) -> BTreeMap<String, String> {
    let ends = records
        .iter()
        .filter(|p| p.kind == Type::AttemptEnd && p.plan == plan && p.task.as_ref() == Some(task));
    let files = ends.filter_map(|p| p.data.get("changed_files")?.as_array()).flatten();
    let files = files.filter_map(|file| file.as_str());
    files.map(|path| (path.to_owned(), tree.entries.get(path).cloned().unwrap_or_default())).collect()
}

/// Whether every file that a record names is in the tree as it was then.
pub fn has_files_of(record: &Punch, tree: TreeView<'_>) -> bool {
    let files = record.data.get("files").and_then(|v| serde_json::from_value(v.clone()).ok());
    let files: BTreeMap<String, String> = files.unwrap_or_default();
    let is_same =
        |(path, then): (&String, &String)| tree.entries.get(path).map_or("", String::as_str) == then;
    !files.is_empty() && files.iter().all(is_same)
}
