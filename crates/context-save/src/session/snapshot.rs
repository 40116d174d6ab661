//! `context-save snapshot`: list, task files and session file as they were before a run wrote anything.

use crate::session::{FILE, Session};
use repo::git::{Call, Git};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use toolkit::cli::clock::RunArgs;
use toolkit::files::fs;
use toolkit::files::root::{self, Home, inside};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::{Order, ids};

/// Takes a snapshot of the session that is named, and prints where it is.
pub(crate) fn command(path: &Path, run: &RunArgs, out: &mut Output) -> Result<Exit, Fail> {
    let folder = if path.is_dir() {
        path
    } else {
        path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
    };
    let session = Session::find(folder)?;
    let clock = run.clock()?;
    let place = take(&session, run.run_id(&clock)?.as_str())?;
    out.line(&session.home.relative(&place))?;
    Ok(Exit::Ok)
}

/// Takes the snapshot of a run, unless it is there.
pub(crate) fn before_first_write(order: &Order) -> Result<(), Fail> {
    let root = Path::new(&order.plan.root);
    let path = inside(root, &order.plan.path)?;
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(root).to_path_buf() };
    let session = Session::find(&folder)?;
    take(&session, order.run.as_str()).map(drop)
}

/// Copies the files; a snapshot that is complete says so by its last file, and is never written again.
pub(crate) fn take(session: &Session, run: &str) -> Result<PathBuf, Fail> {
    let place = session.home.folder(&format!("snapshots/{}/{run}", ids::key_of(&session.name)))?;
    if place.join(COMPLETE).exists() {
        return Ok(place);
    }
    fs::private_folder(&place.join(".task"))?;
    // A task file that is as git has it stays closed: git is its snapshot.
    let mut names = session.task_files();
    if let Some(changed) = changed(session)? {
        names.retain(|name| changed.contains(&session.home.relative(&session.folder.join(name))));
    }
    names.extend(["TODO_LIST.md".to_owned(), FILE.to_owned()]);
    for name in names {
        if let Some(bytes) = fs::read_if_there(&session.folder.join(&name))? {
            fs::create(&place.join(&name), &bytes)?;
        }
    }
    fs::create(&place.join(COMPLETE), b"")?;
    Ok(place)
}

/// The files that differ from the last commit; `None` if there is none to compare with.
fn changed(session: &Session) -> Result<Option<HashSet<String>>, Fail> {
    if !root::has_git(session.home.root()) {
        return Ok(None);
    }
    let git = Git::new(session.home.clone());
    let head = git.ask(&Call::of(&["rev-parse", "--verify", "--quiet", "HEAD"]))?;
    if !head.status.success() {
        return Ok(None);
    }
    // A file that git ignores is in no commit either.
    let ignored = git.ask(&Call::of(&["ls-files", "-z", "-o", "-i", "--exclude-standard"]))?;
    let ignored = String::from_utf8_lossy(&ignored.out).into_owned();
    let ignored = ignored.split('\0').filter(|path| !path.is_empty()).map(str::to_owned);
    Ok(Some(git.changed()?.into_iter().chain(ignored).collect()))
}

/// A file as the last commit has it, if that is JSON.
fn committed(home: &Home, path: &str) -> Option<Vec<u8>> {
    let git = root::has_git(home.root()).then(|| Git::new(home.clone()))?;
    let answer = git.ask(&Call::of(&["cat-file", "blob", &format!("HEAD:{path}")])).ok()?;
    let is_json = serde_json::from_slice::<serde_json::Value>(&answer.out).is_ok();
    (answer.status.success() && is_json).then_some(answer.out)
}

/// The newest copy of a file in a complete snapshot that is what it should be.
pub(crate) fn newest(session: &Session, name: &str) -> Option<Vec<u8>> {
    let path = session.home.relative(&session.folder.join(name));
    copied(&session.home, &session.name, name).or_else(|| committed(&session.home, &path))
}

fn copied(home: &Home, session: &str, name: &str) -> Option<Vec<u8>> {
    let place = home.path(&format!("snapshots/{}", ids::key_of(session)));
    let runs = std::fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut runs: Vec<_> = runs.filter(|run| run.join(COMPLETE).exists()).collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.join(COMPLETE).metadata().and_then(|m| m.modified()).ok()));
    let copies = runs.into_iter().filter_map(|run| std::fs::read(run.join(name)).ok());
    copies.into_iter().find(|bytes| serde_json::from_slice::<serde_json::Value>(bytes).is_ok())
}

const COMPLETE: &str = "complete";
