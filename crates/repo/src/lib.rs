//! The repository that contains a plan: git, the hash of the tree, snapshots, worktrees, landing.
//!
//! Invariants: the user's index is never touched; only this crate starts git, as a helper with a time limit.

pub mod anchors;
pub mod git;
pub mod landing;
pub mod pins;
pub mod prior_changes;
pub mod products;
pub mod snapshot;
pub mod tree;
pub mod worktree;
