//! What `context-save` writes beside a plan, and what it never loses.

#![expect(clippy::unwrap_used, reason = "a test may end where something is missing")]

mod notes;
mod place;
mod sessions;
mod writers;
