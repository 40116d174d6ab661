//! The source workflows, each carried out to its last line on an example project of `tests/workflows/`.

mod checklist;
mod execute;
mod execute_task;
mod power_cuts;
mod power_cuts_with_children;
mod project;
mod pull;
mod reports;
mod runbook;
mod shell_loop;
mod small_print;
mod steering;
mod templates;
mod workflow_execute;
