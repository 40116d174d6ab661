//! Readers and in-place writers of plans, one file a dialect.
//!
//! In goes the text of a plan, out comes a `plan/1` with the exact place of everything in it. [`read`] is pure;
//! only [`open`] touches a file. Always true: a task is never lost silently and never invented, every span lies
//! inside the file, zero tasks is an error, and no input makes this crate panic.
//!
//! A dialect is one file (with a folder of its nouns where it is large) and one row in [`table`]. What all of
//! them share is here: [`Outline`] says what is a heading, an item, a fence or a table; the mark of a box is read in
//! `mark`; what ticking leaves behind is found in `decoration`; what must hold for every plan is in `checks`.

mod asked;
mod beads;
mod below;
mod beside;
mod block;
mod bounds;
mod boxes;
mod card;
mod cc_sdd;
mod ccpm;
mod chapter;
mod checklist;
mod checks;
mod code;
mod command;
pub mod context;
mod cycle;
mod decoration;
mod dialect;
pub mod expect;
mod expected;
mod explain;
mod fingerprint;
mod folder;
mod frontmatter;
mod goal;
mod grid;
mod ground;
mod gsd;
mod halves;
mod handoff;
mod inline;
pub mod journal;
mod json;
mod judge;
mod kiro;
mod lanes;
mod lines;
mod link;
mod list;
mod lost;
mod mark;
mod named;
mod needs;
mod number;
mod numbered;
mod openspec;
mod outline;
mod parts;
mod phase;
mod plan_content;
mod plan_md;
mod plan_v1;
mod programs;
mod ralphex;
mod read;
mod reference;
mod remark;
mod runbook;
mod sheet;
pub mod shelf;
mod sign;
mod spec_json;
mod spec_kit;
mod step;
mod strategy;
mod superpowers;
mod taskmaster;
mod taskmd;
pub mod ticked;
mod tracker;
mod values;
mod walk;
mod whole;
mod word;
mod workflow;
pub mod write;

pub use boxes::{blanked, body, set_mark};
pub use dialect::{Dialect, Shape, find, table};
pub use explain::{Account, Taken, explain};
pub use folder::Folder;
pub use goal::goals;
pub use ground::Field;
pub use handoff::expand;
pub use lost::is_lost;
pub use outline::{Extent, Fence, Heading, Hidden, Item, Outline, Table, Veil};
pub use read::{Ask, Text, errors, open, open_with, read, unchecked};
pub use reference::{Reference, references};
pub use values::value;
pub use word::{mark_at, mark_for};
pub use workflow::reconcile;

/// A whole plan, as `wire` has it.
pub use wire::Plan;
