//! What one call of `commit-run` does: the arguments as meant.

use crate::residual::Kind;
use config::ConfigArgs;
use std::path::PathBuf;

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Job {
    /// Commit for each order.
    Orders {
        /// The orders; `None` is standard input.
        file: Option<PathBuf>,
        /// Whether to push the branches that have new commits.
        push: bool,
        config: ConfigArgs,
    },
    /// Bring the work of each order into the main tree.
    Land {
        /// The orders; `None` is standard input.
        file: Option<PathBuf>,
        config: ConfigArgs,
    },
    /// Make the commits that are owed.
    Pending(PlanCommit),
    /// Commit what is left of a run.
    LeftOver(Kind, PlanCommit),
    /// Say whether the tree is clean.
    CheckClean {
        /// A path in the repository; `None` is the current folder.
        path: Option<PathBuf>,
        /// Whether to leave out what the last attempt changed.
        resume: bool,
    },
    /// Keep and print the commit that the first run began at.
    Start { plan: PathBuf },
    /// Revert the commits of tasks.
    Revert(RevertArgs),
    /// Print which tasks are done according to git's history.
    RebuildState {
        /// Only tasks of this plan.
        plan: Option<PathBuf>,
        /// Whether to indent the JSON.
        pretty: bool,
    },
}

/// Commits for one plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlanCommit {
    pub(crate) plan: PathBuf,
    /// Whether to push the branch if it has a new commit.
    pub(crate) push: bool,
    pub(crate) config: ConfigArgs,
}

/// The tasks whose commits are reverted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RevertArgs {
    pub(crate) plan: PathBuf,
    pub(crate) ids: Vec<String>,
    /// Whether what depends on them is undone as well.
    pub(crate) dependents: bool,
    /// Whether the tasks are only listed.
    pub(crate) list: bool,
    /// Whether it is only tried.
    pub(crate) dry_run: bool,
    /// Why; a part of the message.
    pub(crate) reason: String,
    pub(crate) config: ConfigArgs,
}
