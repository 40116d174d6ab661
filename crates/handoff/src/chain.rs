//! The session chain of `execute-task`: no worker starts before its last link was looked at.
//!
//! Prep → subtask-1 → subtask-2 → tests. The whole chain must hold, and its preparation be what it must be; what a worker
//! imports is the last link before its own place.

use crate::case::Case;
use crate::preparation::Preparation;
use sessions::{Name, Place, Position, Ready};
use std::path::Path;
use toolkit::Fail;
use wire::chain::ChainLink;
use wire::digest::Sealed;

/// What came of looking at the chain.
pub(crate) enum Chain {
    /// The plan keeps no sessions.
    None,
    /// The last link, verified.
    Last(Sealed),
    /// Why no worker may start, as a code word and a sentence.
    Broken(&'static str, String),
}

/// Looks at the link that the worker of this order would import.
pub(crate) fn last(case: &Case<'_>) -> Result<Chain, Fail> {
    let Some(preparation) = &case.preparation else { return Ok(Chain::None) };
    if ["runtime-report", "complete"].contains(&case.order.task.id.as_str()) {
        return Ok(Chain::None);
    }
    let Ok(place) = Place::of(&preparation.plan, case.root)? else { return Ok(Chain::None) };
    let at = position(case, preparation);
    Ok(match place.ready(at, case.config.sessions, &case.now)? {
        Ready::No { code, message } => Chain::Broken(code, message),
        Ready::Yes(last) => Chain::Last(sealed(case, &last)),
    })
}

/// The file that the session of this order is to be exported to; none for lines that have no link of their own.
pub(crate) fn export_path(case: &Case<'_>, preparation: &Preparation) -> Result<Option<String>, Fail> {
    let Ok(place) = Place::of(&preparation.plan, case.root)? else { return Ok(None) };
    let date = case.now.get(..10).unwrap_or(&case.now);
    let file = position(case, preparation).map(|position| Name::new(&place.task, position, date).file());
    Ok(file.map(|file| relative(case, &place.dir.join(file))))
}

/// The place of this order in the chain.
pub(crate) fn position(case: &Case<'_>, preparation: &Preparation) -> Option<Position> {
    sessions::position(&preparation.plan, &case.sheet.task)
}

fn sealed(case: &Case<'_>, link: &ChainLink) -> Sealed {
    Sealed { path: relative(case, Path::new(&link.path)), sha256: link.sha256.clone() }
}

fn relative(case: &Case<'_>, path: &Path) -> String {
    path.strip_prefix(case.root).unwrap_or(path).to_string_lossy().into_owned()
}
