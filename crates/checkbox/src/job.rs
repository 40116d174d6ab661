//! What one call of `checkbox` does: the arguments as meant.

use crate::adopt::Adopt;
use crate::args::PlanArgs;
use crate::by_hand::request::Request;
use crate::fix::Taking;
use crate::tick::AcceptOnce;
use config::ConfigArgs;
use std::path::PathBuf;

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Job {
    /// Tick the task of each order whose evidence is accepted.
    Orders {
        /// The orders; `None` is standard input.
        file: Option<PathBuf>,
        /// Whether to add the tasks that workers found missing.
        adapt: bool,
        /// A person's word about the run.
        accept: Option<AcceptOnce>,
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
        /// Whether to print only the ids of open tasks.
        open: bool,
    },
    /// Make unclear checks clear.
    Fix { plan: PlanArgs, taking: Taking },
    /// Write suggested checks into their plans.
    Adopt { file: Option<PathBuf>, adopt: Adopt },
    /// Take adopted checks out of a plan.
    UndoAdopt { plan: PlanArgs },
    /// Tick the goals whose checks have passed.
    Goals { plan: PlanArgs },
    /// Clear the boxes of tasks whose checks have failed since.
    Regressions { plan: PlanArgs, config: ConfigArgs },
    /// Clear the marks of all failed tasks.
    Retry { plan: PlanArgs, reason: String, dry_run: bool },
    /// Say whether a report was presented, or record that it is.
    Presented { id: String, plan: PlanArgs, record: bool },
    /// Write into the progress file of a runbook that it is completed.
    Progress { plan: PathBuf },
    /// Write the plan that a packet or a finished runbook stands for.
    Unfold { plan: PathBuf, reviews: Option<String>, dry_run: bool },
    /// Carry out a person's decision.
    ByHand(Request),
}
