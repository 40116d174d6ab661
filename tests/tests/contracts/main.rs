//! The contracts of every tool: schemas, exit codes and streams, and the graph in the hands of other engines.

mod conventions;
mod engines;
mod schemas;
mod traces;
