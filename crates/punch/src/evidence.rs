//! Evidence: deeds from transcripts, the ledger and git, gathered for one attempt.

pub(crate) mod book;
pub(crate) mod case;
pub(crate) mod children;
pub(crate) mod claims;
pub(crate) mod deed;
pub(crate) mod earlier;
pub(crate) mod gate_log;
pub(crate) mod gates;
pub(crate) mod mint;
pub(crate) mod scope;
pub(crate) mod sealing;
