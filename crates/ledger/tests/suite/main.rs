//! The ledger: its chain, what it proves, and where a task stands.

#![expect(clippy::unwrap_used, reason = "a test may end where something is missing")]

mod chain;
mod index;
mod proof;
mod task_history;
