//! The reader of what comes from outside, for tests that give it anything. It may not panic.

use crate::serve;
use std::path::Path;

/// Messages of a client, one a line.
pub fn server<'l>(root: &Path, lines: impl Iterator<Item = &'l [u8]>) {
    let _ = serve::answers(root, lines);
}
