//! Expands a plan into other shapes that are ordinary plans: for inspection, and for other engines.

mod substeps;

use crate::sources::Sources;
use toolkit::Fail;
use wire::Plan;

/// What a plan can be expanded to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Expand {
    /// Worker, Verify, Context, Checkbox and Commit of every task
    Substeps,
    /// The whole run of a handoff packet as a todo list
    ExecuteTask,
}

/// Where the work goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Mode {
    /// A pull request: its state begins before the work and is completed after it
    Pr,
    /// The local repository
    #[default]
    Local,
}

/// The plan in its other shape.
pub(crate) fn expand(plan: Plan, sources: &Sources, to: Expand, mode: Mode) -> Result<Plan, Fail> {
    match to {
        Expand::Substeps => Ok(substeps::expand(plan, sources, mode)),
        Expand::ExecuteTask => dialects::expand::execute_task(&plan),
    }
}
