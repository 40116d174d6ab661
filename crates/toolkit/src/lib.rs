//! Code that every tool shares: start and end ([`cli`]), lines in and out ([`stream`]), and files ([`files`]).
//!
//! Invariants: only this crate writes files and reads the clock or the environment; nothing here depends on a
//! particular tool; nothing prints except through [`stream::output`] and [`cli::tool`].

pub mod cli;
pub mod files;
pub mod stream;

pub use crate::cli::exit::Exit;
pub use crate::cli::fail::Fail;
