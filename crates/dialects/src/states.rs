//! The written state of a task: boxes, signs, words and the traces of a tick.

pub(crate) mod boxes;
pub(crate) mod decoration;
pub(crate) mod legend;
pub(crate) mod markers;
pub(crate) mod signs;
pub(crate) mod status_cell;
pub(crate) mod words;
