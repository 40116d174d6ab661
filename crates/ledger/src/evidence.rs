//! What the records say about a check and a task.

pub mod level;
pub mod proof;
pub mod unclear;
pub mod verdict;
