//! One command within its bounds, from the shell line to the outcome.

pub(crate) mod batch;
pub(crate) mod budget;
pub(crate) mod category;
pub(crate) mod check;
#[cfg(test)]
mod clause_tests;
pub(crate) mod logs;
pub(crate) mod missing;
pub(crate) mod outcome;
pub(crate) mod progress;
pub(crate) mod retry;
pub(crate) mod runner;
pub(crate) mod script;
