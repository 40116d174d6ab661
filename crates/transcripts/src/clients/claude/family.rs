//! The files of one Claude Code session: the main file and those of its sub-agents, in two generations.

use crate::client::head::Head;
use crate::json::lenient::Word;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// The sub-agent that this file belongs to.
pub(crate) fn agent_of(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()?.strip_prefix("agent-")
}

/// The files of a session's sub-agents from both locations, sorted.
pub(crate) fn sub_agents(main: &Path, session: Option<&str>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    agent_files(&main.with_extension("").join("subagents"), &mut found);
    let mut beside = Vec::new();
    agent_files(main.parent().unwrap_or(Path::new("")), &mut beside);
    let stem = main.file_stem().and_then(|stem| stem.to_str());
    beside.retain(|path| {
        let owner = session_of(path);
        owner.is_some() && (owner.as_deref() == session || owner.as_deref() == stem)
    });
    found.extend(beside);
    found
}

fn agent_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let wanted =
        |path: &PathBuf| agent_of(path).is_some() && path.extension().is_some_and(|end| end == "jsonl");
    let mut paths: Vec<_> = paths.filter(wanted).collect();
    paths.sort();
    found.append(&mut paths);
}

/// The session of a sub-agent's file, from the first line that names it.
fn session_of(path: &Path) -> Option<String> {
    let head = Head::of(path).ok()?;
    let mut lines = head.bytes.split(|byte| *byte == b'\n');
    lines.find_map(|line| serde_json::from_slice::<Line<'_>>(line).ok()?.session.owned())
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line<'a> {
    #[serde(borrow, rename = "sessionId")]
    session: Word<'a>,
}
