//! Thinking sessions and their chains.

pub mod chain;
pub mod inherit;
pub mod interchange;
pub mod live;
pub mod result;
pub mod session;
pub mod verify;
