//! What stands in for the readers of databases where SQLite is left out.

use crate::Source;
use std::path::Path;
use toolkit::{Exit, Fail};

/// A database is told from its name alone.
pub(crate) fn is_ours(_: &Path) -> bool {
    true
}

pub(crate) fn read<R>(source: &Source<'_>, _: &mut R) -> Result<(), Fail> {
    let message = "this build reads no databases; export the session instead";
    Err(Fail::new(Exit::Unavailable, "no-sqlite", message).in_file(source.path))
}
