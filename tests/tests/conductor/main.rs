//! The conductor and the pipe: whole runs, their workers, the board, the first steps, and what other programs call.

mod acp;
mod board;
mod clients;
mod command_as_worker;
mod cost;
mod cost_of_a_task;
mod first_steps;
mod hooks;
mod integrations;
mod merging_plans;
mod pipelines;
mod plugins;
mod power_cuts;
mod preflight;
mod report_in_a_browser;
mod session;
mod without_checks;
