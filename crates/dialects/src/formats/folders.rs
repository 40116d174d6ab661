//! Plans that are folders with one file per task.

pub(crate) mod ccpm;
pub(crate) mod taskmd;
