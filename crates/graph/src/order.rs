//! Order and length: sorting, rounds, chains, the critical path.

pub(crate) mod chains;
pub(crate) mod critical;
pub(crate) mod sort;
pub(crate) mod walk;
