//! The readers on small records made by hand, one file a client, with the traits of the real ones, and on real records.

#![expect(clippy::unwrap_used, reason = "a test")]

mod aider;
mod claude;
mod cline;
mod codex;
mod corpus;
mod damage;
#[cfg(feature = "sqlite")]
mod database;
mod events;
mod folder;
mod gemini;
mod goose;
mod opencode;
mod refusals;
mod tokens;
