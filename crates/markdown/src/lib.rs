//! The Markdown of a plan: its outline, with the exact byte range of each part.
//!
//! Pure and fast: one pass of pulldown-cmark, no I/O, and no panic on any input.

pub mod code_spans;
pub mod front_matter;
pub mod limits;
pub mod line_index;
pub mod links;
pub mod marks;
pub mod outline;
pub mod text;
pub mod two_threads;
pub mod yaml;

pub use crate::outline::{Extent, Fence, Heading, Hidden, Item, Outline, Table, Veil};
pub use crate::text::Text;
