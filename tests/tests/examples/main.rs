//! The workflows whose work is handed to children: each example below `tests/workflows` carried out to its last line.

mod crash;
mod execute_task;
mod workflow_execute;
