//! What a person asks for: arguments as meant, not as typed.

use crate::args::Args;
use std::path::Path;
use wire::State;
use wire::punch::Type;

/// What is to be done by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed<'a> {
    /// A task is to stand here.
    Stand(&'a str, State),
    /// The box of a criterion is to be ticked, or left open for later.
    Criterion(&'a str, Later),
    /// A task is to be added behind another.
    Add { after: &'a str, title: &'a str, body: Option<&'a Path> },
}

/// What becomes of a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Later {
    /// It holds.
    Holds,
    /// It is deferred.
    Deferred,
}

/// What is asked for; `None` where orders are carried.
pub(crate) fn of(args: &Args) -> Option<Deed<'_>> {
    match args {
        Args { tick: Some(id), .. } => Some(Deed::Stand(id, State::Completed)),
        Args { untick: Some(id), .. } => Some(Deed::Stand(id, State::Pending)),
        Args { state: Some((id, state)), .. } => Some(Deed::Stand(id, *state)),
        Args { criterion: Some(id), defer, .. } => {
            Some(Deed::Criterion(id, if *defer { Later::Deferred } else { Later::Holds }))
        }
        Args { add: Some(after), title, body, .. } => {
            Some(Deed::Add { after, title: title.as_deref().unwrap_or_default(), body: body.as_deref() })
        }
        _ => None,
    }
}

impl Deed<'_> {
    /// The record of it: its type, and the word that it is known by.
    pub(crate) fn record(&self) -> (Type, &'static str) {
        match self {
            Deed::Stand(_, State::Pending) => (Type::Untick, "untick"),
            Deed::Stand(_, State::Completed) => (Type::Override, "tick"),
            Deed::Stand(..) => (Type::Override, "state"),
            Deed::Criterion(_, Later::Holds) => (Type::Override, "criterion"),
            Deed::Criterion(_, Later::Deferred) => (Type::Override, "defer"),
            Deed::Add { .. } => (Type::Override, "add"),
        }
    }
}
