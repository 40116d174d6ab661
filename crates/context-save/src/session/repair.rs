//! `context-save repair`: writes a missing session file, and restores a file that is not JSON from a snapshot, once.

use crate::STAGE;
use crate::session::snapshot;
use crate::session::{FILE, Session};
use ledger::{Entry, Ledger};
use serde_json::{Value, json};
use std::path::Path;
use toolkit::cli::clock::RunArgs;
use toolkit::cli::tool;
use toolkit::files::fs;
use toolkit::files::lock::{Lock, PATIENCE};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::punch::Type;

/// Repairs what can be; exit 1 where something stays broken.
pub(crate) fn command(
    named: &Path,
    session_file_alone: bool,
    run: &RunArgs,
    out: &mut Output,
) -> Result<Exit, Fail> {
    let session = Session::find(named)?;
    let _lock = Lock::take(&session.home.folder("locks")?.join("context"), PATIENCE, STAGE)?;
    let mut exit = Exit::Ok;
    if !session.folder.join(FILE).exists() {
        session.write(session.fresh())?;
        out.shown(&format!("written {}\n", shown(&session, FILE)))?;
    }
    let tasks = if session_file_alone { Vec::new() } else { session.task_files() };
    let files = tasks.into_iter().chain([FILE.to_owned()]);
    for name in files {
        let path = session.folder.join(&name);
        let bytes = fs::read(&path)?;
        let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let Err(broken) = serde_json::from_slice::<Value>(json) else { continue };
        match restore(run, &session, &name, &bytes)? {
            Ok(()) => out.shown(&format!("restored {}\n", shown(&session, &name)))?,
            Err(why) => {
                tool::note(&format!("{STAGE}: {}: no valid JSON: {broken}; {why}", shown(&session, &name)));
                exit = Exit::No;
            }
        }
    }
    Ok(exit)
}

/// Puts a file back, once: what is broken again after that is broken by something that goes on.
fn restore(run: &RunArgs, session: &Session, name: &str, broken: &[u8]) -> Result<Result<(), String>, Fail> {
    let ledger = Ledger::new(session.home.clone());
    let seen = shown(session, name);
    if ledger.read()?.iter().any(|p| p.kind == Type::Restoration && p.key == seen) {
        return Ok(Err("it was restored before, and is broken again".to_owned()));
    }
    let Some(good) = snapshot::newest(session, name) else {
        return Ok(Err("no snapshot has a version of it".to_owned()));
    };
    let clock = run.clock()?;
    // What is broken is kept: it may hold the only copy of some work.
    let aside = session.home.folder("snapshots/broken")?.join(wire::ids::key_of(&format!(
        "{}-{}",
        clock.now(),
        seen
    )));
    fs::create(&aside, broken)?;
    ledger.append(Entry {
        plan: session.home.relative(&session.folder),
        data: json!({ "reason": "no valid JSON", "kept": session.home.relative(&aside) }),
        ..Entry::new(run.run_id(&clock)?, Type::Restoration, seen, clock.now())
    })?;
    fs::replace(&session.folder.join(name), &good, &session.home.folder("tmp")?)?;
    Ok(Ok(()))
}

fn shown(session: &Session, name: &str) -> String {
    session.home.relative(&session.folder.join(name))
}
