//! The layout of tasks and links in a drawing.

pub(crate) mod layers;
pub(crate) mod place;
#[cfg(test)]
pub(crate) mod samples;
pub(crate) mod sweep;
