//! Locations of sessions: `.workflow/active/WFS-*`, older locations, and the archives.
//!
//! A single active session is selected; several are an error, never a guess.

use crate::{Ask, Folder};
use toolkit::{Exit, Fail};

/// The kind of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FolderKind {
    /// A session itself.
    Session,
    /// A `.workflow` folder.
    Home,
    /// A folder that holds a `.workflow` folder.
    Project,
    /// None of these.
    Other,
}

/// Classifies a folder by the names in it.
pub(crate) fn look(folder: &Folder) -> FolderKind {
    let own = folder.path.rsplit('/').next().unwrap_or_default();
    let files = ["workflow-session.json", "IMPL_PLAN.md", ".task", ".summaries", "plan.json"];
    let beside = files.iter().filter(|name| folder.has(name)).count();
    if folder.has(LIST) || own.starts_with("WFS-") || beside > 1 && folder.has(".task") {
        return FolderKind::Session;
    }
    let holds = |below: &str| folder.names(below).iter().any(|name| is_session(name));
    if own == ".workflow" || holds("") || PLACES.iter().any(|place| holds(place)) || holds("archives") {
        return FolderKind::Home;
    }
    if folder.has(".workflow") { FolderKind::Project } else { FolderKind::Other }
}

/// The name of the list.
pub(crate) const LIST: &str = "TODO_LIST.md";

/// The selected session below a `.workflow` folder.
pub(crate) fn session(home: &Folder, ask: &Ask) -> Result<Folder, Fail> {
    let active = active(home);
    if let Some(wanted) = &ask.session {
        return wanted_one(home, &active, wanted);
    }
    match active.as_slice() {
        [one] => Ok(home.below(one)),
        [] => {
            let message = format!(
                "no active session: looked in {}; plan one (/workflow:plan \"project\"), or name one with --resume-session ID",
                searched(home).join(", ")
            );
            Err(Fail::new(Exit::NoInput, "no-session", message))
        }
        several => {
            let message = format!(
                "several sessions are active: {}; name one with orchestrate --resume-session ID (plan-parse --session ID), or give its folder",
                bare(several).join(", ")
            );
            let place = if home.path.is_empty() { "." } else { &home.path };
            Err(Fail::data("several-sessions", message).at(place, 1))
        }
    }
}

const PLACES: &[&str] = &["active", "sessions"];

fn wanted_one(home: &Folder, active: &[String], wanted: &str) -> Result<Folder, Fail> {
    let archived = home.names("archives").into_iter().filter(|name| is_session(name));
    let archived: Vec<String> =
        archived.map(|name| format!("archives/{}", name.trim_end_matches('/'))).collect();
    let is_it = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or_default();
        name == wanted || name.strip_prefix("WFS-") == Some(wanted)
    };
    let found = active.iter().chain(&archived).find(is_it);
    found.map(|path| home.below(path)).ok_or_else(|| {
        let known: Vec<String> = active.iter().chain(&archived).cloned().collect();
        let list = if known.is_empty() { "there is none".to_owned() } else { bare(&known).join(", ") };
        let message = format!("no session '{wanted}': {list}; looked in {}", searched(home).join(", "));
        Fail::new(Exit::NoInput, "no-session", message)
    })
}

/// The active sessions, relative to `.workflow`. In the oldest location a marker tells which one is active.
fn active(home: &Folder) -> Vec<String> {
    let mut found = Vec::new();
    for place in PLACES {
        let names = home.names(place).into_iter().filter(|name| is_session(name));
        found.extend(names.map(|name| format!("{place}/{}", name.trim_end_matches('/'))));
    }
    let names = home.names("");
    let marked: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix(".active-")).collect();
    let old = names.iter().filter(|name| is_session(name)).map(|name| name.trim_end_matches('/'));
    let meant =
        old.filter(|name| marked.is_empty() || marked.iter().any(|m| m.trim_end_matches('/') == *name));
    found.extend(meant.map(str::to_owned));
    found
}

fn searched(home: &Folder) -> Vec<String> {
    ["active/WFS-*", "sessions/WFS-*", "WFS-*", "archives/WFS-*"]
        .iter()
        .map(|place| home.seen(place))
        .collect()
}

fn bare(paths: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = paths.iter().map(|path| path.rsplit('/').next().unwrap_or_default()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn is_session(name: &str) -> bool {
    name.starts_with("WFS-") && name.ends_with('/')
}
