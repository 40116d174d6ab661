//! Thinking sessions and their chains.
//!
//! In goes the file of a sequential-thinking session (an export of version 1 or 2, or the live JSON lines), out
//! comes what it holds. Files are only read; what is odd about one is said, never mended.

mod read;
mod thought;

pub use read::read;
pub use thought::{STAGES, Thought};
