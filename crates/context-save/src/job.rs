//! What one call of `context-save` does: the arguments as meant.

use std::path::PathBuf;

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Job {
    /// Save what the worker of each order left.
    Orders {
        /// The orders; `None` is standard input.
        file: Option<PathBuf>,
    },
    /// Print what a task would inherit.
    Inherit {
        task: String,
        plan: PathBuf,
        /// Whether to indent the JSON.
        pretty: bool,
    },
    /// Copy the files of the session that this plan belongs to.
    Snapshot { plan: PathBuf },
    /// Repair a session, named by its folder or its name.
    Repair { session_file: bool, session: PathBuf },
    /// Complete a session, named by its folder or its name.
    Complete { session: PathBuf },
}
