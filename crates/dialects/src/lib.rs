//! Readers and in-place writers of plans, one file per dialect.
//!
//! The input is the text of a plan, the output a `plan/1` with the exact position of everything in it. [`read`] is
//! pure; only [`open`] touches a file. Invariants: a task is never lost silently and never invented, every span lies
//! inside the file, zero tasks is an error, and no input makes this crate panic.
//!
//! A dialect is one file (with a folder of its parts if it is large) in `formats` and one row in [`table`]. Formats
//! share the crate `markdown` (headings, items, fences, tables, marks), the crate `checks`, and the folders beside
//! `formats`: `lists`, `criteria`, `deps`, `fields`, `states`, `data`. `read::validate` has the rules for every plan.

pub mod context;
mod criteria;
mod data;
mod deps;
mod dialect;
mod explain;
mod fields;
mod formats;
mod lists;
mod read;
mod sections;
mod states;
pub mod write;

pub use crate::criteria::goals::goals;
pub use crate::criteria::project_table::set as set_checks;
pub use crate::criteria::unclear::{UnclearCheck, unclear};
pub use crate::deps::references::{Reference, references};
pub use crate::deps::values::value;
pub use crate::dialect::{Dialect, Shape, find, row, table};
pub use crate::explain::guide::{Guide, TEXT as GUIDE, guide};
pub use crate::explain::lost::is_lost;
pub use crate::explain::{Account, Taken, explain, is_accounted_for};
pub use crate::formats::workflows::handoff::{expand, open_packet, read_packet};
pub use crate::formats::workflows::workflow::open_session;
pub use crate::formats::workflows::workflow::session::reconcile::reconcile;
pub use crate::read::beside::{Folders, ReadBeside};
pub use crate::read::folder::Folder;
pub use crate::read::plan_snapshot::PlanSnapshot;
pub use crate::read::remembered::Followed;
pub use crate::read::{Ask, errors, open, open_with, read, unchecked};
pub use crate::states::boxes::{Cut, blanked, body, cuts, set_mark};
pub use crate::states::words::{Words, mark_at, mark_for};

/// A whole plan, as defined by `wire`.
pub use wire::Plan;
