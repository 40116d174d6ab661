//! The graph itself: tasks, names, declared links, and links that a plan implies.

pub(crate) mod csr;
pub(crate) mod family;
pub(crate) mod graph;
pub(crate) mod links;
pub(crate) mod meant;
pub(crate) mod names;
pub(crate) mod node;
pub mod rules;
pub(crate) mod trouble;
pub(crate) mod view;
