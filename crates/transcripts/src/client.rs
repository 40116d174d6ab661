//! `Client`: one row for every client whose records can be read, and the choice among them.
//!
//! A record is found by an explicit path only. Its shape, not its location, tells which client wrote it; if one file
//! holds many sessions, the caller must name the session.

#[cfg(feature = "sqlite")]
pub(crate) mod database;
pub(crate) mod head;
pub(crate) mod session_files;

use crate::client::head::Head;
use crate::clients::{aider, claude, cline, codex, events, gemini, goose, ledger, opencode};
use crate::{Call, Record};
use std::fmt::Display;
use std::path::Path;
use toolkit::{Exit, Fail};

/// The record to read.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The file, or the folder if the client keeps a session in a folder.
    pub path: &'a Path,
    /// The session, if the file holds several.
    pub session: Option<&'a str>,
}

/// Reads a record and passes its calls on one by one.
pub type Read = fn(&Source<'_>, &mut dyn FnMut(Call)) -> Result<Record, Fail>;

/// One client.
pub struct Client {
    /// The name used on command lines.
    pub name: &'static str,
    /// A description of what it reads.
    pub about: &'static str,
    /// Whether the beginning of a file, or the names in a folder, belong to this client.
    pub detect: fn(&Path, &Head) -> bool,
    /// Reads a record and passes its calls on in order.
    pub read: Read,
}

/// Every client, in the order of detection.
pub fn table() -> &'static [Client] {
    &TABLE
}

#[rustfmt::skip]
static TABLE: [Client; 11] = [
    Client { name: "claude", about: "Claude Code session files, sub-agents' files, stream-json output", detect: claude::detect, read: claude::read },
    Client { name: "codex", about: "Codex rollouts, sub-agents' rollouts, exec --json output", detect: codex::detect, read: codex::read },
    Client { name: "kilo", about: "Kilo CLI database, export document, run --format json output", detect: opencode::detect_kilo, read: opencode::read },
    Client { name: "opencode", about: "opencode database, storage files, export document, run --format json output", detect: opencode::detect, read: opencode::read },
    Client { name: "gemini", about: "Gemini CLI chats, .json and .jsonl, sub-agents' chats, stream-json output", detect: gemini::detect, read: gemini::read },
    Client { name: "goose", about: "goose database, session export, stream-json output", detect: goose::detect, read: goose::read },
    Client { name: "cline", about: "Cline, Roo and Kilo extension task folders and files", detect: cline::detect, read: cline::read },
    Client { name: "aider", about: "aider chat history in Markdown", detect: aider::detect, read: aider::read },
    Client { name: "plantools", about: "the ledger of these tools: what was handed to whom", detect: ledger::detect, read: ledger::read },
    Client { name: "acp", about: "sessions of the Agent Client Protocol, as worker-run prints them", detect: events::detect_acp, read: events::read },
    Client { name: "events", about: "plain events, one JSON object a line with a name", detect: events::detect, read: events::read },
];

/// Reads the record at `path` with the named client, or by its shape.
pub fn read(path: &Path, client: Option<&str>, sink: &mut dyn FnMut(Call)) -> Result<Record, Fail> {
    read_session(&Source { path, session: None }, client, sink)
}

/// Reads one session of a record that may hold several.
pub fn read_session(
    source: &Source<'_>,
    client: Option<&str>,
    sink: &mut dyn FnMut(Call),
) -> Result<Record, Fail> {
    let chosen = match client {
        Some(name) => named(name)?,
        None => detect(source.path)?,
    };
    let mut record = (chosen.read)(source, sink)?;
    record.client = chosen.name;
    Ok(record)
}

/// The client that wrote the record at `path`.
pub fn detect(path: &Path) -> Result<&'static Client, Fail> {
    let head = Head::of(path)?;
    let found = TABLE.iter().find(|client| (client.detect)(path, &head));
    found.ok_or_else(|| {
        let message = format!("'{}' is no transcript of any known client", path.display());
        Fail::data("not-a-transcript", message).in_file(path)
    })
}

fn named(name: &str) -> Result<&'static Client, Fail> {
    TABLE.iter().find(|client| client.name == name).ok_or_else(|| {
        let names: Vec<_> = TABLE.iter().map(|client| client.name).collect();
        let message = format!("no client is named '{name}'; there are {}", names.join(", "));
        Fail::new(Exit::Usage, "unknown-client", message)
    })
}

/// The error for a file with several sessions if none was named.
pub(crate) fn several(path: &Path, count: impl Display) -> Fail {
    let message = format!("{count} sessions are in this file and none was named");
    Fail::data("several-sessions", message).in_file(path)
}

/// The error for a session that is not in the file.
pub(crate) fn no_session(path: &Path, session: &str) -> Fail {
    Fail::new(Exit::NoInput, "no-session", format!("session '{session}' is not there")).in_file(path)
}
