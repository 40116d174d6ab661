//! `commit-run check-clean`: any output of git's status is a no.

use repo::git::Git;
use std::path::Path;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// Answers whether the tree is clean; lists what is not.
pub(crate) fn check(path: Option<&Path>, out: &mut Output) -> Result<Exit, Fail> {
    let root = root::find(path.unwrap_or(Path::new(".")))?;
    if !root::has_git(&root) {
        return Ok(Exit::Ok);
    }
    let dirty = Git::new(Home::of(&root)?).status()?;
    for (letters, path) in &dirty {
        out.shown(&format!("{letters} {path}\n"))?;
    }
    Ok(if dirty.is_empty() { Exit::Ok } else { Exit::No })
}
