//! One file a client; the table of them is in `client.rs`.

pub(crate) mod aider;
pub(crate) mod claude;
pub(crate) mod claude_family;
pub(crate) mod cline;
pub(crate) mod cline_api;
pub(crate) mod cline_ui;
pub(crate) mod codex;
pub(crate) mod codex_family;
pub(crate) mod codex_items;
pub(crate) mod events;
pub(crate) mod gemini;
pub(crate) mod goose;
#[cfg(feature = "sqlite")]
pub(crate) mod goose_db;
pub(crate) mod ledger;
pub(crate) mod opencode;
#[cfg(feature = "sqlite")]
pub(crate) mod opencode_db;
pub(crate) mod opencode_files;
pub(crate) mod xml;
