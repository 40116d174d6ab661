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
    /// The box of a criterion is to be ticked.
    Criterion(&'a str),
    /// A task is to be added behind another.
    Add { after: &'a str, title: &'a str, body: Option<&'a Path> },
}

/// What is asked for; `None` where orders are carried.
pub(crate) fn of(args: &Args) -> Option<Deed<'_>> {
    match args {
        Args { tick: Some(id), .. } => Some(Deed::Stand(id, State::Completed)),
        Args { untick: Some(id), .. } => Some(Deed::Stand(id, State::Pending)),
        Args { state: Some((id, state)), .. } => Some(Deed::Stand(id, *state)),
        Args { criterion: Some(id), .. } => Some(Deed::Criterion(id)),
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
            Deed::Criterion(_) => (Type::Override, "criterion"),
            Deed::Add { .. } => (Type::Override, "add"),
        }
    }
}
