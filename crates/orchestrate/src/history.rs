//! What `orchestrate` does with the commits of a plan: take tasks back, find who broke a check, keep a plan on a branch.

pub(crate) mod blame;
pub(crate) mod own_tree;
pub(crate) mod undo;
