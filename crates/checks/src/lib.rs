//! What a check is: how a criterion in words becomes a command and clauses, and whether an output meets them.
//!
//! A format locates a criterion and hands over everything that belongs to it; nothing is judged there:
//!
//! ```
//! use checks::{Located, Reading, Synonyms, read};
//! use markdown::Extent;
//!
//! let text = "Unit tests: `pytest -q` → 12 passed, within 30s";
//! let located = Located::text(text, Extent { start: 0, end: text.len() });
//! let Reading::Check(check) = read(&located, Synonyms::builtin()) else { panic!("a check") };
//! assert_eq!(check.command, "pytest -q");
//! assert_eq!(wire::plan::clause::text(&check.clauses), "12 passed, within 30s");
//! ```
//!
//! | a format has | it calls |
//! |---|---|
//! | a list item with everything below it | [`Located::item`], then [`read`] |
//! | a section, a step, an element: any range of Markdown | [`Located::range`], then [`read`] |
//! | a row of a table | [`Located::row`], then [`read`] |
//! | a text that is already taken apart | [`Located::text`] or a `Located` of its own parts, then [`read`] |
//! | a field of data that holds a command, perhaps with a field for its result | [`read_field`] |
//! | a fenced block on its own, not below a criterion | [`read_block`] |
//! | the steps of a task, which may state checks | the same with [`Located::as_step`] |
//! | the condition of a commit, a rule of what not to do | [`conditions`] |
//!
//! [`Reading::criteria`] turns the answer into criteria of `plan/1`. `Unclear` holds the box; `Prose` is for a person.
//!
//! The other half: [`judge::judge`] compares clauses with what a command did and printed.

pub mod commands;
pub mod conditions;
pub mod examples;
pub mod fault_class;
pub mod judge;

mod grammar;
mod project;
mod read;
pub mod reports;
pub mod suggest;
pub mod synonyms;

pub use read::{fenced, labels, located, reading, rows};

pub use read::located::{Kind, Located, Part, Role};
pub use read::reading::{Check, Offer, Reading, Unclear};
pub use read::{denies_or_counts, may_ask, read, read_block, read_field};
pub use synonyms::{Synonyms, Titles};
