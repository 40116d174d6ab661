//! Dependencies of tasks: ids, names, phases and references, as plans write them.

pub(crate) mod cycle;
pub(crate) mod dangling;
pub(crate) mod ids;
pub(crate) mod lanes;
pub(crate) mod named;
pub(crate) mod needs;
pub(crate) mod phases;
pub(crate) mod references;
pub(crate) mod requires;
pub(crate) mod strategy;
pub(crate) mod unit_refs;
pub(crate) mod values;
