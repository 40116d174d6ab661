//! Replaces the database readers in a build without them.

use crate::Source;
use std::path::Path;
use toolkit::{Exit, Fail};

/// Any database may be ours: better to report that it cannot be read than that it is not a transcript.
pub(crate) fn is_ours(_: &Path) -> bool {
    true
}

pub(crate) fn read<R>(source: &Source<'_>, _: &mut R) -> Result<(), Fail> {
    let message = "this build reads no databases; export the session instead";
    Err(Fail::new(Exit::Unavailable, "no-sqlite", message).in_file(source.path))
}
