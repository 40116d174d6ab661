//! Order, rounds, critical path and layers of a task graph.
//!
//! The input is the tasks of a plan, the output answers about their order; a task is its index in document order.
//! [`Graph`] has the tasks and their links, [`View`] adds their current states (or those that the caller supplies),
//! [`Chains`] measures the longest chains, [`Layers`] arranges everything for drawing and [`Places`] assigns
//! coordinates.
//!
//! Invariants: no I/O; nothing recurses, so that a chain of a million tasks needs no stack; links are stored in
//! flat rows, and every answer but [`Graph::topological`] (a heap) takes time linear in tasks and links; ties are
//! broken by document order, so the same plan always gives the same answer.
//!
//! Containers (tasks of that kind, and tasks that others name as parent) are never work:
//! - a container with children is settled when its children are, whatever its own box says; optional children do
//!   not delay it. A container without children has its own state, so that nothing counts as done by being empty;
//! - a task that depends on a container waits for its children; the children wait for the container's dependencies;
//! - a child that names its own container as a dependency waits for nothing more because of that;
//! - a parent that names no task is ignored.

mod drawing;
pub mod model;
mod order;

pub use crate::drawing::layers::{Layers, Route};
pub use crate::drawing::place::{Flow, Places, WIDTH};
pub use crate::model::graph::Graph;
pub use crate::model::meant::meant;
pub use crate::model::node::{Name, Node};
pub use crate::model::trouble::{Duplicate, Trouble, Unknown};
pub use crate::model::view::View;
pub use crate::order::chains::Chains;
pub use crate::order::critical::Critical;
pub use crate::order::walk::Causes;
