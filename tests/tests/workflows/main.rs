//! The source workflows, each carried out to its last line on an example project of `tests/workflows/`.

mod checklist;
mod execute;
mod kills;
mod project;
mod pull;
mod reports;
mod runbook;
mod steering;
