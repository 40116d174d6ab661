//! The labelled fields of a task's section, and the texts of items.

pub(crate) mod inputs;
pub(crate) mod item_text;
pub(crate) mod labels;
pub(crate) mod paths;
pub(crate) mod task_fields;
