//! The checks of one order, and the verdict on it.

pub(crate) mod checks;
pub(crate) mod guard;
pub(crate) mod halting;
pub(crate) mod unclear;
pub(crate) mod verdict;
pub(crate) mod worker_left;
