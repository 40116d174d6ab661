//! Manners, once for all tools.
//!
//! - How a tool ends: [`exit`], [`fail`].

pub mod exit;
pub mod fail;

pub use exit::Exit;
pub use fail::Fail;
