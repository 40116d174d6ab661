//! A person's decision, and the record of it.

use crate::args::PlanArgs;
use std::path::PathBuf;
use wire::State;
use wire::punch::Type;

/// A decision about one plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) plan: PlanArgs,
    pub(crate) deed: Deed,
    pub(crate) reason: String,
    /// Whether to print the change instead of making it.
    pub(crate) dry_run: bool,
    /// Whether a task that the plan does not have is no error.
    pub(crate) if_there: bool,
    /// A file with JSON that goes on record with a cleared box, and that the next worker gets to see.
    pub(crate) evidence: Option<PathBuf>,
}

/// What is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Give a task this state.
    Stand(String, State),
    /// Tick the box of a criterion, or leave it open for later.
    Criterion(String, Later),
    /// Add a task after another.
    Add { after: String, title: String, body: Option<PathBuf> },
}

/// The new state of a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Later {
    /// It holds.
    Holds,
    /// It is deferred.
    Deferred,
}

impl Deed {
    /// The type and the key of its record.
    pub(crate) fn record(&self) -> (Type, &'static str) {
        match self {
            Self::Stand(_, State::Pending) => (Type::Untick, "untick"),
            Self::Stand(_, State::Completed) => (Type::Override, "tick"),
            Self::Stand(..) => (Type::Override, ledger::task_history::STATE),
            Self::Criterion(_, Later::Holds) => (Type::Override, "criterion"),
            Self::Criterion(_, Later::Deferred) => (Type::Override, "defer"),
            Self::Add { .. } => (Type::Override, "add"),
        }
    }
}
