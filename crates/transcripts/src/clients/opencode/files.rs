//! opencode before 1.2: one JSON file per session, message and part, below `storage/`.
//!
//! The caller names the session's file `storage/session/<project>/ses_*.json`, or the folder if only one session has
//! no parent. Ids sort by time.

use crate::Source;
use crate::client::{no_session, several};
use crate::clients::opencode::{Info, Part, Reader, Session};
use crate::json::mend;
use std::fs;
use std::path::{Path, PathBuf};
use toolkit::Fail;

pub(crate) fn is_storage(folder: &Path) -> bool {
    ["session", "message", "part"].iter().all(|name| folder.join(name).is_dir())
}

pub(crate) fn read(source: &Source<'_>, reader: &mut Reader<'_>) -> Result<(), Fail> {
    let (storage, file) = if source.path.is_dir() {
        (source.path.to_owned(), choose(source)?)
    } else {
        let storage = source.path.ancestors().nth(3).unwrap_or(Path::new(""));
        (storage.to_owned(), source.path.to_owned())
    };
    for path in family(&file)? {
        read_session(&storage, &path, reader)?;
    }
    Ok(())
}

struct Known {
    path: PathBuf,
    id: String,
    parent: Option<String>,
}

/// The requested session in a folder of all sessions.
fn choose(source: &Source<'_>) -> Result<PathBuf, Fail> {
    let projects = entries(&source.path.join("session"));
    let sessions: Vec<_> = projects.iter().flat_map(|project| entries(project)).filter_map(known).collect();
    if let Some(wanted) = source.session {
        let found = sessions.into_iter().find(|session| session.id == wanted);
        return found.map(|session| session.path).ok_or_else(|| no_session(source.path, wanted));
    }
    let mut roots = sessions.into_iter().filter(|session| session.parent.is_none());
    match (roots.next(), roots.count()) {
        (Some(only), 0) => Ok(only.path),
        (_, more) => Err(several(source.path, more + 1)),
    }
}

/// A session's file and those of the sessions below it, each after its parent.
fn family(file: &Path) -> Result<Vec<PathBuf>, Fail> {
    let bytes = fs::read(file).map_err(|error| Fail::io(file, &error))?;
    let session: Session<'_> = serde_json::from_slice(&bytes).unwrap_or_default();
    let mut ids = vec![session.id.text().to_owned()];
    let mut paths = vec![file.to_owned()];
    let mut others: Vec<_> =
        entries(file.parent().unwrap_or(Path::new(""))).into_iter().filter_map(known).collect();
    loop {
        let is_child = |other: &Known| other.parent.as_ref().is_some_and(|parent| ids.contains(parent));
        let (children, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(is_child);
        if children.is_empty() {
            return Ok(paths);
        }
        for child in children {
            ids.push(child.id);
            paths.push(child.path);
        }
        others = rest;
    }
}

fn known(path: PathBuf) -> Option<Known> {
    let bytes = fs::read(&path).ok()?;
    let session: Session<'_> = serde_json::from_slice(&bytes).ok()?;
    let (id, parent) = (session.id.owned()?, session.parent.owned());
    Some(Known { path, id, parent })
}

fn read_session(storage: &Path, file: &Path, reader: &mut Reader<'_>) -> Result<(), Fail> {
    let bytes = fs::read(file).map_err(|error| Fail::io(file, &error))?;
    let Ok(session) = serde_json::from_slice::<Session<'_>>(&bytes) else {
        reader.record.unknown += 1;
        return Ok(());
    };
    reader.file = reader.record.add_source(file);
    reader.session(&session);
    let mut number = 0;
    for path in entries(&storage.join("message").join(session.id.text())) {
        let bytes = fs::read(&path).map_err(|error| Fail::io(&path, &error))?;
        let mut room = Vec::new();
        let info = mend::read::<Info<'_>>(&bytes, &mut room);
        reader.record.unknown += u64::from(info.is_none());
        let own = info.is_some_and(|info| reader.info(&info));
        let message = path.file_stem().unwrap_or_default();
        for path in entries(&storage.join("part").join(message)) {
            number += 1;
            let bytes = fs::read(&path).map_err(|error| Fail::io(&path, &error))?;
            let mut room = Vec::new();
            match mend::read::<Part<'_>>(&bytes, &mut room) {
                Some(part) => reader.part(number, own, &part),
                None => reader.record.unknown += 1,
            }
        }
    }
    Ok(())
}

/// The entries of a folder, sorted; empty if it does not exist.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}
