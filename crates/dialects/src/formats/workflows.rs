//! Plans of the source workflows.

pub(crate) mod handoff;
pub(crate) mod plan_md;
pub(crate) mod runbook;
pub(crate) mod workflow;
