//! The gates of the configuration: loading them, running them outside of orders, and their records.

pub(crate) mod catalog;
pub(crate) mod commands_toml;
pub(crate) mod configured;
pub(crate) mod fitter_toml;
pub(crate) mod one_command;
pub(crate) mod one_task;
pub(crate) mod passed;
pub(crate) mod python;
pub(crate) mod recheck;
pub(crate) mod records;
pub(crate) mod stale;
