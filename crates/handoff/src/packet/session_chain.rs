//! The session chain of `execute-task`: its last link is verified before a worker starts.
//!
//! Prep → subtask-1 → subtask-2 → tests. The whole chain must be intact, and its preparation must satisfy the rules;
//! a worker imports the last link before its own position.

use crate::case::Case;
use crate::packet::preparation::Preparation;
use sessions::{ChainLocation, Name, Position, Ready};
use std::path::Path;
use toolkit::Fail;
use wire::digest::Sealed;
use wire::punch::{Punch, Type};
use wire::{State, Task};

/// The result of checking the chain.
pub(crate) enum Chain {
    /// The plan keeps no sessions.
    None,
    /// The last link, verified.
    Last(Sealed),
    /// Why no worker may start, as a code and a message.
    Broken(&'static str, String),
}

/// Checks the link that the worker of this order would import.
pub(crate) fn last(case: &Case<'_>) -> Result<Chain, Fail> {
    let Some(preparation) = &case.preparation else { return Ok(Chain::None) };
    let Ok(place) = ChainLocation::of(&preparation.plan, case.root, &case.profile)? else {
        return Ok(Chain::None);
    };
    let at = position(case, preparation);
    let made: Vec<Position> = case
        .sheet
        .plan
        .tasks
        .iter()
        .filter(|task| task.state == State::Completed && is_proved(case, task))
        .filter_map(|task| sessions::position(&preparation.plan, task))
        .collect();
    Ok(match place.ready(at, &made, case.config.sessions, &case.now)? {
        Ready::No { code, message } => Chain::Broken(code, message),
        Ready::Yes(last) => {
            let path = relative(case, Path::new(&last.path));
            Chain::Last(Sealed { path, sha256: last.sha256 })
        }
    })
}

/// Whether our stages ticked a task, which comes after its link was written.
fn is_proved(case: &Case<'_>, task: &Task) -> bool {
    let about =
        |record: &&Punch| record.plan == case.order.plan.path && record.task.as_ref() == Some(&task.id);
    let last = case.records.iter().rev().filter(about);
    let mut last = last.filter(|record| matches!(record.kind, Type::Tick | Type::Untick | Type::Override));
    last.next().is_some_and(|record| record.kind == Type::Tick)
}

/// The file for the exported session of this order; `None` for lines without a link of their own.
pub(crate) fn export_path(case: &Case<'_>, preparation: &Preparation) -> Result<Option<String>, Fail> {
    let Ok(place) = ChainLocation::of(&preparation.plan, case.root, &case.profile)? else { return Ok(None) };
    let date = case.now.get(..10).unwrap_or(&case.now);
    let file = position(case, preparation).map(|position| Name::new(&place.task, position, date).file());
    Ok(file.map(|file| relative(case, &place.dir.join(file))))
}

/// The position of this order in the chain.
pub(crate) fn position(case: &Case<'_>, preparation: &Preparation) -> Option<Position> {
    sessions::position(&preparation.plan, &case.sheet.task)
}

fn relative(case: &Case<'_>, path: &Path) -> String {
    path.strip_prefix(case.root).unwrap_or(path).to_string_lossy().into_owned()
}
