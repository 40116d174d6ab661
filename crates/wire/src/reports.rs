//! The documents that reports print.

pub mod history;
pub mod report;
pub mod tick;
