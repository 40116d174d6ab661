//! What one call of `checkbox` does: the arguments as meant.

use crate::args::PlanArgs;
use crate::by_hand::request::Request;
use crate::fix::Taking;
use config::ConfigArgs;
use std::path::PathBuf;

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Job {
    /// Tick the task of each order that is proved.
    Orders {
        /// The orders; `None` is standard input.
        file: Option<PathBuf>,
        /// Whether to add the tasks that workers found missing.
        adapt: bool,
        config: ConfigArgs,
    },
    /// Mark the task of each order as begun.
    Begin {
        /// The orders; `None` is standard input.
        file: Option<PathBuf>,
    },
    /// List the tasks.
    List {
        plan: PlanArgs,
        /// Whether to print text instead of JSON.
        text: bool,
    },
    /// Make unclear checks clear.
    Fix { plan: PlanArgs, taking: Taking },
    /// Tick the goals whose checks have passed.
    Goals { plan: PlanArgs },
    /// Clear the boxes of tasks whose checks have failed since.
    Regressions { plan: PlanArgs, config: ConfigArgs },
    /// Carry out a person's decision.
    ByHand(Request),
}
