//! Plans in data formats: JSON, JSON lines, TOML.

pub(crate) mod beads;
pub(crate) mod cursor;
pub(crate) mod feature_list;
pub(crate) mod plan_content;
pub(crate) mod plan_v1;
pub(crate) mod prd;
pub(crate) mod shrimp;
pub(crate) mod spec_json;
pub(crate) mod sprint_status;
pub(crate) mod taskmaster;
