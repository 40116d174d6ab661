//! What a check is: how a criterion in words becomes a command and an expectation, and whether an output meets it.

pub mod commands;
pub mod criterion;
pub mod evaluate;
pub mod expectation;
pub mod fenced;
pub mod numbers;
pub mod programs;
pub mod remarks;
pub mod reports;
pub mod request_words;
