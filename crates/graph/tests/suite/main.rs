//! The graph: its layers, rounds and shapes, and a second opinion on each answer.

mod layers;
mod oracle;
mod rounds;
mod shapes;
