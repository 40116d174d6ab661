//! Lines in and lines out: input, output, orders, and the loop of a stage.

pub mod input;
pub mod mcp;
pub mod orders;
pub mod output;
pub mod pipe_ends;
pub mod stage;
pub mod suggestions;
