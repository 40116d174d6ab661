//! `commit-run check-clean`: any output of git's status is a no.

use ledger::Ledger;
use repo::git::Git;
use serde_json::Value;
use std::path::Path;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::punch::{Punch, Type};

/// Answers whether the tree is clean; lists what is not. With `resume` the changes of the last attempt do not count.
pub(crate) fn check(path: Option<&Path>, resume: bool, out: &mut Output) -> Result<Exit, Fail> {
    let root = root::find(path.unwrap_or(Path::new(".")))?;
    if !root::has_git(&root) {
        return Ok(Exit::Ok);
    }
    let home = Home::of(&root)?;
    let left = if resume { Left::of(&Ledger::new(home.clone()).read()?) } else { Left::Files(Vec::new()) };
    let mut dirty = Git::new(home).status()?;
    dirty.retain(|(_, path)| !left.has(path));
    for (letters, path) in &dirty {
        out.shown(&format!("{letters} {path}\n"))?;
    }
    Ok(if dirty.is_empty() { Exit::Ok } else { Exit::No })
}

/// What the last attempt left in the tree.
enum Left {
    /// Anything: it was cut off before it could be looked at.
    Anything,
    /// These files.
    Files(Vec<String>),
}

impl Left {
    fn of(records: &[Punch]) -> Self {
        let is_of = |kind, begin: &Punch, record: &&Punch| record.kind == kind && record.task == begin.task;
        let Some(at) = records.iter().rposition(|record| record.kind == Type::AttemptBegin) else {
            return Self::Files(Vec::new());
        };
        let (begin, since) = (&records[at], &records[at..]);
        if since.iter().any(|record| is_of(Type::Tick, begin, &record)) {
            return Self::Files(Vec::new());
        }
        match since.iter().find(|record| is_of(Type::AttemptEnd, begin, record)) {
            None => Self::Anything,
            Some(end) => {
                let files = end.data.get("changed_files").and_then(Value::as_array).into_iter().flatten();
                Self::Files(files.filter_map(|file| file.as_str().map(str::to_owned)).collect())
            }
        }
    }

    fn has(&self, path: &str) -> bool {
        match self {
            Self::Anything => true,
            Self::Files(files) => files.iter().any(|file| file == path),
        }
    }
}
