//! What `commit-run` puts into a history, and what it leaves alone.

#![expect(clippy::unwrap_used, reason = "a test may end where something is missing")]

mod hooks;
mod leftovers;
mod places;
mod property;
mod repo;
mod rows;
