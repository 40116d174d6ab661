//! `handoff` on whole projects: its prompts, its packets, what it refuses, and what hostile text cannot do.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by a panic and makes its own files"
)]

#[path = "stage/desk.rs"]
mod desk;
#[path = "stage/hostile.rs"]
mod hostile;
#[path = "stage/packets.rs"]
mod packets;
#[path = "stage/projects.rs"]
mod projects;
#[path = "stage/prompts.rs"]
mod prompts;
#[path = "stage/refusals.rs"]
mod refusals;
