//! What a person or a program sees of a run.

pub(crate) mod console;
pub(crate) mod events;
pub(crate) mod hooks;
pub(crate) mod terminal;
