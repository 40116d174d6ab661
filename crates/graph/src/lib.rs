//! Order, rounds, critical path and layers of a task graph.
//!
//! In go the tasks of a plan, out come answers about their order; a task is its index in document order.
//! [`Graph`] knows the tasks and their links, [`View`] looks at them with the states as they are (or as a
//! caller knows better), [`Chains`] measures the longest chains, [`Layers`] arranges everything for drawing and
//! [`Places`] gives it room on a page.
//!
//! Invariants: no I/O; nothing recurses, so that a chain of a million tasks needs no stack; links live in flat
//! rows, and every answer but [`Graph::topological`] (a heap) takes time linear in tasks and links; equal
//! tasks come out in document order, so the same plan always gives the same answer.
//!
//! Containers (tasks of that kind, and tasks that others name as parent) are never work:
//! - one with children is settled when its children are, whatever its own box says; optional children do not
//!   hold it up. One without children goes by its own state, so that nothing passes as done by being empty;
//! - who depends on a container waits for its children; the children wait for what their container depends on;
//! - a child that names its own container as dependency waits for nothing more than that;
//! - a parent that names nothing is no parent.

mod chains;
mod critical;
mod csr;
mod family;
mod graph;
mod layers;
mod links;
mod meant;
mod names;
mod node;
mod place;
pub mod rules;
#[cfg(test)]
mod samples;
mod sort;
mod sweep;
mod trouble;
mod view;
mod walk;

pub use chains::Chains;
pub use critical::Critical;
pub use graph::Graph;
pub use layers::{Layers, Route};
pub use meant::meant;
pub use node::{Name, Node};
pub use place::{Flow, Places, WIDTH};
pub use trouble::{Duplicate, Trouble, Unknown};
pub use view::View;
pub use walk::Causes;
