//! The harness of every crate's own tests: a temporary folder, commands in it, and what they print.
//!
//! It depends on no tool and starts none by name: a test passes the path of its executable. Tests across tools build
//! on it too, in the package `pipeline-tests`.

#![expect(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a folder that cannot be set up is a failed test, and a test fails by a panic"
)]

mod folder;
mod got;
mod order;
mod scratch;
mod snapshot;
mod until;

pub use folder::{Folder, NOW, git, write};
pub use got::Got;
pub use order::{RUN, order};
pub use scratch::{temporary, write_file};
pub use snapshot::snapshot;
pub use until::until;
