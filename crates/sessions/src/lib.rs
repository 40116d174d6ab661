//! Thinking sessions and their chains.
//!
//! In goes the file of a sequential-thinking session (an export of version 1 or 2, the live JSON lines, or another
//! tool's session as `interchange/1`), out comes what it holds and whether it is what it must be. What is written back
//! is what was read: nothing unknown is dropped. A file that was only read is never touched.

pub mod analysis;
mod brief;
mod chain;
mod compose;
mod draft;
mod export;
mod file;
mod growth;
mod headings;
mod interchange;
mod layout;
mod live;
mod moment;
mod name;
mod numbering;
mod packet;
mod place;
mod result;
mod resume;
mod rules;
mod sheet;
pub mod source;
mod stage;
pub mod summary;
mod thought;

pub use chain::{Chain, others};
pub use draft::Draft;
pub use export::{Over, Target, export};
pub use file::{File, Format};
pub use growth::Growth;
pub use layout::normal;
pub use live::{Kept, Live};
pub use moment::Moment;
pub use name::{Name, Position};
pub use packet::{Order as PacketOrder, Schema, build as packet, check as check_packet};
pub use place::{Place, Ready, position};
pub use result::read as result;
pub use resume::resume;
pub use rules::content::FROM_RESULT;
pub use rules::{Against, Ask, verify};
pub use sheet::Sheet;
pub use stage::{STAGES, Stage};
pub use summary::summary;
pub use thought::Thought;
