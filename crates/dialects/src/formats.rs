//! The formats of plans, one file or folder each; [`crate::dialect`] lists all of them.

pub(crate) mod chapters;
pub(crate) mod data;
pub(crate) mod folders;
pub(crate) mod lists;
pub(crate) mod workflows;
