//! One file per client; their table is in `client.rs`.

pub(crate) mod aider;
pub(crate) mod claude;
pub(crate) mod cline;
pub(crate) mod codex;
pub(crate) mod events;
pub(crate) mod gemini;
pub(crate) mod goose;
pub(crate) mod ledger;
#[cfg(not(feature = "sqlite"))]
pub(crate) mod no_sqlite;
pub(crate) mod opencode;
pub(crate) mod xml;
