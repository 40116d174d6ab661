//! Prompts for special readers: subtasks, steps, sessions, reviewers, the diagnostician, the Fitter.

pub(crate) mod fitter;
pub(crate) mod review;
pub(crate) mod role;
pub(crate) mod runbook;
pub(crate) mod subtask;
pub(crate) mod workflow;
