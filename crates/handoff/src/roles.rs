//! Prompts for special readers: subtasks, steps, sessions, reviewers, proposers of checks, the diagnostician, the Fitter.

pub(crate) mod check;
pub(crate) mod fitter;
pub(crate) mod review;
pub(crate) mod role;
pub(crate) mod runbook;
pub(crate) mod subtask;
pub(crate) mod workflow;
