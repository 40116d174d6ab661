//! The checks of one order, and the verdict on it.

pub(crate) mod acts;
pub(crate) mod before;
pub(crate) mod checks;
pub(crate) mod flaky;
pub(crate) mod guard;
pub(crate) mod halting;
pub(crate) mod known_failures;
pub(crate) mod later_task;
pub(crate) mod review;
pub(crate) mod scratch;
pub(crate) mod test_files;
pub(crate) mod unclear;
pub(crate) mod verdict;
pub(crate) mod worker_left;
