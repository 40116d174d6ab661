//! Data files, with the position of every value.

pub(crate) mod data_file;
pub(crate) mod json;
pub(crate) mod spec_tasks;
pub(crate) mod task_files;
pub(crate) mod task_objects;
