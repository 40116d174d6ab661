//! `context-save snapshot`: list, task files and session file as they were before a run wrote anything.

use crate::session::{FILE, Session};
use std::path::{Path, PathBuf};
use toolkit::cli::clock::RunArgs;
use toolkit::files::fs;
use toolkit::files::root::{Home, inside};
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
    let mut names = session.task_files();
    names.extend(["TODO_LIST.md".to_owned(), FILE.to_owned()]);
    for name in names {
        if let Some(bytes) = fs::read_if_there(&session.folder.join(&name))? {
            fs::create(&place.join(&name), &bytes)?;
        }
    }
    fs::create(&place.join(COMPLETE), b"")?;
    Ok(place)
}

/// The newest copy of a file in a complete snapshot that is what it should be.
pub(crate) fn newest(home: &Home, session: &str, name: &str) -> Option<Vec<u8>> {
    let place = home.path(&format!("snapshots/{}", ids::key_of(session)));
    let runs = std::fs::read_dir(place).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut runs: Vec<_> = runs.filter(|run| run.join(COMPLETE).exists()).collect();
    runs.sort_by_key(|run| std::cmp::Reverse(run.join(COMPLETE).metadata().and_then(|m| m.modified()).ok()));
    let copies = runs.into_iter().filter_map(|run| std::fs::read(run.join(name)).ok());
    copies.into_iter().find(|bytes| serde_json::from_slice::<serde_json::Value>(bytes).is_ok())
}

const COMPLETE: &str = "complete";
