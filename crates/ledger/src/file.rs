//! The file of the ledger: its chain, the part that was read, the folder of punches, the cache of readers.

pub mod chain;
pub mod extent;
pub(crate) mod index;
pub mod punch_files;
pub mod read_cache;
