//! The output of a command: captured, logged, digested, and its tail kept.

pub(crate) mod capture;
pub(crate) mod digest;
pub(crate) mod log;
pub(crate) mod ring;
