//! The history of a plan: a commit for each task, and what comes of it later.

mod blame;
mod honest_work;
mod one_commit_a_task;
mod own_worktree;
mod plans;
mod undo;
