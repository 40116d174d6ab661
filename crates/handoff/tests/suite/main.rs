//! `handoff` on whole projects: its prompts, its packets, its refusals, and its resistance to hostile text.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by a panic and makes its own files"
)]

mod desk;
mod hostile;
mod packets;
mod projects;
mod prompts;
mod refusals;
