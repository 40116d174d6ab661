//! `commit-run rebuild-state`: which tasks are done, from the trailers in git's history alone.
//!
//! For when plan and ledger are lost or not trusted. A reverted commit does not count.

use crate::history::{History, TaskCommit};
use repo::git::Git;
use std::path::Path;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::State;
use wire::tick::{SCHEMA, TickDoc};

/// Prints one `tick/1` for each task that a commit of the present branch says it belongs to.
pub(crate) fn print(plan: Option<&Path>, pretty: bool, out: &mut Output) -> Result<Exit, Fail> {
    let named = plan.filter(|p| *p != Path::new("-"));
    // The plan itself may be gone: its folder is enough, and where that is gone too, this one.
    let place = named.into_iter().flat_map(Path::ancestors).find(|p| !p.as_os_str().is_empty() && p.exists());
    let root = root::find(place.unwrap_or(Path::new(".")))?;
    if !root::has_git(&root) {
        return Ok(Exit::Ok);
    }
    let git = Git::new(Home::of(&root)?);
    let wanted = named.map(|path| seen(path, &root));
    for done in
        completed(&git)?.into_iter().filter(|done| wanted.as_ref().is_none_or(|plan| done.plan == *plan))
    {
        out.document(&done, pretty)?;
    }
    Ok(Exit::Ok)
}

/// The completed tasks, in the order of their completion.
fn completed(git: &Git) -> Result<Vec<TickDoc>, Fail> {
    let mut done: Vec<TickDoc> = Vec::new();
    for TaskCommit { hash, subject, plan, tasks } in History::read(git)?.commits {
        for task in tasks {
            done.retain(|known| known.plan != plan || known.task != task);
            done.push(TickDoc {
                schema: SCHEMA.to_owned(),
                plan: plan.clone(),
                task,
                title: subject.clone(),
                state: State::Completed,
                changed: false,
                criterion: None,
                line: None,
                level: None,
                commit: Some(hash.clone()),
            });
        }
    }
    Ok(done)
}

/// A plan's path as in the trailers, whether or not it exists.
fn seen(path: &Path, root: &Path) -> String {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let full = folder.canonicalize().map(|folder| folder.join(path.file_name().unwrap_or_default()));
    let full = full.unwrap_or_else(|_| path.to_path_buf());
    full.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}
