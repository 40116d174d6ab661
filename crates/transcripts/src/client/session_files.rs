//! The locations of clients' records, for finding a session's file by its id.
//!
//! Only a file that carries the id is found, never the newest one. If two files carry it, the caller must choose.

use std::path::{Path, PathBuf};
use toolkit::cli::env;

/// The folder of one client.
struct ClientFolder {
    /// The environment variable that overrides it.
    variable: Option<&'static str>,
    /// Its default location below the home folder.
    folder: &'static str,
    /// The subfolders, `*` for any.
    below: &'static [&'static str],
    /// Whether a name there belongs to the session.
    is: fn(&str, &str) -> bool,
}

/// A record that carries an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSession {
    /// The file or folder.
    pub path: PathBuf,
    /// The session, if the file holds several.
    pub session: Option<String>,
}

const CODE: &str = ".config/Code/User/globalStorage";

#[rustfmt::skip]
const PLACES: [ClientFolder; 9] = [
    ClientFolder { variable: Some("CLAUDE_CONFIG_DIR"), folder: ".claude", below: &["projects", "*"], is: |name, id| name == format!("{id}.jsonl") },
    ClientFolder { variable: Some("CODEX_HOME"), folder: ".codex", below: &["sessions", "*", "*", "*"], is: |name, id| name.starts_with("rollout-") && name.ends_with(&format!("-{id}.jsonl")) },
    ClientFolder { variable: None, folder: ".gemini", below: &["tmp", "*", "chats"], is: gemini },
    ClientFolder { variable: Some("XDG_DATA_HOME"), folder: ".local/share", below: &["opencode"], is: |name, id| name == "opencode.db" && id.starts_with("ses_") },
    ClientFolder { variable: Some("XDG_DATA_HOME"), folder: ".local/share", below: &["kilo"], is: |name, id| name == "kilo.db" && id.starts_with("ses_") },
    ClientFolder { variable: Some("XDG_DATA_HOME"), folder: ".local/share", below: &["goose", "sessions"], is: |name, id| name == "sessions.db" && is_goose(id) },
    ClientFolder { variable: None, folder: CODE, below: &["*", "tasks"], is: |name, id| name == id },
    ClientFolder { variable: None, folder: ".cline", below: &["data", "tasks"], is: |name, id| name == id },
    ClientFolder { variable: None, folder: ".cline", below: &["data", "sessions"], is: |name, id| name == id },
];

/// Every record that carries a session's id.
pub fn find_session(id: &str) -> Vec<FoundSession> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if id.len() < 6 || !id.chars().all(plain) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for place in &PLACES {
        let moved = place.variable.and_then(env::get).map(PathBuf::from);
        let Some(base) = moved.or_else(|| env::get("HOME").map(|home| Path::new(&home).join(place.folder)))
        else {
            continue;
        };
        for path in paths(&base, place.below).into_iter().filter(|path| (place.is)(&name(path), id)) {
            let session = (path.extension().is_some_and(|end| end == "db")).then(|| id.to_owned());
            found.push(FoundSession { path, session });
        }
    }
    found
}

/// All entries of the folders that match a pattern, sorted.
fn paths(base: &Path, below: &[&str]) -> Vec<PathBuf> {
    let Some((first, rest)) = below.split_first() else { return entries(base) };
    let folders = if *first == "*" { entries(base) } else { vec![base.join(first)] };
    folders.iter().filter(|folder| folder.is_dir()).flat_map(|folder| paths(folder, rest)).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Gemini puts the beginning of the id in the name.
fn gemini(name: &str, id: &str) -> bool {
    let short = id.get(..8).unwrap_or(id);
    let stem = name.strip_suffix(".jsonl").or_else(|| name.strip_suffix(".json"));
    stem.is_some_and(|stem| stem.starts_with("session-") && stem.ends_with(&format!("-{short}")))
}

/// `20260131_2`.
fn is_goose(id: &str) -> bool {
    id.split_once('_').is_some_and(|(day, number)| {
        day.len() == 8 && [day, number].iter().all(|part| part.bytes().all(|b| b.is_ascii_digit()))
    })
}
