//! Lists and chapters of tasks, shared by several formats.

pub(crate) mod below_tasks;
pub(crate) mod boxed;
pub(crate) mod chapters;
pub(crate) mod described;
pub(crate) mod groups;
pub(crate) mod items;
pub(crate) mod kiro_task;
pub(crate) mod listed;
pub(crate) mod numbered;
pub(crate) mod signed;
pub(crate) mod status_tables;
pub(crate) mod unit_headings;
pub(crate) mod work;
