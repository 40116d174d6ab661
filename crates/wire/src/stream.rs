//! Orders on their way through the pipe, and how a stream ends.

pub mod end;
pub mod event;
pub mod failure;
pub mod line;
pub mod order;
