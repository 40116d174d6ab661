//! Many at once: a tree for each task, a pipe that follows, and what becomes of both when something breaks.
//!
//! The long forms are set by the environment, since they take long: `PLANTOOLS_MANY_RUNS` (how often the large plan is
//! carried out), `PLANTOOLS_MANY_TASKS`, `PLANTOOLS_MANY_KILLS`, `PLANTOOLS_MANY_SHARED` (how often a shared tree is used).

#![expect(
    clippy::expect_used,
    reason = "what cannot be set up is a failed test, and a test fails by a panic"
)]

mod a_person_in_the_main_tree;
mod conflicts;
mod following;
mod generated_plans;
mod killed_stages;
mod levels;
mod power_cuts;
mod same_result_as_one_worker;
mod several_runs;
mod shared_tree;
mod slow_tasks;
mod workers_in_the_main_tree;
mod worktree_setup;

/// A number from the environment.
fn size(name: &str, default: usize) -> usize {
    std::env::var_os(name).and_then(|text| text.to_str()?.parse().ok()).unwrap_or(default)
}
