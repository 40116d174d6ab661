//! The session chain of `execute-task`: no worker starts before its last link was looked at.
//!
//! Prep → subtask-1 → subtask-2 → tests. The link that a subtask imports is the newest one before it. It must be there, be
//! readable, be this task's, and have come to a Conclusion.

use crate::case::Case;
use crate::preparation::Preparation;
use toolkit::{Fail, fs, root};
use wire::digest::Sealed;

/// Where sessions are, where the packet does not say.
const THINKING: &str = ".kilocode/thinking";

/// What came of looking at the chain.
pub(crate) enum Chain {
    /// The plan keeps no sessions.
    None,
    /// The last link, whole.
    Last(Sealed),
    /// Why no worker may start.
    Broken(String),
}

/// Looks at the link that the worker of this order would import.
pub(crate) fn last(case: &Case<'_>) -> Result<Chain, Fail> {
    let Some(preparation) = &case.preparation else { return Ok(Chain::None) };
    let apart = ["runtime-report", "complete"].contains(&case.order.task.id.as_str());
    if apart || !preparation.needs_chain(case.order) {
        return Ok(Chain::None);
    }
    let Some(path) = newest(case, preparation) else {
        let task = &preparation.task_id;
        let place = folder(preparation);
        let message = format!("no preparation for '{task}': there is no 'task-{task}-prep-DATE.json' in '{place}'");
        return Ok(Chain::Broken(message));
    };
    check(case, preparation, &path)
}

/// The file that a session of this order is to be exported to.
pub(crate) fn export_path(case: &Case<'_>, preparation: &Preparation) -> String {
    let date = case.now.get(..10).unwrap_or(&case.now);
    let part = match preparation.index {
        Some(index) => format!("subtask-{index}"),
        None if crate::role::is_tests(&case.sheet.task) => "tests".to_owned(),
        None => case.order.task.key.clone(),
    };
    format!("{}/execution-{}-{part}-{date}.json", folder(preparation), preparation.task_id)
}

fn folder(preparation: &Preparation) -> &str {
    let named = preparation.session().and_then(|path| path.rsplit_once('/'));
    named.map_or(THINKING, |(folder, _)| folder)
}

/// The newest link before this order: of the subtasks before it, else the preparation's.
fn newest(case: &Case<'_>, preparation: &Preparation) -> Option<String> {
    let folder = folder(preparation);
    let place = root::inside(case.root, folder).ok()?;
    let names = std::fs::read_dir(place).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    let of = |prefix: &str| {
        let is_link = |name: &&String| name.strip_prefix(prefix).is_some_and(is_date);
        names.iter().rev().find(is_link).map(|name| format!("{folder}/{name}"))
    };
    let task = &preparation.task_id;
    let last = if case.order.task.id.as_str() == "pre-execution-gate" {
        0
    } else {
        preparation.index.map_or(preparation.subtasks.len(), |index| index - 1)
    };
    let links = (1..=last).rev().find_map(|number| of(&format!("execution-{task}-subtask-{number}-")));
    let named = || preparation.session().filter(|path| case.is_there(path)).map(str::to_owned);
    links.or_else(named).or_else(|| of(&format!("task-{task}-prep-")))
}

/// `2026-01-31.json`: names are read from the right, since tasks have hyphens of their own.
fn is_date(rest: &str) -> bool {
    let date = rest.strip_suffix(".json").unwrap_or_default();
    date.len() == 10 && date.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

fn check(case: &Case<'_>, preparation: &Preparation, path: &str) -> Result<Chain, Fail> {
    let broken = |why: String| Ok(Chain::Broken(format!("the session '{path}' {why}")));
    let bytes = fs::read(&root::inside(case.root, path)?)?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let task = &preparation.task_id;
    if !name.starts_with(&format!("task-{task}-")) && !name.starts_with(&format!("execution-{task}-")) {
        return broken(format!("is that of another task than '{task}'"));
    }
    match sessions::read(path, &bytes) {
        Err(fail) => broken(format!("cannot be read: {}", fail.message)),
        Ok(session) if session.thoughts == 0 => broken("holds no thought".to_owned()),
        Ok(session) if !session.complete => broken("has not come to a Conclusion".to_owned()),
        Ok(session) => Ok(Chain::Last(Sealed { path: path.to_owned(), sha256: session.sha256 })),
    }
}
