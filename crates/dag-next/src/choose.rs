//! Which tasks are handed out now, and why the others are not.

pub(crate) mod budget;
pub(crate) mod fresh;
pub(crate) mod held_back;
pub(crate) mod owed;
pub(crate) mod pick;
pub(crate) mod progress;
pub(crate) mod reopened;
pub(crate) mod strategy;
pub(crate) mod together;
