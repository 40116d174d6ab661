//! Plans that are lists with boxes or tables with a status.

pub(crate) mod bmad;
pub(crate) mod cc_sdd;
pub(crate) mod checklist;
pub(crate) mod conductor;
pub(crate) mod exec_plan;
pub(crate) mod kiro;
pub(crate) mod numbered;
pub(crate) mod openspec;
pub(crate) mod plans_md;
pub(crate) mod roadmap;
pub(crate) mod spec_kit;
pub(crate) mod task_plan;
pub(crate) mod tracker;
