//! The repository: its tree as one hash, its pins, its locks, its worktrees, and files that are changed under a lock.

mod lock;
mod locked_file;
mod pins;
mod snapshot;
mod tree;
mod worktree;
