//! The guarantees of `gate-run`, each tested on the real program.
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod alone;
mod corpus;
mod harness;
mod hook;
mod hook_plan;
mod logs;
mod orders;
mod person;
mod red_first;
mod reference_runner;
mod restore;
mod set;
mod torture;
mod trial;
