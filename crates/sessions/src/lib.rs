//! Thinking sessions and their chains.
//!
//! The input is the file of a sequential-thinking session (an export of version 1 or 2, the live JSON lines, or
//! another tool's session as `interchange/1`); the output is its content and whether it satisfies the rules. Writing
//! a session back drops nothing, not even unknown members. A file that is only read is never modified.

mod chain;
mod export;
mod file;
pub mod live;
mod packet;
mod result;
mod rules;
pub mod summary;
mod thought;

pub use crate::chain::growth::Growth;
pub use crate::chain::location::{ChainLocation, Ready, position};
pub use crate::chain::resume::resume;
pub use crate::chain::{Chain, others};
pub use crate::export::{Over, Target, export};
pub use crate::file::layout::normal;
pub use crate::file::moment::Moment;
pub use crate::file::name::{Name, Position};
pub use crate::file::session_text::SessionText;
pub use crate::file::{File, Format};
pub use crate::live::draft::Draft;
pub use crate::live::{Live, LiveSession};
pub use crate::packet::{Order as PacketOrder, Schema, build as packet, check as check_packet};
pub use crate::result::read as result;
pub use crate::rules::content::FROM_RESULT;
pub use crate::rules::{Against, Ask, verify};
pub use crate::summary::summary;
pub use crate::thought::Thought;
pub use crate::thought::stage::{STAGES, Stage};
