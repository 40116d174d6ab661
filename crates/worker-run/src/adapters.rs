//! The clients, one file each.

pub(crate) mod acp;
pub(crate) mod adapter;
pub(crate) mod aider;
pub(crate) mod claude;
pub(crate) mod cline;
pub(crate) mod codex;
pub(crate) mod gemini;
pub(crate) mod goose;
pub(crate) mod opencode;
pub(crate) mod plain;
pub(crate) mod reading;
pub(crate) mod service_fault;
