//! The schedule of a plan: graph, rounds and status.

pub mod graph;
pub mod rounds;
pub mod status;
