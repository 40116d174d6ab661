//! Plans in data formats: JSON, JSON lines, TOML.

pub(crate) mod beads;
pub(crate) mod plan_content;
pub(crate) mod plan_v1;
pub(crate) mod spec_json;
pub(crate) mod taskmaster;
