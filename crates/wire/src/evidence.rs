//! Evidence: records, checks, levels, cards, proofs.

pub mod attestation;
pub mod card;
pub mod data;
pub mod digest;
pub mod gate;
pub mod level;
pub mod proof;
pub mod punch;
pub mod restoration;
