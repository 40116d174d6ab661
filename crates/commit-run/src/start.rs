//! `commit-run start`: the commit that the first run of a plan began at, kept beside the lock of its runs.

use crate::check_clean;
use repo::git::Git;
use std::path::Path;
use toolkit::files::root::{self, Home};
use toolkit::files::{fs, lock};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// Prints the commit; the first call needs a clean tree.
pub(crate) fn print(plan: &Path, out: &mut Output) -> Result<Exit, Fail> {
    let root = root::find(plan)?;
    let home = Home::of(&root)?;
    let file = lock::of_run(&home, plan)?.with_extension("start");
    if let Some(fail) = fs::link_at(&file) {
        return Err(fail);
    }
    let kept = fs::read_if_there(&file)?.unwrap_or_default();
    let kept = String::from_utf8_lossy(&kept).trim().to_owned();
    if !kept.is_empty() {
        out.line(&kept)?;
        return Ok(Exit::Ok);
    }
    if check_clean::check(Some(plan), false, out)? != Exit::Ok {
        return Ok(Exit::No);
    }
    let head = Git::new(home).head()?.unwrap_or_default();
    fs::create(&file, format!("{head}\n").as_bytes())?;
    out.line(&head)?;
    Ok(Exit::Ok)
}
